package cell

import (
	"cmp"
	"fmt"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/internal/progress"
)

// Live shows in a cell how far a long call is. The zero value has shown nothing yet.
type Live struct {
	figure.Live
	Epochs int64 // of the training, once an epoch was shown
	losses figure.Series
}

// Training shows an event of a training: a line that stays, or the curve of the losses of all epochs so far, which
// begins at the second. What is under way before and after it is not shown: it would stay in the notebook.
func (l *Live) Training(e encoder.Event) {
	if e.Line != "" {
		l.Event(e.Event)
		return
	}
	if e.Stage != encoder.Training {
		return
	}
	l.Epochs = e.Total
	l.losses.X, l.losses.Y = append(l.losses.X, float64(e.Done)), append(l.losses.Y, e.Loss) // a resumed training begins late
	e.Detail = fmt.Sprintf("epoch %d of %d, loss %.4f", e.Done, e.Total, e.Loss)
	if len(l.losses.Y) > 1 {
		l.Event(e.Event, figure.Lines("Loss", "epoch", "loss", l.losses))
	}
}

// Event shows an event. If it has a line, Event prints that, and it stays. Otherwise the event says how far
// the call is, which is shown in one place in turn, with figures below.
func (l *Live) Event(e progress.Event, figures ...*figure.Figure) {
	timeLeft := progress.Left(e.Left)
	if e.Line != "" {
		fmt.Println(e.Line + timeLeft)
		return
	}
	Check(l.Update(cmp.Or(e.Detail, e.Stage)+timeLeft, figures...))
}
