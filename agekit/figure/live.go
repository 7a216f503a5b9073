package figure

import (
	"fmt"
	"html"
	"io"
	"os"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
)

// Live is a place in a notebook cell's output that shows the state of a long call: one
// line of text with figures below it. Each state replaces the previous one. Outside a
// notebook, Live prints the lines on standard error. The zero value is ready to use and shows
// nothing yet. Only one goroutine may use a Live at a time.
type Live struct {
	id     string    // of the Live's place in the output, or empty before the first state
	last   time.Time // when the last state was shown
	stderr io.Writer // os.Stderr if nil
}

// liveInterval is the least time between two states: more would keep the page busy.
const liveInterval = 250 * time.Millisecond

// Update shows a state, or nothing if the previous state was shown less than liveInterval ago.
func (l *Live) Update(line string, figures ...*Figure) error {
	if time.Since(l.last) < liveInterval {
		return nil
	}
	return l.show(line, figures)
}

// Done shows the final line, and below it the figures as [Figure.Show] does.
// They remain in the saved page.
func (l *Live) Done(line string, figures ...*Figure) error {
	if err := l.show(line, nil); err != nil {
		return err
	}
	for _, f := range figures {
		if err := f.Show(); err != nil {
			return err
		}
	}
	gonbui.Sync()
	return nil
}

// show shows the line with the figures, or only prints the line to standard error outside a
// notebook. It notes the time in l, and gives l a place in the output the first time.
func (l *Live) show(line string, figures []*Figure) error {
	l.last = time.Now()
	if !gonbui.IsNotebook {
		if l.stderr == nil {
			l.stderr = os.Stderr
		}
		_, err := fmt.Fprintln(l.stderr, clean(line))
		return err
	}
	state, err := liveHTML(line, figures)
	if err != nil {
		return err
	}
	if l.id == "" {
		afterText() // the place begins below the text printed so far
		l.id = "live_" + gonbui.UniqueId()
	}
	gonbui.UpdateHTML(l.id, state)
	return gonbui.Error()
}

// liveHTML returns the HTML of a line with figures below it, or the error of a figure.
func liveHTML(line string, figures []*Figure) (string, error) {
	state := `<div style="font-family:monospace">` + html.EscapeString(clean(line)) + "</div>"
	for _, f := range figures {
		element, err := f.html()
		if err != nil {
			return "", err
		}
		state += element
	}
	return state, nil
}
