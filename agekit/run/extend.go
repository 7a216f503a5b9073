package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/feature"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/limit"
)

// NewNodes are nodes that come after the training.
type NewNodes struct {
	// Nodes is their table, with the columns of the training's. It may be nil if the
	// model's nodes have no ids but their numbers: then the new ones follow them.
	Nodes *table.Table
	// ID is the column of their ids.
	ID int
	// Features has their rows of the features that the training got as a matrix, if
	// it did.
	Features *graph.Features
	// Edges is the table of their edges, among each other and to nodes of the model;
	// nil if they have none.
	Edges *table.Table
	// Ends are the columns of Edges.
	Ends table.EdgeColumns
	// Alone says that the new nodes are a graph of their own, without edges to the old
	// ones.
	Alone bool
}

// Predicted is what a [Model] finds of new nodes.
type Predicted struct {
	// IDs are their ids, or numbers that go on after the old nodes.
	IDs []string
	// Embedding has a row for each.
	Embedding blas32.General
	// Clusters and Confidence are as in [Model.Assign].
	Clusters   []int
	Confidence []float64
	// Notes are sentences for the user.
	Notes []string
}

// Predict embeds new nodes and finds their clusters: their features are smoothed over
// their edges into the old graph, unless new.Alone, and encoded. Old nodes keep their
// clusters.
//
// It returns an error for ids that an old node has, for columns or features that are
// missing, for edges that lead to neither, and when ctx is done.
func (m *Model) Predict(ctx context.Context, new NewNodes) (*Predicted, error) {
	_, f := m.Graph.Features.Dims()
	old := m.Graph
	if new.Alone {
		none := &graph.CSR{Cols: f, Indptr: []int{0}}
		old = &graph.Graph{Adjacency: &graph.CSR{Indptr: []int{0}}, Features: graph.Features{Sparse: none}}
	}
	g, notes, err := m.extend(old, new)
	if err != nil {
		return nil, err
	}
	z, err := m.Encoder.Embed(ctx, g)
	if err != nil {
		return nil, err
	}
	first := old.N()
	z.Rows, z.Data = z.Rows-first, z.Data[first*z.Stride:]
	p := &Predicted{IDs: g.NodeNames[first:], Embedding: z, Notes: notes}
	p.Clusters, p.Confidence = m.Assign(z)
	return p, nil
}

// extend returns the old graph with new nodes, which come last, and notes. The old nodes
// keep their features and their edges, to which the new ones are added.
func (m *Model) extend(old *graph.Graph, new NewNodes) (*graph.Graph, []string, error) {
	x, err := m.features(new)
	if err != nil {
		return nil, nil, err
	}
	all, err := joinIDs(old, new, x)
	if err != nil {
		return nil, nil, err
	}
	g := &graph.Graph{Name: m.Graph.Name, NodeNames: all.Names, FeatureNames: m.Graph.FeatureNames, Features: feature.Stacked(old.Features, x)}
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

// features returns those of new nodes: of their table, the given matrix, or both side
// by side, as in the training.
func (m *Model) features(new NewNodes) (x graph.Features, err error) {
	_, want := m.Graph.Features.Dims()
	fromTable := 0
	if r := m.About.Recipe; r != nil {
		if new.Nodes == nil {
			return x, errors.New("the model's features came from a table: want one of the new nodes")
		}
		if x, err = r.Features(new.Nodes); err != nil {
			return x, err
		}
		fromTable = r.Width()
	}
	if new.Features == nil {
		if fromTable != want {
			err = fmt.Errorf("the model has %d features, %d of them from a table: want a matrix with the others", want, fromTable)
		}
		return x, err
	}
	rows, more := new.Features.Dims()
	if fromTable+more != want {
		return x, fmt.Errorf("the new nodes have %d features, %d of them from a table: want %d, as in the training", fromTable+more, fromTable, want)
	}
	if new.Nodes != nil && new.Nodes.Rows != rows {
		return x, fmt.Errorf("the matrix of features has %d rows: want one for each of the %d nodes of %s", rows, new.Nodes.Rows, new.Nodes.Path)
	}
	if fromTable == 0 {
		return *new.Features, nil
	}
	return feature.SideBySide(x, *new.Features), nil
}

// joinIDs returns the ids of old and new nodes. Where the old ones have none, they are
// numbers from 0, and the new ones may go on after them.
func joinIDs(old *graph.Graph, new NewNodes, x graph.Features) (*table.IDs, error) {
	names := numbers(0, old.N())
	numbered := old.NodeNames == nil || slices.Equal(old.NodeNames, names)
	if !numbered {
		names = slices.Clone(old.NodeNames)
	}
	if new.Nodes == nil {
		if !numbered {
			return nil, errors.New("the model's nodes have ids: want a table with those of the new nodes")
		}
		rows, _ := x.Dims()
		return table.NewIDs(append(names, numbers(len(names), rows)...))
	}
	own, err := new.Nodes.IDs(new.ID)
	if err != nil {
		return nil, err
	}
	all, err := table.NewIDs(append(names, own.Names...))
	if err != nil {
		err = fmt.Errorf("%s: %w; the first %d nodes are the model's", new.Nodes.Path, err, old.N())
	}
	return all, err
}

// numbers returns n numbers from first on, as text.
func numbers(first, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = strconv.Itoa(first + i)
	}
	return all
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
