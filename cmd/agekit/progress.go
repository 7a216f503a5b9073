package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/agekit/age/agekit/encoder"
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
}

func newProgress(w io.Writer) *progress {
	p := &progress{w: w, start: time.Now()}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.bar = progressbar.NewOptions(1, progressbar.OptionSetWriter(w), progressbar.OptionSetPredictTime(false),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(30))
	}
	return p
}

// line logs a line.
func (p *progress) line(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	p.lines = append(p.lines, fmt.Sprintf("%8.1f s  %s", time.Since(p.start).Seconds(), text))
	if p.bar != nil {
		_ = p.bar.Clear() // an error affects only the display
	}
	fmt.Fprintln(p.w, text)
	p.said = time.Now()
}

// event is encoder.Options.Progress.
func (p *progress) event(e encoder.Event) {
	if e.Message != "" {
		p.line("%s", e.Message)
		return
	}
	left := "" // while it is unknown, and at the end
	if d := e.Remaining.Round(time.Second); d > 0 {
		left = fmt.Sprintf(", %s left", d)
	}
	if e.Saved == nil && p.bar == nil && (time.Since(p.said) > silence || e.Epoch == e.Epochs) {
		p.line("epoch %d of %d: loss %.4f%s", e.Epoch, e.Epochs, e.Loss, left)
	}
	if s := e.Saved; s != nil {
		text := fmt.Sprintf("epoch %d of %d: loss %.4f, Davies–Bouldin index %.4f%s", e.Epoch, e.Epochs, e.Loss, s.DaviesBouldin, left)
		if p.bar == nil {
			p.line("%s", text)
		} else {
			p.lines = append(p.lines, fmt.Sprintf("%8.1f s  %s", time.Since(p.start).Seconds(), text))
		}
	}
	if p.bar != nil {
		p.bar.ChangeMax(e.Epochs)
		p.bar.Describe(fmt.Sprintf("loss %.4f%s", e.Loss, left))
		_ = p.bar.Set(e.Epoch)
	}
}

// close finishes the bar. It may be called twice.
func (p *progress) close() {
	if p.bar != nil {
		_ = p.bar.Finish()
		p.bar = nil
	}
}
