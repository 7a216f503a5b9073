// Package bar shows progress to users of a program or a notebook.
package bar

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/progress"
)

// Bar is a view with a bar on a terminal; elsewhere it writes the lines alone. Each file that is
// read or downloaded has a bar of its own, which stays.
type Bar struct {
	w    io.Writer
	bar  *progressbar.ProgressBar // nil elsewhere than on a terminal
	file *progressbar.ProgressBar // of the file that is read or downloaded; nil before the first
}

// New returns a view that writes to w.
func New(w io.Writer) *Bar {
	b := &Bar{w: w}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		b.bar = progressbar.NewOptions(1, progressbar.OptionSetWriter(w), progressbar.OptionSetPredictTime(false),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(30))
	}
	return b
}

// Show implements [progress.View].
func (b *Bar) Show(e progress.Event) {
	switch {
	case b.bar != nil && e.Bytes:
		b.showBytes(e)
	case e.Line != "":
		if b.bar != nil {
			_ = b.bar.Clear() // an error affects only the display
		}
		fmt.Fprintln(b.w, message.Printable(e.Line))
	case b.bar != nil && e.Total > 0:
		about := e.Detail
		if about == "" {
			about = e.Stage
		}
		b.bar.ChangeMax64(e.Total)
		b.bar.Describe(about)
		_ = b.bar.Set64(e.Done)
	}
}

// showBytes moves the bar of a file, which it creates at the file's first event.
func (b *Bar) showBytes(e progress.Event) {
	if e.Line != "" { // the file's first event
		size := e.Total
		if size == 0 {
			size = -1 // unknown, for progressbar
		}
		b.file = progressbar.NewOptions64(size, progressbar.OptionSetDescription(e.Detail), progressbar.OptionSetWriter(b.w),
			progressbar.OptionShowBytes(true), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionFullWidth(),
			progressbar.OptionOnCompletion(func() { fmt.Fprintln(b.w) }))
	}
	if b.file != nil {
		_ = b.file.Set64(e.Done) // its only error, too many bytes, is caught by the file's reader
	}
}

// Moves implements [progress.View].
func (b *Bar) Moves() bool { return b.bar != nil }

// Close implements [progress.View].
func (b *Bar) Close() {
	if b.bar != nil {
		_ = b.bar.Finish()
		b.bar = nil
	}
}
