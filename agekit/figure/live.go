package figure

import (
	"fmt"
	"html"
	"io"
	"os"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
)

// Live is a place in the output of a notebook's cell that shows the state of
// a long call: one line of text and figures under it, each state in place of
// the one before. Outside a notebook it prints the lines on standard error.
// A Live is for one goroutine.
type Live struct {
	id     string
	last   time.Time
	stderr io.Writer
}

// liveInterval is the shortest time between two states that are shown: more
// would only keep the page busy.
const liveInterval = 250 * time.Millisecond

// NewLive returns a Live, which shows nothing yet.
func NewLive() *Live {
	l := &Live{stderr: os.Stderr}
	if gonbui.IsNotebook {
		l.id = "live_" + gonbui.UniqueId()
	}
	return l
}

// Update shows a state, unless the one before is less than a quarter of
// a second old.
func (l *Live) Update(line string, figures ...*Figure) error {
	if time.Since(l.last) < liveInterval {
		return nil
	}
	return l.show(line, figures)
}

// Done shows the last state, which stays in the saved page.
func (l *Live) Done(line string, figures ...*Figure) error {
	if err := l.show(line, figures); err != nil {
		return err
	}
	gonbui.Sync()
	return nil
}

func (l *Live) show(line string, figures []*Figure) error {
	l.last = time.Now()
	if !gonbui.IsNotebook {
		_, err := fmt.Fprintln(l.stderr, clean(line))
		return err
	}
	state, err := liveHTML(line, figures)
	if err != nil {
		return err
	}
	gonbui.UpdateHTML(l.id, state)
	return gonbui.Error()
}

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
