package reproduce

// This part shows downloads of data sets, and the reading of large files, to users
// of a program or a notebook.

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/agekit/age/agekit/dataset"
)

// ShowDownloads returns a function that draws a progress bar for each file on a terminal,
// or else writes a line for each, and a line for each note.
func ShowDownloads(w io.Writer) func(dataset.Progress) {
	terminal := false
	if f, ok := w.(*os.File); ok {
		info, err := f.Stat()
		terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	var last dataset.Progress
	var bar *progressbar.ProgressBar
	return func(p dataset.Progress) {
		if p.Note != "" {
			fmt.Fprintln(w, p.Note)
			return
		}
		// Each event but the first of a download tells of more bytes.
		first := p.File != last.File || p.Have <= last.Have
		switch last = p; {
		case first && terminal:
			bar = progressbar.NewOptions64(p.Size, progressbar.OptionSetDescription(p.File), progressbar.OptionSetWriter(w),
				progressbar.OptionShowBytes(true), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionFullWidth(),
				progressbar.OptionOnCompletion(func() { fmt.Fprintln(w) }))
		case first:
			size := "an unknown number of"
			if p.Size >= 0 {
				size = fmt.Sprint(p.Size)
			}
			if p.Reading {
				fmt.Fprintf(w, "reading %s: %s bytes\n", p.File, size)
			} else {
				fmt.Fprintf(w, "downloading %s: have %d of %s bytes\n", p.File, p.Have, size)
			}
		}
		if terminal {
			bar.Set64(p.Have) // its only error, too many bytes, is caught by the pin
		}
	}
}
