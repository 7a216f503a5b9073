package figure

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/graph/path"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/stat"

	"github.com/agekit/age/internal/rng"
)

// Drawing is a small graph, laid out in the plane.
type Drawing struct {
	// X and Y are the places of the nodes, from 0 to 1. Y grows upward.
	X, Y []float64
	// Edges are pairs of nodes.
	Edges [][2]int
	// Names are the names of the nodes, shown when a reader points at one; or nil.
	Names []string
	// Classes[i] is the class of node i, and ClassNames[c] the name of class c. Both may
	// be nil.
	Classes    []int
	ClassNames []string
}

// Draw returns a layout of the connected graph with nodes 0 to n−1 and the given edges: the
// distance of two nodes in the plane is as close as it can be to the length of the shortest
// path between them (Gansner, Koren and North, "Graph Drawing by Stress Majorization", 2004).
// The same graph always gives the same drawing. Draw takes about n³ steps, and is meant
// for a few hundred nodes at most. It panics if the graph is not connected.
func Draw(n int, edges [][2]int) Drawing {
	const rounds = 400     // enough for the places to settle
	const apartness = 1e-6 // the least distance to divide by: nodes may be at the same place
	distance := shortestPaths(n, edges)
	rnd := rng.New(1, rng.Only)
	x, y := make([]float64, n), make([]float64, n)
	for i := range n {
		x[i], y[i] = rnd.Float64(), rnd.Float64()
	}
	for range rounds {
		for i := range n {
			var sumX, sumY, weights float64
			for j := range n {
				if i == j {
					continue
				}
				// Node j wants node i at distance d, in the direction where i is now. A pair
				// at path length d weighs 1/d², so that errors count relative to d.
				d := distance[i*n+j]
				w := 1 / (d * d)
				dx, dy := x[i]-x[j], y[i]-y[j]
				scale := d / max(math.Hypot(dx, dy), apartness)
				sumX += w * (x[j] + scale*dx)
				sumY += w * (y[j] + scale*dy)
				weights += w
			}
			if weights > 0 {
				x[i], y[i] = sumX/weights, sumY/weights
			}
		}
	}
	x, y = turnAndScale(x, y)
	return Drawing{X: x, Y: y, Edges: edges}
}

// shortestPaths returns the lengths of the shortest paths between all nodes: entry i*n+j is
// that from node i to node j. It panics if there is no path between two nodes.
func shortestPaths(n int, edges [][2]int) []float64 {
	g := simple.NewUndirectedGraph()
	for i := range n {
		g.AddNode(simple.Node(i))
	}
	for _, e := range edges {
		g.SetEdge(simple.Edge{F: simple.Node(e[0]), T: simple.Node(e[1])})
	}
	paths, d := path.DijkstraAllPaths(g), make([]float64, n*n)
	for k := range d {
		d[k] = paths.Weight(int64(k/n), int64(k%n))
	}
	require(!slices.Contains(d, math.Inf(1)), "the graph to draw is not connected")
	return d
}

// turnAndScale returns the places x, y turned so that they vary most along x, and scaled to
// the range from 0 to 1 on both axes. Figures are wider than high, so the height is stretched
// up to the whole range where it is leastHeight of the width or more. A flatter drawing is
// stretched no further, and stays in the middle of the range.
func turnAndScale(x, y []float64) (along, across []float64) {
	const leastHeight = 0.75
	n := len(x)
	meanX, meanY := stat.Mean(x, nil), stat.Mean(y, nil)
	var xx, xy, yy float64
	for i := range n {
		dx, dy := x[i]-meanX, y[i]-meanY
		xx, xy, yy = xx+dx*dx, xy+dx*dy, yy+dy*dy
	}
	sin, cos := math.Sincos(math.Atan2(2*xy, xx-yy) / 2) // of the principal axis's angle
	along, across = make([]float64, n), make([]float64, n)
	for i := range n {
		dx, dy := x[i]-meanX, y[i]-meanY
		along[i], across[i] = cos*dx+sin*dy, cos*dy-sin*dx
	}
	width := max(slices.Max(along)-slices.Min(along), 1e-9) // above 0, also for a single node
	height := max(slices.Max(across)-slices.Min(across), leastHeight*width)
	centerX, centerY := (slices.Max(along)+slices.Min(along))/2, (slices.Max(across)+slices.Min(across))/2
	for i := range n {
		along[i] = 0.5 + (along[i]-centerX)/width
		across[i] = 0.5 + (across[i]-centerY)/height
	}
	return along, across
}

// rounded returns d with its places rounded to four digits, which are enough for a screen.
func (d Drawing) rounded() Drawing {
	d.X, d.Y = rounded(d.X, 4), rounded(d.Y, 4)
	return d
}
