package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/reproduce"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/store"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows how far a training is: as a bar on a terminal, elsewhere as
// one line per saved embedding. It keeps the lines for the log.
type progress struct {
	w     io.Writer
	bar   *progressbar.ProgressBar
	start time.Time
	lines []string
	said  time.Time // when the last line was written
	// quiet keeps the lines for the log without showing them, but for warnings and, without a
	// bar, one line in half a minute.
	quiet bool
}

func newProgress(w io.Writer) *progress {
	p := &progress{w: w, start: time.Now()}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.bar = progressbar.NewOptions(1, progressbar.OptionSetWriter(w), progressbar.OptionSetPredictTime(false),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(30))
	}
	return p
}

func (p *progress) hush() { p.quiet, p.said = true, time.Now() }

// silence is the longest time without a line if there is no bar.
const silence = 30 * time.Second

func (p *progress) line(format string, args ...any) {
	text := p.keep(format, args...)
	if !p.quiet || p.silent() {
		p.print(text)
	}
}

// notable logs a line that is shown also if the others are not.
func (p *progress) notable(format string, args ...any) {
	p.print(p.keep(format, args...))
}

// print shows a line.
func (p *progress) print(text string) {
	if p.bar != nil {
		_ = p.bar.Clear() // an error affects only the display
	}
	fmt.Fprintln(p.w, message.Printable(text))
	p.said = time.Now()
}

// data logs what a reader of data says.
func (p *progress) data(notes []string, warnings []table.Warning) {
	for _, note := range notes {
		p.line("%s", note)
	}
	for _, warning := range warnings {
		p.keep("warning: %s", warning.In(flagOf))
		p.print(warningLine(warning))
	}
}

// keep keeps a line for the log, without showing it.
func (p *progress) keep(format string, args ...any) (text string) {
	text = fmt.Sprintf(format, args...)
	p.lines = append(p.lines, fmt.Sprintf("%8.1f s  %s", time.Since(p.start).Seconds(), text))
	return text
}

// silent says that there is no bar, and has been no line for long.
func (p *progress) silent() bool { return p.bar == nil && time.Since(p.said) > silence }

// show moves the bar, if there is one, to done of all.
func (p *progress) show(done, all int, format string, args ...any) {
	if p.bar != nil {
		p.bar.ChangeMax(all)
		p.bar.Describe(fmt.Sprintf(format, args...))
		_ = p.bar.Set(done)
	}
}

// checkpoints opens the store of checkpoints, or says that they are off.
func (p *progress) checkpoints() *store.Store {
	s, err := store.Open("")
	if err != nil {
		p.notable("checkpoints are off: %v", err)
		return nil
	}
	s.Logf = p.notable
	return s
}

// remaining says how much time is left; "" while it is unknown, and at the end.
func remaining(left time.Duration) string {
	if left = left.Round(time.Second); left > 0 {
		return fmt.Sprintf(", %s left", left)
	}
	return ""
}

// event is encoder.Options.Progress.
func (p *progress) event(e encoder.Event) {
	left := remaining(e.Remaining)
	switch {
	case e.Notable:
		p.notable("%s%s", e.Message, left)
		return
	case e.Message != "":
		p.line("%s%s", e.Message, left)
		return
	}
	say := p.line
	if p.bar != nil {
		say = func(format string, args ...any) { p.keep(format, args...) }
	}
	for _, s := range e.Saved {
		say("epoch %d of %d: loss %.4f, Davies–Bouldin index %.4f after epoch %d%s", e.Epoch, e.Epochs, e.Loss, s.DaviesBouldin, s.Epoch, left)
	}
	if len(e.Saved) == 0 && (p.silent() || p.bar == nil && e.Epoch == e.Epochs) {
		p.line("epoch %d of %d: loss %.4f%s", e.Epoch, e.Epochs, e.Loss, left)
	}
	p.show(e.Epoch, e.Epochs, "loss %.4f%s", e.Loss, left)
}

// experiment is reproduce.Options.Progress.
func (p *progress) experiment(e reproduce.Event) {
	left := "time left unknown"
	if e.Remaining > 0 {
		left = e.Remaining.Round(time.Second).String() + " left"
	}
	if e.Record != nil {
		text := fmt.Sprintf("run %d of %d: %v, %.1f s", e.Done, e.Total, e.Run, e.Record.Seconds)
		for _, score := range []string{"ACC", "AUC"} {
			if v, ok := e.Record.Scores[score]; ok {
				text += fmt.Sprintf(", %s %.3f", score, v)
			}
		}
		p.line("%s; %s", text, left)
		e.Share = 0 // the run is counted as done
	} else if e.Share == 0 || p.silent() {
		p.line("%.0f %% of %v; %d of %d runs done, %s", 100*e.Share, e.Run, e.Done, e.Total, left)
	}
	p.show(int(1000*(float64(e.Done)+e.Share)), 1000*e.Total, "%d of %d runs, %s", e.Done, e.Total, left)
}

// close finishes the bar. It may be called twice.
func (p *progress) close() {
	if p.bar != nil {
		_ = p.bar.Finish()
		p.bar = nil
	}
}
