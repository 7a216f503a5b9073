package auto

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/linalg"
)

// mostRefinements is how often refine assigns all nodes anew, at most.
const mostRefinements = 10

// refine assigns each node to the cluster under which its features and its edges are most
// likely, given the clusters of the other nodes, by the models of the gains. One such step
// makes good clusters of a block model optimal (Gao, Ma, Zhang and Zhou, Annals of
// Statistics 46(5), 2018). For rough clusters it is repeated until no node moves, ten times
// at most; from good ones, more steps can lead to others that only the models prefer. A
// cluster that a step would empty keeps its nodes. Unrelated features are ignored.
func refine(ctx context.Context, g *graph.Graph, unrelated []int, s shares, clusters []int, rough bool) ([]int, error) {
	if unrelated != nil {
		_, f := g.Features.Dims()
		out := make([]bool, f)
		for _, j := range unrelated {
			out[j] = true
		}
		related := *g
		related.Features = columnsWithout(g.Features, out)
		g = &related
	}
	stats := newColumnStats(g.Features)
	cluster, k := numbered(clusters)
	steps := 1
	if rough {
		steps = mostRefinements
	}
	for range steps {
		next, err := assign(ctx, g, stats, s, cluster, k)
		if err != nil {
			return nil, err
		}
		keepClusters(cluster, next, k)
		if slices.Equal(next, cluster) {
			break
		}
		cluster = next
	}
	return cluster, nil
}

// keepClusters takes back the moves of the nodes of clusters that have none left in next. That
// can empty a cluster to which they had moved, so it looks again.
func keepClusters(cluster, next []int, k int) {
	for again := true; again; {
		again = false
		size := make([]int, k)
		for _, c := range next {
			size[c]++
		}
		for i, c := range cluster {
			if size[c] == 0 {
				next[i] = c
				again = true
			}
		}
	}
}

// assign returns the most likely cluster of each node, of k. A node's own part in its
// cluster is taken out, for it would keep the node there.
func assign(ctx context.Context, g *graph.Graph, stats columnStats, s shares, cluster []int, k int) ([]int, error) {
	x := g.Features
	n, f := x.Dims()
	m := newNodeModel(newSums(x, stats, cluster, k, nil))
	edges := newEdgeModel(g.Adjacency, cluster)
	next := make([]int, n)
	err := linalg.ParallelContext(ctx, n, linalg.RowGrain(n), func(lo, hi int) {
		numbers := linalg.NewMatrix[float64](hi-lo, m.numbers.Cols)
		if x.Dense != nil {
			linalg.MulAdd(numbers, linalg.From32(*x.Dense).Slice(lo, hi, 0, f), m.numbers)
		}
		score, words, ends := make([]float64, k), make([]float64, k), make([]float64, k)
		for i := lo; i < hi; i++ {
			clear(words)
			current := cluster[i]
			row := numbers.Row(i - lo)
			length := 0.  // number of words
			without := 0. // change of their log-likelihood without the node itself
			squares := 0.
			x.EachInRow(i, func(j int, v float32) {
				if stats.isWord[j] {
					if stats.count[j] < 2 {
						return // without the node, the word is nowhere
					}
					length++
					without += m.without(current, j)
					for a, w := range m.words.Row(j) {
						words[a] += w
					}
					return
				}
				squares += float64(v) * float64(v) * m.inverse[j]
				if x.Dense == nil {
					for a, w := range m.numbers.Row(j) {
						row[a] += float64(v) * w
					}
				}
			})
			for a, size := range m.sizes {
				distance := squares - row[a] + m.base[a]
				if a == current && size > 1 {
					distance *= (size / (size - 1)) * (size / (size - 1))
					words[a] += without + length*math.Log((m.draws[a]+m.alpha)/(m.draws[a]-length+m.alpha))
				}
				score[a] = math.Log(size/float64(n)) + s.features*(words[a]-distance)
			}
			clear(ends)
			for j, w := range g.Adjacency.Each(i) {
				ends[cluster[j]] += float64(w)
			}
			edges.add(score, s.edges, current, ends)
			next[i] = current
			for a, v := range score {
				if v > score[next[i]] {
					next[i] = a
				}
			}
		}
	})
	return next, err
}

// edgeModel gives the likelihood of the edges of a node in each cluster: the sum over its edges
// of the logarithm of blockRatios.
type edgeModel struct {
	ratio, joint, degrees []float64
	total                 float64
}

func newEdgeModel(a *graph.CSR, cluster []int) *edgeModel {
	m := &edgeModel{}
	m.joint, m.degrees, m.total, _ = blockWeights(a, cluster)
	m.ratio = ratios(m.joint, m.degrees, m.total)
	return m
}

// add adds share times the log-likelihood of a node whose edges end in the clusters with the
// weights ends. What it has in its current cluster is taken out.
func (m *edgeModel) add(score []float64, share float64, current int, ends []float64) {
	k := len(ends)
	others := m.degrees[current] - floats.Sum(ends)
	for b, w := range ends {
		if w == 0 {
			continue
		}
		for a := range score {
			ratio := m.ratio[a*k+b]
			if a == current || b == current {
				joint, rowDegree, columnDegree := m.joint[a*k+b], m.degrees[a], m.degrees[b]
				if a == current {
					joint -= w
					rowDegree = others
				}
				if b == current {
					joint -= ends[a]
					columnDegree = others
				}
				ratio = blockRatio(joint, rowDegree*columnDegree/m.total)
			}
			score[a] += share * w * ratio
		}
	}
}

// nodeModel gives the likelihood of the features of a node in each cluster: the logarithm of its
// likelihood, compared with that of the words of all nodes, is the sum of words over its
// words, less the squared distance of its numbers from the cluster's means in units of
// √2 deviations, Σ_j v_j²·inverse_j − Σ_j v_j·numbers_ja + base_a.
type nodeModel struct {
	*sums
	alpha          float64
	words, numbers linalg.Matrix[float64] // by column and cluster
	inverse        []float64              // 1/2σ² of the numbers
	base           []float64
	share          []float64 // α times the share of a word among all
}

func newNodeModel(s *sums) *nodeModel {
	f := len(s.count)
	m := &nodeModel{
		sums:    s,
		words:   linalg.NewMatrix[float64](f, s.clusters),
		numbers: linalg.NewMatrix[float64](f, linalg.WholePanels(s.clusters)),
		inverse: make([]float64, f),
		base:    make([]float64, s.clusters),
		share:   make([]float64, f),
	}
	_, m.alpha = s.bestWordGain()
	n, draws := s.totals()
	for j, count := range s.count {
		if s.isWord[j] {
			share := float64(max(1, count)) / draws
			m.share[j] = m.alpha * share
			for a, draws := range s.draws {
				m.words.Row(j)[a] = math.Log((s.cells[a*f+j] + m.share[j]) / (draws + m.alpha) / share)
			}
			continue
		}
		within, sum, squares := 0., 0., 0.
		for a, size := range s.sizes {
			v := s.cells[a*f+j]
			q := s.squares[a*f+j]
			sum += v
			squares += q
			within = within + q - v*v/size
		}
		total := squares - sum*sum/n
		if total <= 1e-9*squares || n <= float64(s.clusters) {
			continue // a constant
		}
		m.inverse[j] = (n - float64(s.clusters)) / (2 * max(within, s.minVarianceShare(j)*total))
		for a, size := range s.sizes {
			mean := s.cells[a*f+j] / size
			m.numbers.Row(j)[a] = 2 * mean * m.inverse[j]
			m.base[a] += mean * mean * m.inverse[j]
		}
	}
	return m
}

// without returns how much less likely a word j is in a cluster without one of its own.
func (m *nodeModel) without(a, j int) float64 {
	cell := m.cells[a*len(m.count)+j]
	return math.Log((cell - 1 + m.share[j]) / (cell + m.share[j]))
}
