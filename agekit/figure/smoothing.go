package figure

import (
	"fmt"
	"math"
	"slices"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"gonum.org/v1/gonum/mat"
)

// Signal is a named signal on the nodes of a graph: X[i] is the number of node i. If X is nil,
// a SmoothingExplorer shows the classes of the nodes instead.
type Signal struct {
	Name string
	X    []float64
}

// fewLayers is where the axis of a SmoothingExplorer ends unless the caller says otherwise.
const fewLayers = 12

// SmoothingExplorer draws the graph d, whose nodes have the color of a signal's
// values, with a slider for the number of layers t of the filter H = I − k·L̃sym
// (paper, §3.3), one for k, and a choice among the signals. The thicker an edge, the
// more it contributes to the Rayleigh quotient, which is a sum over the edges.
// Beside the graph stands the Rayleigh quotient after each layer. Clicks on nodes
// make a signal of the reader's own. L̃sym is that of the drawn graph, even if the drawn
// graph is a part of a larger one. The figure starts with the first signal and with the k
// and t of start. Its slider goes to t = 12, or to the number of layers in most. The fragment
// holds an error if start is out of range or a signal is not finite, and SmoothingExplorer
// panics if a signal does not have one value per node.
func SmoothingExplorer(title string, d Drawing, signals []Signal, start Response, most ...int) Fragment {
	layers := slices.Max(append([]int{fewLayers}, most...))
	if err := checkSmoothing(d, signals, start, layers); err != nil {
		return refused("%w", err)
	}
	drawn := nodesAndEdges{Drawing: d}
	op := d.operator()
	if x := signals[0].X; x != nil {
		drawn.values = start.SmoothSignal(op, x)
		drawn.edgeShares = d.edgeShares(op.Scale(), drawn.values)
	}
	return explorer{
		name: "smoothing", title: title, needs: filterScript,
		data: map[string]any{
			"Title": title, "Graph": d.rounded(), "Laplacian": sparseRows(op.Dense()), "Scale": op.Scale(),
			"Signals": signals, "K": start.K, "Layers": start.Layers, "MostLayers": layers,
		},
		still: drawn.figure(title),
		text:  fmt.Sprintf("%s: %d nodes, %d edges\n", title, len(d.X), len(d.Edges)),
	}.fragment()
}

// checkSmoothing returns an error that says what is wrong with the arguments of a
// SmoothingExplorer whose slider goes to t = most, or nil. It panics if a signal does not have one value per node.
func checkSmoothing(d Drawing, signals []Signal, start Response, most int) error {
	switch {
	case len(signals) == 0:
		return errNoData
	case !isSliderK(start.K) || start.Layers < 0 || start.Layers > most:
		return fmt.Errorf("start with k = %v and t = %d: want k from 0.05 to 1.5 and t from 0 to %d", start.K, start.Layers, most)
	}
	for _, s := range signals {
		require(s.X == nil || len(s.X) == len(d.X), "signal %q has %d values: want %d", s.Name, len(s.X), len(d.X))
		switch {
		case s.X == nil && d.Classes == nil:
			return fmt.Errorf("signal %q: the nodes have no classes to show", s.Name)
		case s.X == nil:
			continue
		case !finite(s.X...) || !slices.ContainsFunc(s.X, func(v float64) bool { return v != 0 }):
			return fmt.Errorf("signal %q: want finite values that are not all 0", s.Name)
		}
	}
	return nil
}

// isSliderK reports whether the slider for k in an explorer with a drawn graph reaches k.
func isSliderK(k float64) bool { return k >= 0.05 && k <= 1.5 }

// operator returns L̃sym of the graph that d draws.
func (d Drawing) operator() *laplacian.Operator {
	var u, v []int32
	for _, e := range d.Edges {
		u, v = append(u, int32(e[0])), append(v, int32(e[1]))
	}
	adjacency, err := graph.Adjacency(len(d.X), u, v, nil)
	require(err == nil, "%v", err)
	return laplacian.New(adjacency)
}

// sparseRows returns the rows of m as ui.times in scripts/filter.js reads them: column, value,
// column, value, … of the entries that are not 0, and of the diagonal.
func sparseRows(m mat.Symmetric) [][]float64 {
	n := m.SymmetricDim()
	rows := make([][]float64, n)
	for i := range n {
		for j := range n {
			if v := m.At(i, j); v != 0 || i == j {
				rows[i] = append(rows[i], float64(j), v)
			}
		}
	}
	return rows
}

// edgeShares returns what each edge contributes to the Rayleigh quotient of the signal x, as
// a share of the largest contribution. scale is the diagonal of D̃^-½.
func (d Drawing) edgeShares(scale, x []float64) []float64 {
	shares := make([]float64, len(d.Edges))
	largest := 0.0
	for k, e := range d.Edges {
		difference := scale[e[0]]*x[e[0]] - scale[e[1]]*x[e[1]]
		shares[k] = difference * difference
		largest = max(largest, shares[k])
	}
	for k := range shares {
		shares[k] /= max(largest, math.SmallestNonzeroFloat64)
	}
	return shares
}
