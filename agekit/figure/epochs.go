package figure

import (
	"fmt"
	"slices"

	"github.com/agekit/age/internal/interactive"
	"gonum.org/v1/gonum/mat"
)

// Epochs is what an [EpochsExplorer] shows of a training.
type Epochs struct {
	Loss   []float64 // of epochs 1, 2, …
	Saved  []int     // epochs whose embedding was scored
	Index  []float64 // their Davies–Bouldin index
	Chosen int       // the epoch with the lowest index
	// At are the epochs of Maps, in increasing order. A map has a row for each
	// node with its place in the plane, the same plane for all epochs.
	At   []int
	Maps []*mat.Dense
	// Colorings are what the points can be colored by, one number per node.
	Colorings []Coloring
}

// Coloring gives each node a number, and each number a name.
type Coloring struct {
	Name   string
	Labels []int
	Names  []string
}

// EpochsExplorer draws the loss and the Davies–Bouldin index over the epochs of a
// training, with a slider that moves a mark along both curves and shows the map
// of the embedding at that epoch. Between the epochs of two maps, points move
// along straight lines.
func EpochsExplorer(title string, e Epochs) Fragment {
	if err := e.check(); err != nil {
		return refused("epochs: %w", err)
	}
	var x, y []float64 // of one map after the other
	for _, m := range e.Maps {
		x, y = append(x, mat.Col(nil, 0, m)...), append(y, mat.Col(nil, 1, m)...)
	}
	onX, onY := interactive.Grid(x, y)
	var lowest Series
	for k, epoch := range e.Saved {
		lowest.X, lowest.Y = append(lowest.X, float64(epoch)), append(lowest.Y, e.Index[k])
	}
	chosen := fmt.Sprintf("chosen: epoch %d", e.Chosen)
	return explorer{
		name: "epochs", title: title,
		data: map[string]any{
			"Loss": rounded(e.Loss, 5), "Index": rounded(e.Index, 5), "Saved": e.Saved, "Chosen": e.Chosen,
			"At": e.At, "X": onX, "Y": onY, "Colorings": e.Colorings,
		},
		still: Row(Lines(title, "epoch", "loss", Series{Name: "loss", Y: e.Loss}).VLine(float64(e.Chosen), chosen),
			Lines("Davies–Bouldin index", "epoch", "index", lowest).VLine(float64(e.Chosen), chosen)),
		text: fmt.Sprintf("%s: loss %.4g at first, %.4g at last; %s\n", title, e.Loss[0], e.Loss[len(e.Loss)-1], chosen),
	}.fragment()
}

func (e Epochs) check() error {
	if len(e.Loss) == 0 || len(e.Maps) == 0 || len(e.Colorings) == 0 {
		return errNoData
	}
	require(len(e.At) == len(e.Maps) && len(e.Saved) == len(e.Index), "%d maps of %d epochs, %d indices of %d: want equal numbers", len(e.Maps), len(e.At), len(e.Index), len(e.Saved))
	n, _ := e.Maps[0].Dims()
	for _, m := range e.Maps {
		r, c := m.Dims()
		require(r == n && c == 2, "a map is %d×%d: want %d×2", r, c, n)
		if !finite(m.RawMatrix().Data...) {
			return fmt.Errorf("want finite places")
		}
	}
	for _, c := range e.Colorings {
		require(len(c.Labels) == n && slices.Max(c.Labels) < len(c.Names), "coloring %q has %d labels and %d names for %d nodes", c.Name, len(c.Labels), len(c.Names), n)
	}
	if !finite(e.Loss...) || !finite(e.Index...) || slices.Min(e.Loss) < 0 {
		return fmt.Errorf("want finite losses, not negative, and finite indices")
	}
	return nil
}
