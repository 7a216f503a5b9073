package graph_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/testutil"
)

// edges is a growing list of the edges of a graph.
type edges struct{ u, v []int32 }

// add adds the edge between u and v.
func (e *edges) add(u, v int) { e.u, e.v = append(e.u, int32(u)), append(e.v, int32(v)) }

// graph returns the adjacency matrix of the graph of n nodes with these edges.
func (e *edges) graph(t *testing.T, n int) *graph.CSR {
	t.Helper()
	return testutil.Value(graph.Adjacency(n, e.u, e.v, nil)).OrFatal(t)
}

// bipartite returns random edges between the nodes 0 to first−1 and the `second` nodes that follow
// them: each possible edge with the probability share.
func bipartite(first, second int, share float64, seed uint64) (e edges) {
	rnd := rand.New(rand.NewPCG(seed, 0))
	for i := range first {
		for j := range second {
			if rnd.Float64() < share {
				e.add(i, first+j)
			}
		}
	}
	return e
}

// lattice returns the edges of a grid of rows and columns, each with the probability share. With ends,
// edges also join the first and the last node of each row and column, as on a torus.
func lattice(rows, columns int, share float64, ends bool) (e edges) {
	rnd := rand.New(rand.NewPCG(1, 0))
	for i := range rows * columns {
		if row := i / columns; (row+1 < rows || ends) && rnd.Float64() < share {
			e.add(i, (row+1)%rows*columns+i%columns)
		}
		if column := i % columns; (column+1 < columns || ends) && rnd.Float64() < share {
			e.add(i, i-column+(column+1)%columns)
		}
	}
	return e
}

// TestTwoKinds checks that TwoKinds finds the kinds from random edges between two kinds, also with two
// more nodes without edges, which have no kind. It finds none after three more edges that make an odd
// cycle. Graphs that are not connected are skipped.
func TestTwoKinds(t *testing.T) {
	for seed := range uint64(5) {
		for _, size := range [][2]int{{300, 120}, {60, 40}, {90, 20}} { // nodes of each kind
			first, second := size[0], size[1]
			const meanDegree = 9 // of the first kind
			e := bipartite(first, second, meanDegree/float64(second), seed)
			a := e.graph(t, first+second)
			if _, components := a.Components(); components > 1 {
				continue
			}
			const withoutEdges = 2
			k := graph.TwoKinds(e.graph(t, first+second+withoutEdges))
			if k == nil {
				t.Errorf("%d and %d: no kinds", first, second)
				continue
			}
			for i, kind := range k.Of {
				want := int8(0)
				switch {
				case i >= first+second:
					want = graph.NoKind
				case i >= first:
					want = 1
				}
				if kind != want {
					t.Fatalf("node %d is of kind %d, want %d", i, kind, want)
				}
			}
			if got := k.Counts(); got != [2]int(size) {
				t.Errorf("counts %v: want %v", got, size)
			}
			e.add(0, 1) // within a kind: an odd cycle
			e.add(0, first)
			e.add(1, first)
			if graph.TwoKinds(e.graph(t, first+second)) != nil {
				t.Error("two kinds with an odd cycle")
			}
		}
	}
}

// TestOneKind checks that TwoKinds finds none in graphs that are bipartite without having two kinds of
// nodes, such as trees and grids, in a graph of two unconnected parts, and in one with too few cycles
// to tell.
func TestOneKind(t *testing.T) {
	var tree, star, ring, cube edges
	rnd := rand.New(rand.NewPCG(1, 0))
	for i := 1; i < 300; i++ {
		tree.add(i, rnd.IntN(i))
		star.add(0, i)
	}
	for i := range 300 {
		ring.add(i, (i+1)%300)
	}
	for i := range 64 {
		for bit := range 6 {
			cube.add(i, i^1<<bit)
		}
	}
	apart := bipartite(100, 40, 0.2, 1)
	for i := range 4 { // a square beside it
		apart.add(140+i, 140+(i+1)%4)
	}
	// A tree with at most nine cycles, fewer than ten, all even: edges between nodes at a distance of 3.
	fewCycles := edges{slices.Clone(tree.u), slices.Clone(tree.v)}
	for i := range 9 {
		fewCycles.add(2+i, firstAt(tree.graph(t, 300), 2+i, 3))
	}
	for name, test := range map[string]struct {
		e edges
		n int // number of nodes
	}{
		"tree": {tree, 300}, "star": {star, 300}, "ring": {ring, 300}, "cube": {cube, 64},
		"grid": {lattice(12, 15, 1, false), 180}, "wide grid": {lattice(2, 100, 1, false), 200}, "torus": {lattice(10, 12, 1, true), 120},
		"streets": {lattice(30, 30, 0.7, false), 900}, "apart": {apart, 144}, "few cycles": {fewCycles, 300}, "no edges": {edges{}, 5},
	} {
		if graph.TwoKinds(test.e.graph(t, test.n)) != nil {
			t.Errorf("%s: two kinds", name)
		}
	}
}

// firstAt returns a node of the tree a at the given distance from the node from, or from itself if
// there is none.
func firstAt(a *graph.CSR, from, distance int) int {
	reached := map[int]int{from: 0}
	queue := []int{from}
	for head := 0; head < len(queue); head++ {
		i := queue[head]
		if reached[i] == distance {
			return i
		}
		for j := range a.Each(i) {
			if _, known := reached[j]; !known {
				reached[j] = reached[i] + 1
				queue = append(queue, j)
			}
		}
	}
	return from
}

// TestCycles checks the number of cycles by hand: a tree, beside two nodes without edges, has none, and
// each further edge between its nodes adds one.
func TestCycles(t *testing.T) {
	var e edges
	for i := 1; i < 20; i++ {
		e.add(i, i/2)
	}
	more := [][2]int{{19, 18}, {18, 16}, {17, 14}}
	for cycles := range len(more) + 1 {
		if got := e.graph(t, 22).Cycles(); got != cycles {
			t.Errorf("%d cycles: want %d", got, cycles)
		}
		if cycles < len(more) {
			e.add(more[cycles][0], more[cycles][1])
		}
	}
}

// TestKindsString checks the sentence about two kinds without names, with a node without edges, and
// with names, of the columns of a table.
func TestKindsString(t *testing.T) {
	k := &graph.Kinds{Of: []int8{0, 1, 1, graph.NoKind}}
	if got := k.String(); got != "These are nodes of two kinds, and each edge joins one of each: 1 and 2. The kind of 1 without edges is unknown." {
		t.Error(got)
	}
	k.Names = [2]string{"person", "event"}
	if got := k.Select([]int{0, 1, 2}).String(); got != `These are nodes of two kinds: 1 in the column "person" and 2 in the column "event".` {
		t.Error(got)
	}
}

// TestProject compares the projections of a random graph, weighted or not, onto each of its kinds with
// their definition: each weight with the sum over the common neighbors. Without weights, the weights of
// a node's edges also add up to the number of its neighbors that have others (Newman).
func TestProject(t *testing.T) {
	const first, second = 40, 25
	for _, weighted := range []bool{false, true} {
		e := bipartite(first, second, 0.1, 3)
		var w []float32
		if rnd := rand.New(rand.NewPCG(1, 0)); weighted {
			for range e.u {
				w = append(w, 1+3*rnd.Float32())
			}
		}
		n := first + second
		a := testutil.Value(graph.Adjacency(n, e.u, e.v, w)).OrFatal(t)
		kinds := make([]int8, n)
		for i := first; i < n; i++ {
			kinds[i] = 1
		}
		for kind, size := range []int{first, second} {
			p, nodes, err := graph.Project(a, kinds, int8(kind))
			testutil.NoError(t, err)
			if len(nodes) != size || p.Rows != size || !slices.IsSorted(nodes) {
				t.Fatalf("nodes %v of kind %d, want %d in increasing order", nodes, kind, size)
			}
			testutil.NoError(t, p.Validate())
			for x, i := range nodes {
				sum, shares := 0., 0.
				for y, j := range nodes {
					want := 0.
					for k := range n {
						if degree := a.Indptr[k+1] - a.Indptr[k]; i != j && degree > 1 {
							want += float64(min(a.At(i, k), a.At(j, k))) / float64(degree-1)
						}
					}
					if got := float64(p.At(x, y)); math.Abs(got-want) > 1e-6 || p.At(x, y) != p.At(y, x) {
						t.Fatalf("weight (%d, %d) is %v: want %v", i, j, got, want)
					}
					sum += want
				}
				for k := range a.Each(i) {
					if a.Indptr[k+1]-a.Indptr[k] > 1 {
						shares++
					}
				}
				if !weighted && math.Abs(sum-shares) > 1e-9 {
					t.Fatalf("the edges of node %d have the weight %v: want %v", i, sum, shares)
				}
			}
		}
	}
}

// TestProjectRefuses checks that more than 50 million pairs of nodes with a common neighbor are an
// error that counts them: here all pairs of 10,002 nodes, which share one neighbor.
func TestProjectRefuses(t *testing.T) {
	var e edges
	const n = 10_002 // nodes of kind 0; node n is their neighbor
	for i := range n {
		e.add(i, n)
	}
	kinds := make([]int8, n+1)
	kinds[n] = 1
	want := fmt.Sprintf("%d nodes share neighbors in %d pairs: want at most 50000000", n, n*(n-1)/2)
	if _, _, err := graph.Project(e.graph(t, n+1), kinds, 0); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v: want %s", err, want)
	}
}
