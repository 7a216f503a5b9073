package graph

import (
	"fmt"
	"slices"
	"sort"
)

// sortRows sorts the entries of each row by column, in place.
func (m *CSR) sortRows() {
	for i := range m.Rows {
		columns, values := m.Row(i)
		if values == nil {
			slices.Sort(columns)
		} else {
			sort.Sort(&rowSorter{columns, values})
		}
	}
}

// rowSorter sorts a row's columns and values together.
type rowSorter struct {
	columns []int32
	values  []float32
}

func (r *rowSorter) Len() int           { return len(r.columns) }
func (r *rowSorter) Less(a, b int) bool { return r.columns[a] < r.columns[b] }
func (r *rowSorter) Swap(a, b int) {
	r.columns[a], r.columns[b] = r.columns[b], r.columns[a]
	r.values[a], r.values[b] = r.values[b], r.values[a]
}

// validateUndirected returns an error for a self loop, a weight that is not positive, or an entry whose
// mirror image is missing or different.
func (m *CSR) validateUndirected() error {
	t := m.Transpose()
	for i := range m.Rows {
		columns, values := m.Row(i)
		mirrored, mirroredValues := t.Row(i)
		if !slices.Equal(columns, mirrored) || !slices.Equal(values, mirroredValues) {
			return fmt.Errorf("row %d: differs from column %d, want a symmetric matrix", i, i)
		}
		for p, j := range columns {
			if int(j) == i {
				return fmt.Errorf("row %d: self loop", i)
			}
			if values != nil && values[p] <= 0 {
				return fmt.Errorf("edge (%d, %d): weight %v, want a positive number", i, j, values[p])
			}
		}
	}
	return nil
}

// Statistics holds the figures of the paper's Table 1 and a few that affect methods.
type Statistics struct {
	Nodes, ListedEdges, Edges int
	Features, NonZeros        int
	Classes                   int
	Isolated                  int // nodes without a neighbor
	ZeroRows                  int // nodes without features
	Components                int // connected components
	MaxDegree                 int
}

// Stats returns g's statistics.
func (g *Graph) Stats() Statistics {
	_, f := g.Features.Dims()
	s := Statistics{
		Nodes: g.N(), ListedEdges: g.ListedEdges, Edges: g.Edges(),
		Features: f, Classes: g.Classes,
	}
	_, s.Components = g.Adjacency.Components()
	for i := range g.N() {
		s.MaxDegree = max(s.MaxDegree, g.Degree(i))
		if g.Degree(i) == 0 {
			s.Isolated++
		}
		entries := g.Features.nonZeros(i)
		s.NonZeros += entries
		if f > 0 && entries == 0 {
			s.ZeroRows++
		}
	}
	return s
}

// Components returns the connected component of each node, and the number of components, of the undirected
// graph with the adjacency matrix m. Components are numbered from 0 in the order of their first nodes.
func (m *CSR) Components() (component []int32, count int) {
	component = make([]int32, m.Rows)
	for i := range component {
		component[i] = -1
	}
	var queue []int32
	for root := range component {
		if component[root] >= 0 {
			continue
		}
		component[root] = int32(count)
		queue = append(queue[:0], int32(root))
		for head := 0; head < len(queue); head++ {
			neighbors, _ := m.Row(int(queue[head]))
			for _, j := range neighbors {
				if component[j] < 0 {
					component[j] = int32(count)
					queue = append(queue, j)
				}
			}
		}
		count++
	}
	return component, count
}
