package graph

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas32"
)

// Subgraph returns the graph of the given nodes, in their order, and of all edges between
// them, with all features and classes. It panics if a node is outside g or given twice.
func (g *Graph) Subgraph(nodes []int) *Graph {
	place := make([]int32, g.N()) // of each node among the given ones, from 1; 0 for others
	for k, v := range nodes {
		if place[v] != 0 {
			panic(fmt.Sprintf("graph: node %d is given twice", v))
		}
		place[v] = int32(k + 1)
	}
	s := &Graph{
		Name: g.Name, Classes: g.Classes, ClassNames: g.ClassNames, FeatureNames: g.FeatureNames,
	}
	for _, v := range nodes {
		if g.Labels != nil {
			s.Labels = append(s.Labels, g.Labels[v])
		}
		if g.NodeNames != nil {
			s.NodeNames = append(s.NodeNames, g.NodeNames[v])
		}
	}
	// rows returns the matrix of the nodes' rows of m, with cols columns. renumber returns the new number of
	// a column, or −1 for one that is left out.
	rows := func(m *CSR, cols int, renumber func(column int) int32) *CSR {
		var entries []Entry
		for k, v := range nodes {
			for j, value := range m.Each(v) {
				if column := renumber(j); column >= 0 {
					entries = append(entries, Entry{int32(k), column, value})
				}
			}
		}
		return FromEntries(len(nodes), cols, entries)
	}
	s.Adjacency = rows(g.Adjacency, len(nodes), func(j int) int32 { return place[j] - 1 })
	s.ListedEdges = s.Edges()
	if x := g.Features.Sparse; x != nil {
		s.Features.Sparse = rows(x, x.Cols, func(j int) int32 { return int32(j) })
	} else if x := g.Features.Dense; x != nil {
		s.Features.Dense = &blas32.General{Rows: len(nodes), Cols: x.Cols, Stride: x.Cols}
		for _, v := range nodes {
			s.Features.Dense.Data = append(s.Features.Dense.Data, x.Data[v*x.Stride:v*x.Stride+x.Cols]...)
		}
	}
	return s
}
