package auto

import (
	"math/rand/v2"
	"strings"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/graph"
)

// parts is the number of parts into which the edges and the features are divided. One of
// each is held out at a time. What is in noPart never is.
const parts, noPart = 5, 5

// edge is an edge with its weight.
type edge struct {
	u, v   int
	weight float64
}

// division assigns each edge, in the order of its smaller node, and each feature to a part.
// Features of one group, the columns of one category, follow from each other. If all are one
// group, as the columns of a unit matrix are, they are in no part: without any features, a
// fold says nothing about ways that use them.
type division struct {
	edges, features []uint8
	group           []int
}

// divide divides a graph at random into equal parts. Groups stay together.
func divide(g *graph.Graph, rnd *rand.Rand) division {
	group, groups := groupColumns(g)
	d := division{make([]uint8, g.Edges()), make([]uint8, len(group)), group}
	for p, e := range rnd.Perm(len(d.edges)) {
		d.edges[e] = uint8(p % parts)
	}
	groupOrder := rnd.Perm(groups)
	for j := range d.features {
		d.features[j] = uint8(groupOrder[d.group[j]] % parts)
		if groups == 1 {
			d.features[j] = noPart
		}
	}
	return d
}

// groupColumns numbers the groups of columns. The columns of a category of a table have names
// that begin alike. Others are a category, too, if they follow each other, have two values,
// as 0 and 1, and each node has the larger value in one of them.
func groupColumns(g *graph.Graph) (group []int, groups int) {
	start := firstDummies(g.Features)
	group = make([]int, len(start))
	first := map[string]int{}
	for j, s := range start {
		group[j] = groups
		if s < j {
			group[j] = group[s]
			continue
		}
		if g.FeatureNames != nil {
			if column, _, category := strings.Cut(g.FeatureNames[j], " = "); category {
				if g, seen := first[column]; seen {
					group[j] = g
					continue
				}
				first[column] = groups
			}
		}
		groups++
	}
	return group, groups
}

// firstDummies returns, for each column, the first of the columns that make a category with it,
// by their values: neighbors of two values, such that each node has the larger value in
// exactly one of them. It is j itself if column j is in none.
func firstDummies(x graph.Features) []int {
	n, f := x.Dims()
	nodes := largerValues(x)
	first := make([]int, f)
	last := make([]int, n) // the last column in whose nodes a node is, plus one
	start := 0             // of the columns that may be a category up to j
	covered := 0           // number of nodes in them
	for j, members := range nodes {
		first[j] = j
		newStart := start
		if members == nil {
			newStart = j + 1
		}
		for _, i := range members {
			newStart = max(newStart, last[i])
			last[i] = j + 1
		}
		for ; start < newStart; start++ {
			covered -= len(nodes[start])
		}
		covered += len(members)
		if covered == n {
			for c := start; c <= j; c++ {
				first[c] = start
			}
			start = j + 1
			covered = 0
		}
	}
	return first
}

// largerValues returns, for each column, the nodes that have the larger of its two values; nil
// if it does not have two values, the larger above 0.
func largerValues(x graph.Features) [][]int32 {
	n, f := x.Dims()
	count := make([]int, f) // number of entries
	high := make([]float32, f)
	low := make([]float32, f)
	other := make([]bool, f) // anything but two values, the larger above 0
	for i := range n {
		x.EachInRow(i, func(j int, v float32) {
			switch {
			case count[j] == 0:
				high[j] = v
				low[j] = v
			case high[j] == low[j]:
				high[j] = max(high[j], v)
				low[j] = min(low[j], v)
			case v != high[j] && v != low[j]:
				other[j] = true
			}
			count[j]++
		})
	}
	for j := range f {
		if count[j] < n { // the others are 0
			other[j] = other[j] || high[j] != low[j]
			low[j] = 0
		}
		other[j] = other[j] || high[j] <= 0 || high[j] <= low[j]
	}
	nodes := make([][]int32, f)
	for i := range n {
		x.EachInRow(i, func(j int, v float32) {
			if !other[j] && v == high[j] {
				nodes[j] = append(nodes[j], int32(i))
			}
		})
	}
	return nodes
}

// fold is a graph without one part, and what was held out.
type fold struct {
	g        *graph.Graph
	features []bool // of the whole graph: those held out
	edges    []edge
}

// heldOut reports for each feature whether it is in a part.
func (d division) heldOut(part uint8) []bool {
	out := make([]bool, len(d.features))
	for j, p := range d.features {
		out[j] = p == part
	}
	return out
}

// without returns the graph without a part of its edges and features.
func (d division) without(g *graph.Graph, part uint8) (*fold, error) {
	n, _ := g.Features.Dims()
	f := &fold{g: &graph.Graph{Name: g.Name}, features: d.heldOut(part)}
	var u, v []int32
	var weights []float32
	e := 0
	for i := range n {
		for j, w := range g.Adjacency.Each(i) {
			if int(j) <= i {
				continue
			}
			if d.edges[e] == part {
				f.edges = append(f.edges, edge{i, int(j), float64(w)})
			} else {
				u = append(u, int32(i))
				v = append(v, int32(j))
				weights = append(weights, w)
			}
			e++
		}
	}
	var err error
	if f.g.Adjacency, err = graph.Adjacency(n, u, v, weights); err != nil {
		return nil, err
	}
	f.g.Features = columnsWithout(g.Features, f.features)
	return f, nil
}

// columnsWithout returns the columns of x that are not left out.
func columnsWithout(x graph.Features, out []bool) graph.Features {
	n, f := x.Dims()
	to := make([]int32, f) // column of the result
	kept := 0
	for j := range f {
		to[j] = int32(kept)
		if !out[j] {
			kept++
		}
	}
	if x.Dense != nil {
		m := blas32.General{Rows: n, Cols: kept, Stride: max(1, kept), Data: make([]float32, n*max(1, kept))}
		for i := range n {
			x.EachInRow(i, func(j int, v float32) {
				if !out[j] {
					m.Data[i*m.Stride+int(to[j])] = v
				}
			})
		}
		return graph.Features{Dense: &m}
	}
	m := &graph.CSR{Rows: n, Cols: kept, Indptr: make([]int, 1, n+1)}
	for i := range n {
		x.EachInRow(i, func(j int, v float32) {
			if !out[j] {
				m.Indices = append(m.Indices, to[j])
				m.Values = append(m.Values, v)
			}
		})
		m.Indptr = append(m.Indptr, len(m.Indices))
	}
	return graph.Features{Sparse: m}
}
