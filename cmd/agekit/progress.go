package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/reproduce"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/progress"
	"github.com/agekit/age/internal/progress/bar"
	"github.com/agekit/age/internal/store"
)

// console shows how far a command is: as a bar on a terminal, elsewhere as one line per saved
// embedding, or as JSON for another program. It keeps the lines for the log.
type console struct {
	w     io.Writer
	view  progress.View
	start time.Time
	lines []string
	// quiet keeps the lines for the log without showing them, but for warnings. Without a bar, a line
	// in half a minute says how far a stage is, also while the stage reports nothing.
	quiet bool

	mutex sync.Mutex  // held while one of these is used
	shown time.Time   // when the last line was shown
	stage string      // what is under way and has not said how far it is; "" if there is no such stage
	since time.Time   // when the stage began
	pulse *time.Timer // of [console.beat]; nil without it
}

func newConsole(w io.Writer) *console {
	return &console{w: w, view: viewOn(w), start: time.Now()}
}

// viewOn returns what shows progress on w: to a person as a bar or lines, to a program as JSON.
func viewOn(w io.Writer) progress.View {
	if forProgram() {
		return progress.NewJSON(w)
	}
	return bar.New(w)
}

// quieten makes the console quiet from now on.
func (c *console) quieten() {
	c.quiet = true
	c.shown = time.Now()
	if !c.view.Moves() && !forProgram() { // a program shows the time itself
		c.pulse = time.AfterFunc(silence, c.beat)
	}
}

// beat shows after a long silence what is under way, and for how long, if that reports nothing itself.
func (c *console) beat() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.stage != "" && c.isSilent() {
		c.show(progress.Event{Line: fmt.Sprintf("%s, %v so far", c.stage, time.Since(c.since).Round(time.Second))})
	}
	if c.pulse != nil {
		c.pulse.Reset(silence / 3)
	}
}

// silence is the longest time without a line if there is no bar.
const silence = 30 * time.Second

// line shows a line, unless the console is quiet, and keeps it for the log.
func (c *console) line(format string, args ...any) {
	c.event(progress.Event{Line: fmt.Sprintf(format, args...)})
}

// notable shows a line also if the console is quiet, and keeps it for the log.
func (c *console) notable(format string, args ...any) {
	c.event(progress.Event{Line: fmt.Sprintf(format, args...), Notable: true})
}

// event shows an event, and keeps its line for the log.
func (c *console) event(e progress.Event) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	switch {
	case e.Stage == "": // a line alone
	case e.Done > 0: // the stage itself says how far it is
		c.stage = ""
	case e.Stage != c.stage:
		c.stage, c.since = e.Stage, time.Now()
	}
	if e.Line != "" {
		c.keep(e.Line)
		if c.quiet && !e.Notable && (e.Stage == "" || !c.isSilent()) {
			return
		}
	} else if c.quiet && e.Stage != "" && e.Total > 0 && c.isSilent() {
		e.Line = fmt.Sprintf("%s: %d %%", e.Stage, 100*e.Done/e.Total)
	}
	c.show(e)
}

// show shows an event. The mutex is held.
func (c *console) show(e progress.Event) {
	if e.Line != "" {
		c.shown = time.Now()
	}
	c.view.Show(e)
}

// data shows what is to be known of data that was read: the notes as lines, and the warnings, shortened if the
// console is quiet.
func (c *console) data(notes []string, warnings []table.Warning) {
	for _, note := range notes {
		c.line("%s", note)
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for _, warning := range warnings {
		c.keep("warning: " + warning.In(flagOf))
		c.shown = time.Now()
		switch {
		case forProgram():
			fmt.Fprintln(c.w, warningLine(warning))
		case c.quiet:
			c.view.Show(progress.Event{Line: shortWarning(warning)})
		default:
			c.view.Show(progress.Event{Line: warningLine(warning)})
		}
	}
}

// keep keeps a line for the log, without showing it.
func (c *console) keep(line string) {
	c.lines = append(c.lines, fmt.Sprintf("%8.1f s  %s", time.Since(c.start).Seconds(), line))
}

// longSilence shows an event after a long silence, without keeping its line for the log.
func (c *console) longSilence(e progress.Event) {
	if c.silent() {
		c.mutex.Lock()
		defer c.mutex.Unlock()
		c.show(e)
	}
}

// silent reports whether there is no bar, and the last line was shown longer than silence ago.
func (c *console) silent() bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.isSilent()
}

// isSilent is [console.silent]. The mutex is held.
func (c *console) isSilent() bool { return !c.view.Moves() && time.Since(c.shown) > silence }

// checkpoints opens the store of checkpoints. If that fails, it says that checkpoints are off, and returns
// nil.
func (c *console) checkpoints() *store.Store {
	s, err := store.Open("")
	if err != nil {
		c.notable("checkpoints are off: %v", err)
		return nil
	}
	s.Logf = c.notable
	return s
}

// training is encoder.Running.Progress: it shows the epoch that e is about. An epoch has a line for each
// embedding that it saved; if there is a bar, the line goes to the log alone. An epoch that saved none has a
// line after a long silence, and the last one if there is no bar. An event with a line of its own is shown
// as it is, with the time that is left.
func (c *console) training(e encoder.Event) {
	remaining := progress.Left(e.Left)
	if e.Line != "" {
		e.Line += remaining
		c.event(e.Event)
		return
	}
	if e.Stage != encoder.Training {
		c.event(e.Event)
		return
	}
	withLine := func(line string) progress.Event { // the event with a line
		shown := e.Event
		shown.Line = line
		return shown
	}
	short := fmt.Sprintf("epoch %d of %d%s", e.Done, e.Total, remaining) // for those who follow no log
	for _, s := range e.Saved {
		line := fmt.Sprintf("epoch %d of %d: loss %.4f, Davies–Bouldin index %.4f after epoch %d%s", e.Done, e.Total, e.Loss, s.DaviesBouldin, s.Epoch, remaining)
		switch {
		case c.view.Moves():
			c.keep(line)
		case c.quiet:
			c.keep(line)
			c.longSilence(withLine(short))
		default:
			c.event(withLine(line))
		}
	}
	last := e.Done == e.Total && !c.view.Moves() // a bar shows it without a line
	if len(e.Saved) == 0 && (last || c.silent()) {
		line := fmt.Sprintf("epoch %d of %d: loss %.4f%s", e.Done, e.Total, e.Loss, remaining)
		if c.quiet {
			c.keep(line)
			c.longSilence(withLine(short))
		} else {
			c.event(withLine(line))
		}
	}
	e.Detail = fmt.Sprintf("loss %.4f%s", e.Loss, remaining)
	c.event(e.Event)
}

// experiment is reproduce.Options.Progress. A run has a line when it begins, when it has ended (which is
// when the event has its record), and after a long silence.
func (c *console) experiment(e reproduce.Event) {
	remaining := "time left unknown"
	if e.Left > 0 {
		remaining = e.Left.Round(time.Second).String() + " left"
	}
	if e.Record != nil {
		text := fmt.Sprintf("run %d of %d: %v, %.1f s", e.Done, e.Total, e.Run, e.Record.Seconds)
		for _, score := range []string{"ACC", "AUC"} {
			if v, ok := e.Record.Scores[score]; ok {
				text += fmt.Sprintf(", %s %.3f", score, v)
			}
		}
		c.line("%s; %s", text, remaining)
		e.Share = 0 // the run is counted as done
	} else if e.Share == 0 || c.silent() {
		c.line("%.0f %% of %v; %d of %d runs done, %s", 100*e.Share, e.Run, e.Done, e.Total, remaining)
	}
	e.Detail = fmt.Sprintf("%d of %d runs, %s", e.Done, e.Total, remaining)
	const parts = 1000 // of a run, so that the bar moves during one
	e.Done, e.Total = int64(parts*(float64(e.Done)+e.Share)), parts*e.Total
	c.event(e.Event)
}

// close finishes the bar. It may be called twice.
func (c *console) close() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.pulse != nil {
		c.pulse.Stop()
		c.pulse = nil
	}
	c.view.Close()
}
