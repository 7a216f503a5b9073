package auto

import (
	"math/rand/v2"
	"strings"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/graph"
)

// parts is the number of parts into which the edges and the features are divided. One of
// each is held out at a time.
const parts = 5

// edge is an edge with its weight.
type edge struct {
	u, v   int
	weight float64
}

// division assigns each edge, in the order of its smaller node, and each feature to a part.
// Features of one group, the columns of one category, follow from each other.
type division struct {
	edges, features []uint8
	group           []int
}

// divide divides a graph at random into equal parts. Groups stay together.
func divide(g *graph.Graph, rnd *rand.Rand) division {
	group, groups := groupColumns(g)
	d := division{make([]uint8, g.Edges()), make([]uint8, len(group)), group}
	for at, e := range rnd.Perm(len(d.edges)) {
		d.edges[e] = uint8(at % parts)
	}
	of := rnd.Perm(groups)
	for j := range d.features {
		d.features[j] = uint8(of[d.group[j]] % parts)
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
				if at, seen := first[column]; seen {
					group[j] = at
					continue
				}
				first[column] = groups
			}
		}
		groups++
	}
	return group, groups
}

// firstDummies returns for each column the first one of the columns that it is a category with,
// by their values: j itself if it is none.
func firstDummies(x graph.Features) []int {
	n, f := x.Dims()
	have, high, low := make([]int, f), make([]float32, f), make([]float32, f)
	several := make([]bool, f) // anything but two values, the larger above 0
	for i := range n {
		x.EachInRow(i, func(j int, v float32) {
			switch {
			case have[j] == 0:
				high[j], low[j] = v, v
			case high[j] == low[j]:
				high[j], low[j] = max(high[j], v), min(low[j], v)
			case v != high[j] && v != low[j]:
				several[j] = true
			}
			have[j]++
		})
	}
	nodes := make([][]int32, f) // that have the larger of two values
	for j := range f {
		if have[j] < n { // others are 0
			several[j] = several[j] || high[j] != low[j]
			low[j] = 0
		}
		several[j] = several[j] || high[j] <= 0 || high[j] <= low[j]
	}
	for i := range n {
		x.EachInRow(i, func(j int, v float32) {
			if !several[j] && v == high[j] {
				nodes[j] = append(nodes[j], int32(i))
			}
		})
	}
	first, last := make([]int, f), make([]int, n) // the last column that has a node, plus one
	start, covered := 0, 0
	for j, of := range nodes {
		first[j] = j
		from := start
		if several[j] {
			from = j + 1
		}
		for _, i := range of {
			from = max(from, last[i])
			last[i] = j + 1
		}
		for ; start < from; start++ {
			covered -= len(nodes[start])
		}
		if covered += len(of); covered == n {
			for c := start; c <= j; c++ {
				first[c] = start
			}
			start, covered = j+1, 0
		}
	}
	return first
}

// fold is a graph without one part, and what was held out.
type fold struct {
	g        *graph.Graph
	features []bool // of the whole graph: those held out
	edges    []edge
}

// heldOut says of each feature whether it is in a part.
func (d division) heldOut(part uint8) []bool {
	held := make([]bool, len(d.features))
	for j, p := range d.features {
		held[j] = p == part
	}
	return held
}

// without returns the graph without a part of its edges and features.
func (d division) without(g *graph.Graph, part uint8) (*fold, error) {
	n, _ := g.Features.Dims()
	h := &fold{g: &graph.Graph{Name: g.Name}, features: d.heldOut(part)}
	var u, v []int32
	var weights []float32
	e := 0
	for i := range n {
		for j, w := range g.Adjacency.Each(i) {
			if int(j) <= i {
				continue
			}
			if d.edges[e] == part {
				h.edges = append(h.edges, edge{i, int(j), float64(w)})
			} else {
				u, v, weights = append(u, int32(i)), append(v, int32(j)), append(weights, w)
			}
			e++
		}
	}
	var err error
	if h.g.Adjacency, err = graph.Adjacency(n, u, v, weights); err != nil {
		return nil, err
	}
	h.g.Features = columnsWithout(g.Features, h.features)
	return h, nil
}

// columnsWithout returns the columns of x that are not left out.
func columnsWithout(x graph.Features, out []bool) graph.Features {
	n, f := x.Dims()
	to, kept := make([]int32, f), 0
	for j := range f {
		if to[j] = int32(kept); !out[j] {
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
				m.Indices, m.Values = append(m.Indices, to[j]), append(m.Values, v)
			}
		})
		m.Indptr = append(m.Indptr, len(m.Indices))
	}
	return graph.Features{Sparse: m}
}
