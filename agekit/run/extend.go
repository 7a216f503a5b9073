package run

import (
	"context"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/explain"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
)

// Predicted is what a [Model] finds of new nodes.
type Predicted struct {
	// IDs are their ids, or numbers that go on after the old nodes.
	IDs []string
	// Embedding has a row for each.
	Embedding blas32.General
	// Clusters and Confidence are those of [explain.Assign].
	Clusters   []int
	Confidence []float64
	// Notes are sentences for the user.
	Notes []string
}

// Predict embeds new nodes and finds their clusters ([input.Extend] says what new
// names): their features are smoothed over their edges into the old graph, unless alone
// says that they are a graph of their own, and encoded. Old nodes keep their clusters.
//
// It returns an error for ids that an old node has, for columns or features that are
// missing, for edges that lead to neither, and when ctx is done.
func (m *Model) Predict(ctx context.Context, new input.Source, alone bool) (*Predicted, error) {
	old := m.Graph
	if alone {
		_, f := old.Features.Dims()
		old = &graph.Graph{
			Name: old.Name, FeatureNames: old.FeatureNames,
			Adjacency: &graph.CSR{Indptr: []int{0}}, Features: graph.Features{Sparse: &graph.CSR{Cols: f, Indptr: []int{0}}},
		}
	}
	g, notes, err := input.Extend(ctx, old, m.About.Recipe, new)
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
	p.Clusters, p.Confidence = explain.Assign(z, m.Centers)
	return p, nil
}
