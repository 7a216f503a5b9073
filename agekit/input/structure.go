package input

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/rng"
	"github.com/agekit/age/internal/system"
)

// oneHotMost is the largest number of nodes for which each node gets a feature of its own. In larger
// graphs the features are positions eigenvectors.
const oneHotMost, positions = 2000, 64

// exactPositions is the number of positions that are exact eigenvectors. The others have residuals of up
// to 10⁻³: as places in the graph they are as good, and take a fraction of the time where eigenvalues are
// close, as on a map of counties.
const exactPositions = 1

// structure returns features x that are made from the edges of a graph, whose adjacency matrix is a;
// their names, nil for one-hot features; and a note that says which they are. Up to 2,000 nodes, X is
// the unit matrix: each node has a feature of its own, which smoothing spreads over the neighborhood.
// Larger graphs get each node's place: the 64 eigenvectors of (D + I)^-½(A + I)(D + I)^-½ with the
// largest eigenvalues, all but the first with residuals of up to 10⁻³, scaled to mean square 1, and
// ln(1 + degree), standardized.
func structure(ctx context.Context, a *graph.CSR) (x graph.Features, names []string, note string, err error) {
	n := a.Rows
	if n <= oneHotMost {
		m := &graph.CSR{Rows: n, Cols: n, Indptr: make([]int, n+1), Indices: make([]int32, n)}
		for i := range n {
			m.Indptr[i+1], m.Indices[i] = i+1, int32(i)
		}
		return graph.Features{Sparse: m}, nil, "each node has one of its own (one-hot)", nil
	}
	scale := make([]float64, n) // 1/√(1 + degree), where the degree is the sum of the weights
	for i := range n {
		scale[i] = 1
		for _, w := range a.Each(i) {
			scale[i] += float64(w)
		}
		scale[i] = 1 / math.Sqrt(scale[i])
	}
	normalized := linalg.NewOperator(n, func(ctx context.Context, dst, x blas64.General) error {
		return mulNormalized(ctx, dst, a, scale, x)
	})
	_, vectors, err := linalg.LeadingEigenvectors(ctx, normalized, exactPositions, linalg.LeadingOptions{Rough: positions - exactPositions}, rng.New(0, rng.Only))
	if err != nil {
		return x, nil, "", fmt.Errorf("features from the graph's structure: %w", err)
	}
	dense := blas32.General{Rows: n, Cols: positions + 1, Stride: positions + 1, Data: make([]float32, n*(positions+1))}
	for i := range n {
		row := dense.Data[i*dense.Stride:][:dense.Cols]
		for j := range positions {
			row[j] = float32(vectors.Data[i*vectors.Stride+j] * math.Sqrt(float64(n)))
		}
		row[positions] = float32(math.Log(float64(1 + a.Indptr[i+1] - a.Indptr[i])))
	}
	dense = linalg.Standardize(dense, dense, positions)
	for j := range positions {
		names = append(names, positionName(j))
	}
	note = fmt.Sprintf("each node has its place in the graph, %d eigenvectors, and its degree", positions)
	return graph.Features{Dense: &dense}, append(names, "degree"), note, nil
}

// positionName returns the name of feature j among the positions.
func positionName(j int) string { return fmt.Sprintf("position %d", j+1) }

// OfStructure reports whether the features of a graph are those that are made from its edges because it
// has none of its own: positions, which are known by their names, or the unit matrix.
func OfStructure(g *graph.Graph) bool {
	if g.FeatureNames != nil {
		return len(g.FeatureNames) == positions+1 && g.FeatureNames[0] == positionName(0)
	}
	m := g.Features.Sparse
	if m == nil || m.Rows != m.Cols || m.Rows > oneHotMost {
		return false
	}
	if m.NNZ() != m.Rows || m.Values != nil { // Values is nil if all are 1
		return false
	}
	for i, j := range m.Indices {
		if m.Indptr[i] != i || int(j) != i {
			return false
		}
	}
	return true
}

// mulNormalized sets dst to (D + I)^-½(A + I)(D + I)^-½·x, where A is a and D has its degrees. Scale is
// the diagonal of (D + I)^-½.
func mulNormalized(ctx context.Context, dst blas64.General, a *graph.CSR, scale []float64, x blas64.General) error {
	for i := range a.Rows {
		if i&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		y := dst.Data[i*dst.Stride:][:dst.Cols]
		row := x.Data[i*x.Stride:][:x.Cols]
		for c := range y {
			y[c] = scale[i] * scale[i] * row[c]
		}
		for j, weight := range a.Each(i) {
			w := scale[i] * scale[j] * float64(weight)
			from := x.Data[j*x.Stride:][:x.Cols]
			for c := range y {
				y[c] += w * from[c]
			}
		}
	}
	return nil
}

// joinNearest sets the features of l from the table of nodes and the matrix, of which there is one at
// least, and then the adjacency matrix: each node is joined to the s.Neighbors nodes with the nearest
// features.
func (l *Data) joinNearest(ctx context.Context, s Source, nodes *table.Table, matrix graph.Features, ids *idTable) error {
	if l.Recipe == nil && s.Features == "" {
		return message.Errorf("%s: no column becomes features, by which %s would compare the nodes", s.Nodes, sourceNeighbors)
	}
	if err := l.makeFeatures(ctx, s, nodes, matrix); err != nil {
		return err
	}
	g, k := l.Graph, s.Neighbors
	n, _ := g.Features.Dims()
	if k >= n {
		return message.Errorf("%s is %d: want at most %d, since there are %d nodes", sourceNeighbors, k, n-1, n)
	}
	l.Nearest = k
	found, err := l.nearest(ctx, g.Features, nil)
	if err != nil {
		return err
	}
	if g.Adjacency, err = graph.Adjacency(n, found.U, found.V, nil); err != nil {
		return err
	}
	g.ListedEdges = g.Edges()
	if found.Tied > 0 {
		first := strconv.Itoa(found.First)
		if ids != nil {
			first = ids.names()[found.First]
		}
		l.warnOfTies(found, k, first)
	}
	l.Note("each of the %d nodes is joined to its %d nearest by features: %d edges", n, k, g.Edges())
	return nil
}

// nearest returns edges (u, v) to the nodes with the nearest features: from each node to its r.Nearest
// others among the old nodes, whose features are old. If added is not nil, it has the features of new
// nodes, whose numbers follow; then the edges are those from each new node to the r.Nearest old ones.
func (r Reading) nearest(ctx context.Context, old graph.Features, added *graph.Features) (found graph.Nearest, err error) {
	n, f := old.Dims()
	first, addedRows := 0, 0 // the first node with edges, and how many nodes are new
	if added != nil {
		first = n
		addedRows, _ = added.Dims()
	}
	if err := system.CheckMemory("the features as a dense matrix, to find the nearest rows", 4*float64(n+addedRows)*float64(f)); err != nil {
		return found, err
	}
	const perEdge = 24 // bytes: two ends, and a neighbor with its distance
	if err := system.CheckMemory("the edges to the nearest rows", perEdge*float64(n+addedRows-first)*float64(r.Nearest)); err != nil {
		return found, err
	}
	from := 0            // the first feature that is standardized here
	if r.Recipe != nil { // whose features are standardized already
		from = r.Recipe.Width()
	}
	x := old.ToDense() // by whose means and deviations all rows are standardized
	among := linalg.Standardize(x, x, from)
	rows := among
	if added != nil {
		rows = linalg.Standardize(added.ToDense(), x, from)
	}
	found, err = graph.NearestEdges(ctx, rows, among, r.Nearest)
	for e := range found.U {
		found.U[e] += int32(first)
	}
	return found, err
}

// warnOfTies adds a warning if many nodes have more than k nearest ones, at the same distance: which of them are
// joined then says nothing. first is the id of the first.
func (l *Data) warnOfTies(found graph.Nearest, k int, first string) {
	const many = 0.1 // of the nodes
	n := l.Graph.N()
	if float64(found.Tied) < many*float64(n) {
		return
	}
	m := message.Sprintf("of %d nodes, such as %s, more than %d others are equally near, as equal rows are: %d of these are joined, spread evenly", found.Tied, message.Quote(first), k, k)
	l.Warnings = append(l.Warnings, m.Advise("a larger %s joins more", sourceNeighbors, ""))
}
