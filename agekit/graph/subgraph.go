package graph

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas32"
)

// Subgraph returns the graph of the given nodes, in their order, and of all
// edges between them. It keeps all features and classes. It panics if a node is
// outside g or given twice.
func (g *Graph) Subgraph(nodes []int) *Graph {
	at := make([]int32, g.N())
	for k, v := range nodes {
		if at[v] != 0 {
			panic(fmt.Sprintf("graph: node %d is given twice", v))
		}
		at[v] = int32(k + 1)
	}
	s := &Graph{
		Name: g.Name, Classes: g.Classes, ClassNames: g.ClassNames, FeatureNames: g.FeatureNames,
	}
	var edges, features []Entry
	for k, v := range nodes {
		for j, weight := range g.Adjacency.Each(v) {
			if at[j] != 0 {
				edges = append(edges, Entry{int32(k), at[j] - 1, weight})
			}
		}
		if g.Features.Sparse != nil {
			for j, value := range g.Features.Sparse.Each(v) {
				features = append(features, Entry{int32(k), int32(j), value})
			}
		}
		if g.Labels != nil {
			s.Labels = append(s.Labels, g.Labels[v])
		}
		if g.NodeNames != nil {
			s.NodeNames = append(s.NodeNames, g.NodeNames[v])
		}
	}
	s.Adjacency = FromEntries(len(nodes), len(nodes), edges)
	s.ListedEdges = s.Edges()
	switch x := g.Features.Dense; {
	case g.Features.Sparse != nil:
		s.Features.Sparse = FromEntries(len(nodes), g.Features.Sparse.Cols, features)
	case x != nil:
		rows := blas32.General{Rows: len(nodes), Cols: x.Cols, Stride: x.Cols}
		for _, v := range nodes {
			rows.Data = append(rows.Data, x.Data[v*x.Stride:v*x.Stride+x.Cols]...)
		}
		s.Features.Dense = &rows
	}
	return s
}
