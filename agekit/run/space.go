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

// mostMisplaced is the share of nodes that may be nearer to the center of another cluster than to that of
// their own, if centers in the embedding are to decide about new nodes.
const mostMisplaced = 0.05

const (
	// voters is the number of nearest old nodes that vote about a new one.
	voters = 5
	// mostVoted is the number of old nodes above which there is no vote: it would take long.
	mostVoted = 50_000
)

// space returns the rows by which clusters are explained, drawn and predicted: those of the embedding
// or, if the model's clusters do not show there, those of [Model.withNeighbors].
func (r *Run) space() linalg.Rows {
	if r.Model == nil || !r.Model.About.Neighbors {
		return r.rows()
	}
	return linalg.InMemory(r.Model.withNeighbors(r.Embedding, r.Data.Graph, 0))
}

// inMemory returns the matrix with the rows z. If that is not in memory, inMemory returns one whose rows
// have nearly the same distances, but only the given number of columns ([views.ReduceRows]).
func inMemory(ctx context.Context, z linalg.Rows, columns int, rnd *rand.Rand) (blas32.General, error) {
	if matrix, ok := linalg.MatrixOf(z); ok {
		return matrix, nil
	}
	return views.ReduceRows(ctx, z, columns, rnd)
}

// withNeighbors returns the rows of z, scaled to length 1, and beside each row one more column for each
// of the model's clusters: the share of the node's neighbors that are in the cluster, by the weights of
// the edges. Row i of z belongs to node first+i of g. New nodes, whose clusters are not known, do not
// count as neighbors.
func (m *Model) withNeighbors(z blas32.General, g *graph.Graph, first int) blas32.General {
	y := linalg.New(z.Rows, z.Cols+m.Centers.Rows)
	normalized := linalg.Normalize(z)
	const tiny = 1e-30 // instead of 0, for a node without neighbors
	for i := range z.Rows {
		row := y.Data[i*y.Stride:][:y.Cols]
		copy(row, normalized.Data[i*normalized.Stride:][:z.Cols])
		shares := row[z.Cols:]
		total := float32(0)
		for j, w := range g.Adjacency.Each(first + i) {
			if isOld := int(j) < len(m.Clusters); isOld {
				shares[m.Clusters[j]] += w
				total += w
			}
		}
		for c := range shares {
			shares[c] /= max(total, tiny)
		}
	}
	return y
}

// setCenters sets the centers of the model's clusters, and how they decide about new nodes (Vote and
// Neighbors of r.Model.About). If too many nodes are misplaced by centers in the embedding, old nodes
// vote, and the centers are those of withNeighbors, if fewer nodes are misplaced by these. Clusters that
// come from the edges, or that the last step of the method has changed, may not show in the embedding at
// all.
func (r *Run) setCenters(ctx context.Context) (err error) {
	m := r.Model
	if m.Centers, err = explain.Centers(ctx, r.rows(), m.Clusters); err != nil {
		return err
	}
	if _, ok := linalg.MatrixOf(r.rows()); !ok { // the embedding is not in memory
		return nil
	}
	misplaced := m.misplaced(r.Embedding)
	if float64(misplaced) <= mostMisplaced*float64(len(m.Clusters)) {
		return nil
	}
	m.About.Vote = len(m.Clusters) <= mostVoted
	inEmbedding := m.Centers
	z := m.withNeighbors(r.Embedding, m.Graph, 0)
	m.Centers, err = explain.Centers(ctx, linalg.InMemory(z), m.Clusters)
	m.About.Neighbors = err == nil && m.misplaced(z) < misplaced
	if !m.About.Neighbors {
		m.Centers = inEmbedding
	}
	return err
}

// misplaced returns the number of rows of z, one for each old node, for which the center of the node's own
// cluster is not the nearest.
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

// vote gives each new node, in p.Clusters, the cluster for which its nearest old nodes vote. The votes
// count by the inverse of the squared distance. Distances are those of the rows z, scaled to length 1,
// and of the features, if these are dense, since smoothing makes nodes alike whose features differ.
// If the nearest center has another cluster, that becomes p.Second, and p.Confidence becomes negative.
// Row i of z belongs to node first+i of g.
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
		votes := make([]float64, m.Centers.Rows) // for each cluster
		const tiny = 1e-9                        // so that a distance of 0 has a large but finite vote
		for _, neighbor := range nearest[i*k:][:k] {
			votes[m.Clusters[neighbor.Index]] += 1 / (neighbor.Value + tiny)
		}
		if most := slices.Index(votes, slices.Max(votes)); most != p.Clusters[i] {
			p.Clusters[i], p.Second[i], p.Confidence[i] = most, p.Clusters[i], -p.Confidence[i]
		}
	}
	return nil
}

// sideBySide returns a matrix whose row i is row i of z, followed by row first+i of x.
func sideBySide(z, x blas32.General, first int) blas32.General {
	y := linalg.New(z.Rows, z.Cols+x.Cols)
	for i := range z.Rows {
		row := y.Data[i*y.Stride:][:y.Cols]
		copy(row, z.Data[i*z.Stride:][:z.Cols])
		copy(row[z.Cols:], x.Data[(first+i)*x.Stride:][:x.Cols])
	}
	return y
}
