package run

import (
	"context"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/explain"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/views"
	"github.com/agekit/age/internal/linalg"
)

// mostMisplaced is the share of nodes that may be nearer to another cluster's center than to their
// own in the embedding alone.
const mostMisplaced = 0.05

// The voters nearest old nodes decide about a new one, of at most mostVoted.
const voters, mostVoted = 5, 50_000

// space returns the rows in which clusters are explained, drawn and predicted: those of the
// embedding, or [Model.withNeighbors].
func (r *Run) space() linalg.Rows {
	if r.Model == nil || !r.Model.About.Neighbors {
		return r.rows()
	}
	return linalg.InMemory(r.Model.withNeighbors(r.Embedding, r.Data.Graph, 0))
}

// inMemory returns the matrix that has the rows or, if it is not in memory, one with a few columns
// that represent it ([views.ReduceRows]).
func inMemory(ctx context.Context, z linalg.Rows, columns int, rnd *rand.Rand) (blas32.General, error) {
	if matrix, ok := linalg.MatrixOf(z); ok {
		return matrix, nil
	}
	return views.ReduceRows(ctx, z, columns, rnd)
}

// withNeighbors returns the rows of z, scaled to length 1, with k columns more: the shares of
// the nodes' neighbors that are in each of k clusters. Row i belongs to node first+i of g.
// Neighbors whose cluster is not known do not count.
func (m *Model) withNeighbors(z blas32.General, g *graph.Graph, first int) blas32.General {
	y := linalg.New(z.Rows, z.Cols+m.Centers.Rows)
	unit := linalg.Normalize(z)
	for i := range z.Rows {
		row := y.Data[i*y.Stride:][:y.Cols]
		shares := row[copy(row, unit.Data[i*unit.Stride:][:z.Cols]):]
		total := float32(0)
		for j, w := range g.Adjacency.Each(first + i) {
			if int(j) < len(m.Clusters) {
				shares[m.Clusters[j]] += w
				total += w
			}
		}
		for c := range shares {
			shares[c] /= max(total, 1e-30)
		}
	}
	return y
}

// place sets the model's centers, in the embedding or with the neighbors' clusters beside it:
// clusters that come from the edges, or that the last step has changed, may not show in the
// embedding at all.
func (r *Run) place(ctx context.Context) (err error) {
	m := r.Model
	if m.Centers, err = explain.Centers(ctx, r.rows(), m.Clusters); err != nil {
		return err
	}
	if _, ok := linalg.MatrixOf(r.rows()); !ok {
		return nil
	}
	misplaced := m.misplaced(r.Embedding)
	if float64(misplaced) <= mostMisplaced*float64(len(m.Clusters)) {
		return nil
	}
	m.About.Vote = len(m.Clusters) <= mostVoted
	alone := m.Centers
	z := m.withNeighbors(r.Embedding, m.Graph, 0)
	m.Centers, err = explain.Centers(ctx, linalg.InMemory(z), m.Clusters)
	if m.About.Neighbors = err == nil && m.misplaced(z) < misplaced; !m.About.Neighbors {
		m.Centers = alone
	}
	return err
}

// misplaced returns the number of rows whose own cluster's center is not the nearest.
func (m *Model) misplaced(z blas32.General) (count int) {
	nearest, _, _ := explain.Assign(z, m.Centers)
	for i, c := range m.Clusters {
		if nearest[i] != c {
			count++
		}
	}
	return count
}

// votes reports whether the nearest old nodes decide about new ones.
func (m *Model) votes() bool {
	return m.About.Vote || m.About.Reading.Nearest > 0 && len(m.Clusters) <= mostVoted
}

// vote gives new nodes the cluster of most of the nearest old ones, which count by the
// inverse of their squared distance: in their rows z, and in dense features, since smoothing
// makes nodes alike that differ. If that is not the nearest center's cluster, this one is
// the second best, and the confidence is negative. Row i belongs to node first+i of g.
func (m *Model) vote(ctx context.Context, z blas32.General, g *graph.Graph, first int, p *Predicted) error {
	old, err := m.Encoder.Embed(ctx, m.Graph)
	if err != nil {
		return err
	}
	if m.About.Neighbors {
		old = m.withNeighbors(old, m.Graph, 0)
	}
	old, z = linalg.Normalize(old), linalg.Normalize(z)
	if known, x := m.Graph.Features.Dense, g.Features.Dense; known != nil && x != nil {
		old = sideBySide(old, linalg.Normalize(*known), 0)
		z = sideBySide(z, linalg.Normalize(*x), first)
	}
	k := min(voters, old.Rows)
	nearest, err := linalg.NearestAmong(ctx, z, old, k)
	if err != nil {
		return err
	}
	for i := range p.Clusters {
		votes := make([]float64, m.Centers.Rows)
		for _, neighbor := range nearest[i*k:][:k] {
			votes[m.Clusters[neighbor.Index]] += 1 / (neighbor.Value + 1e-9)
		}
		if most := slices.Index(votes, slices.Max(votes)); most != p.Clusters[i] {
			p.Clusters[i], p.Second[i], p.Confidence[i] = most, p.Clusters[i], -p.Confidence[i]
		}
	}
	return nil
}

// sideBySide returns the rows of z, and beside each those of x, from row first on.
func sideBySide(z, x blas32.General, first int) blas32.General {
	y := linalg.New(z.Rows, z.Cols+x.Cols)
	for i := range z.Rows {
		row := y.Data[i*y.Stride:][:y.Cols]
		copy(row, z.Data[i*z.Stride:][:z.Cols])
		copy(row[z.Cols:], x.Data[(first+i)*x.Stride:][:x.Cols])
	}
	return y
}
