package model

import (
	"errors"
	"fmt"
	"slices"

	"github.com/agekit/age/agekit/feature"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/limit"
)

// NewNodes are nodes that come after the training.
type NewNodes struct {
	// Nodes is their table, with the columns of the training's.
	Nodes *table.Table
	// ID is the column of their ids.
	ID int
	// Edges is the table of their edges, among each other and to nodes of the model;
	// nil if they have none.
	Edges *table.Table
	// Ends are the columns of Edges.
	Ends table.EdgeColumns
}

// Extend returns the model's graph with new nodes, which come last, and notes in
// sentences for the user. The old nodes keep their features and their edges, to which
// the new ones are added.
//
// It returns an error if the model has no recipe or no ids, for ids that an old node
// has, for columns that are missing, and for edges that lead to neither.
func (m *Model) Extend(new NewNodes) (*graph.Graph, []string, error) {
	if m.Graph.NodeNames == nil {
		return nil, nil, errors.New("the model's nodes have no ids: want a model of `age fit --nodes`")
	}
	return m.graph(m.Graph, new)
}

// Separate returns a graph of new nodes alone, with the features that the model
// knows.
func (m *Model) Separate(new NewNodes) (*graph.Graph, []string, error) {
	_, f := m.Graph.Features.Dims()
	none := &graph.CSR{Cols: f, Indptr: []int{0}}
	return m.graph(&graph.Graph{Adjacency: &graph.CSR{Indptr: []int{0}}, Features: graph.Features{Sparse: none}}, new)
}

// graph returns the old graph with new nodes.
func (m *Model) graph(old *graph.Graph, new NewNodes) (*graph.Graph, []string, error) {
	_, f := m.Graph.Features.Dims()
	switch r := m.About.Recipe; {
	case r == nil:
		return nil, nil, errors.New("the model's features came from no table: want a model of `age fit --nodes`")
	case r.Width() != f:
		return nil, nil, fmt.Errorf("the model has %d features, %d of them from its table: want a model whose features all come from its table", f, r.Width())
	}
	ids, err := new.Nodes.IDs(new.ID)
	if err != nil {
		return nil, nil, err
	}
	all, err := table.NewIDs(slices.Concat(old.NodeNames, ids.Names))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w; the first %d nodes are the model's", new.Nodes.Path, err, old.N())
	}
	x, err := m.About.Recipe.Features(new.Nodes)
	if err != nil {
		return nil, nil, err
	}
	g := &graph.Graph{Name: new.Nodes.Path, NodeNames: all.Names, FeatureNames: m.Graph.FeatureNames, Features: feature.Stacked(old.Features, x)}
	var notes []string
	e := &table.Edges{}
	if new.Edges != nil {
		if e, err = new.Edges.Edges(all, new.Ends, table.Symmetrize); err != nil {
			return nil, nil, err
		}
		notes = e.Notes
	}
	g.Adjacency, err = joined(old.Adjacency, len(all.Names), e)
	return g, notes, err
}

// joined returns an adjacency matrix with more nodes and edges.
func joined(a *graph.CSR, n int, e *table.Edges) (*graph.CSR, error) {
	if err := limit.Memory("the edges of old and new nodes", 24*float64(a.NNZ()/2+len(e.U))); err != nil {
		return nil, err
	}
	u, v := slices.Clone(e.U), slices.Clone(e.V)
	w := slices.Clone(e.W)
	if w == nil && a.Values != nil {
		w = slices.Repeat([]float32{1}, len(u))
	}
	weighted := w != nil
	for i := range a.Rows {
		columns, values := a.Row(i)
		for p, j := range columns {
			if int(j) < i {
				continue
			}
			u, v = append(u, int32(i)), append(v, j)
			switch {
			case values != nil:
				w = append(w, values[p])
			case weighted:
				w = append(w, 1)
			}
		}
	}
	joined, err := graph.Adjacency(n, u, v, w)
	if err != nil {
		return nil, fmt.Errorf("the edges of old and new nodes: %w", err)
	}
	return joined, nil
}
