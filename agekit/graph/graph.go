package graph

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"math"
	"slices"
	"strconv"
	"unsafe"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/system"
)

// Features is the feature matrix X, n×f. Exactly one of Sparse and Dense is set.
type Features struct {
	Sparse *CSR
	Dense  *blas32.General
}

// Dims returns the number of rows n and of features f.
func (x Features) Dims() (n, f int) {
	if x.Sparse != nil {
		return x.Sparse.Rows, x.Sparse.Cols
	}
	if x.Dense != nil {
		return x.Dense.Rows, x.Dense.Cols
	}
	return 0, 0
}

// NNZ returns the number of stored entries: all of them for a dense matrix.
func (x Features) NNZ() int {
	if x.Sparse != nil {
		return x.Sparse.NNZ()
	}
	n, f := x.Dims()
	return n * f
}

// nonZeros returns the number of entries of row i that are not 0.
func (x Features) nonZeros(i int) int {
	count := 0
	x.EachInRow(i, func(int, float32) { count++ })
	return count
}

// At returns the entry of row i and column j, in O(log) of the row's entries if X is sparse.
func (x Features) At(i, j int) float32 {
	if m := x.Dense; m != nil {
		return m.Data[i*m.Stride+j]
	}
	return x.Sparse.At(i, j)
}

// EachInRow calls visit with the column and the value of row i's entries that are not
// 0, in increasing order of the columns.
func (x Features) EachInRow(i int, visit func(column int, value float32)) {
	if m := x.Dense; m != nil {
		for j, v := range m.Data[i*m.Stride : i*m.Stride+m.Cols] {
			if v != 0 {
				visit(j, v)
			}
		}
	} else if x.Sparse != nil {
		for j, v := range x.Sparse.Each(i) {
			if v != 0 {
				visit(j, v)
			}
		}
	}
}

// ToDense returns X as a dense matrix: the one stored, or a new one.
func (x Features) ToDense() blas32.General {
	if x.Dense != nil {
		return *x.Dense
	}
	return x.Sparse.Dense()
}

// Graph is an attributed graph of n nodes, numbered 0 to n−1.
type Graph struct {
	// Name is the data set's name, used in results and messages.
	Name string
	// Catalogue is the name of the data set that package dataset loaded, by which
	// the paper's settings apply (package paper); empty for any other graph.
	Catalogue string
	// Adjacency is A, n×n: symmetric, without self loops, binary (nil values) or with
	// positive weights.
	Adjacency *CSR
	// Features is X, n×f.
	Features Features
	// Labels holds each node's class, 0 to Classes−1 or [Unknown], or is nil if no
	// label is known. They are used only for scoring, which leaves out unknown nodes.
	Labels []int
	// Classes is the number of classes, the default number of clusters; 0 if unknown.
	Classes int
	// ClassNames, NodeNames and FeatureNames are nil or have Classes, n and f entries.
	ClassNames, NodeNames, FeatureNames []string
	// ListedEdges is the number of edges that the source lists, with duplicates and
	// self loops: what the paper's Table 1 counts.
	ListedEdges int
}

// Unknown is the label of a node whose class is unknown.
const Unknown = -1

// N returns the number of nodes.
func (g *Graph) N() int { return g.Adjacency.Rows }

// Edges returns the number of distinct undirected edges.
func (g *Graph) Edges() int { return g.Adjacency.NNZ() / 2 }

// Degree returns the number of neighbors of node i.
func (g *Graph) Degree(i int) int { return g.Adjacency.Indptr[i+1] - g.Adjacency.Indptr[i] }

// Adjacency builds the n×n adjacency matrix of the undirected graph with the edges (u[k],
// v[k]). It drops self loops, and counts an edge listed several times or in both directions
// once. With weights w (nil for a binary graph), such an edge keeps its largest.
//
// It returns an error that names the first edge (by its index k) with an endpoint outside
// 0..n−1 or a weight that is not positive and finite, or one about the memory that the
// matrix needs if there is not enough.
func Adjacency(n int, u, v []int32, w []float32) (*CSR, error) {
	if len(u) != len(v) || (w != nil && len(w) != len(u)) {
		panic(fmt.Sprintf("graph: %d sources, %d targets, %d weights", len(u), len(v), len(w)))
	}
	for k := range u {
		for _, end := range [2]int32{u[k], v[k]} {
			if end < 0 || int(end) >= n {
				return nil, fmt.Errorf("edge %d: node %d, want 0 to %d", k, end, n-1)
			}
		}
		if w != nil && !(w[k] > 0 && !math.IsInf(float64(w[k]), 1)) {
			return nil, fmt.Errorf("edge %d: weight %v, want a positive finite number", k, w[k])
		}
	}
	entry := 4. // bytes of an entry: its column and, with weights, its value
	if w != nil {
		entry = 8
	}
	if err := system.CheckMemory(fmt.Sprintf("adjacency matrix of %d nodes and %d edges", n, len(u)), 16*float64(n)+2*entry*float64(len(u))); err != nil {
		return nil, err
	}
	m := &CSR{Rows: n, Cols: n, Indptr: make([]int, n+1)}
	for k := range u {
		if u[k] != v[k] {
			m.Indptr[u[k]+1]++
			m.Indptr[v[k]+1]++
		}
	}
	for i := range n {
		m.Indptr[i+1] += m.Indptr[i]
	}
	total := m.Indptr[n] // entries, two for each edge
	m.Indices = make([]int32, total)
	if w != nil {
		m.Values = make([]float32, total)
	}
	next := slices.Clone(m.Indptr[:n]) // where the next entry of each row goes
	// put stores edge k as the entry of row i and column j.
	put := func(i, j int32, k int) {
		m.Indices[next[i]] = j
		if w != nil {
			m.Values[next[i]] = w[k]
		}
		next[i]++
	}
	for k := range u {
		if u[k] != v[k] {
			put(u[k], v[k], k)
			put(v[k], u[k], k)
		}
	}
	m.sortRows()
	m.merge(func(a, b float32) float32 { return max(a, b) })
	return m, nil
}

// Validate reports the first property of g that this module's algorithms do not accept:
// inconsistent sizes, an adjacency matrix that is not symmetric or has self loops or
// weights that are not positive, features that are NaN or infinite, or labels out of range.
func (g *Graph) Validate() error {
	if err := g.validate(); err != nil {
		return fmt.Errorf("graph %q: %w", g.Name, err)
	}
	return nil
}

// validate is Validate without the graph's name.
func (g *Graph) validate() error {
	if g.Adjacency == nil || g.Adjacency.Rows != g.Adjacency.Cols {
		return fmt.Errorf("adjacency: want a square matrix")
	}
	if err := g.Adjacency.Validate(); err != nil {
		return fmt.Errorf("adjacency: %w", err)
	}
	n := g.N()
	if n == 0 {
		return fmt.Errorf("no nodes")
	}
	if err := g.Adjacency.validateUndirected(); err != nil {
		return fmt.Errorf("adjacency: %w", err)
	}
	if rows, _ := g.Features.Dims(); rows != n {
		return fmt.Errorf("features have %d rows for %d nodes", rows, n)
	}
	var err error
	if x := g.Features; x.Sparse != nil {
		err = x.Sparse.Validate()
	} else {
		err = linalg.CheckFinite(linalg.From32(*x.Dense))
	}
	if err != nil {
		return fmt.Errorf("features: %w", err)
	}
	if g.Labels != nil && len(g.Labels) != n {
		return fmt.Errorf("%d labels for %d nodes", len(g.Labels), n)
	}
	for i, l := range g.Labels {
		if (l < 0 || l >= g.Classes) && l != Unknown {
			return fmt.Errorf("label of node %d is %d, want 0 to %d, or %d for an unknown one", i, l, g.Classes-1, Unknown)
		}
	}
	return nil
}

// Fingerprint returns the SHA-256 of everything in g that a computation can depend on
// (edges, weights, features, labels), in hexadecimal: a key of stored results.
func (g *Graph) Fingerprint() string {
	h := sha256.New()
	hashCSR(h, g.Adjacency)
	if g.Features.Sparse != nil {
		hashCSR(h, g.Features.Sparse)
	} else if x := g.Features.Dense; x != nil {
		hashInts(h, -1, x.Rows, x.Cols)
		for i := range x.Rows {
			h.Write(bytesOf(x.Data[i*x.Stride : i*x.Stride+x.Cols]))
		}
	}
	hashInts(h, g.Classes, len(g.Labels))
	hashInts(h, g.Labels...)
	return hex.EncodeToString(h.Sum(nil))
}

// hashCSR writes a matrix to a hash: its size, and all that it holds.
func hashCSR(h hash.Hash, m *CSR) {
	hashInts(h, m.Rows, m.Cols, len(m.Values))
	hashInts(h, m.Indptr...)
	h.Write(bytesOf(m.Indices))
	h.Write(bytesOf(m.Values))
}

// hashInts writes integers to a hash.
func hashInts(h hash.Hash, values ...int) {
	buf := make([]byte, 0, 8*len(values))
	for _, v := range values {
		buf = binary.LittleEndian.AppendUint64(buf, uint64(v))
	}
	h.Write(buf)
}

// bytesOf views 32-bit numbers as bytes. All platforms of this module are little
// endian, so the hash is the same on all of them.
func bytesOf[T int32 | float32](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), 4*len(s))
}

// NodeName returns the id of a node, or its number if the nodes have no ids.
func (g *Graph) NodeName(i int) string {
	if g.NodeNames != nil {
		return g.NodeNames[i]
	}
	return strconv.Itoa(i)
}
