package auto

import (
	"math"
	"slices"

	"github.com/agekit/age/agekit/graph"
)

// columnStats has statistics of the columns of features.
type columnStats struct {
	// isWord says that a column counts by its occurrences, as words do, because less than
	// half of the nodes have it. The others are numbers.
	isWord []bool
	count  []int // number of nodes whose value is not 0
	// entropy is that of the values of a column of numbers, in nats, which is the largest
	// gain that clusters can have for it. It is +Inf if there are more than fewValues
	// besides 0.
	entropy []float64
}

// fewValues is the number of different values of a column up to which they are counted.
const fewValues = 16

func newColumnStats(x graph.Features) columnStats {
	n, f := x.Dims()
	stats := columnStats{make([]bool, f), make([]int, f), make([]float64, f)}
	for i := range n {
		x.EachInRow(i, func(j int, _ float32) { stats.count[j]++ })
	}
	for j, count := range stats.count {
		stats.isWord[j] = 2*count < n
		stats.entropy[j] = math.Inf(1)
	}
	if !slices.Contains(stats.isWord, false) {
		return stats
	}
	nodes := make([]map[float32]int, f) // number of nodes by column and value
	for i := range n {
		x.EachInRow(i, func(j int, v float32) {
			if stats.isWord[j] || len(nodes[j]) > fewValues {
				return
			}
			if nodes[j] == nil {
				nodes[j] = map[float32]int{}
			}
			nodes[j][v]++
		})
	}
	for j, byValue := range nodes {
		if byValue == nil || len(byValue) > fewValues {
			continue
		}
		byValue[0] += n - stats.count[j]
		stats.entropy[j] = entropy(byValue, n)
	}
	return stats
}

// entropy returns the entropy of the values of n nodes, in nats.
func entropy(nodes map[float32]int, n int) (nats float64) {
	for _, count := range nodes {
		if p := float64(count) / float64(n); p > 0 {
			nats -= p * math.Log(p)
		}
	}
	return nats
}

// minVarianceShare is the smallest share of its variance that a column of numbers can have
// left within clusters: −½ln of it is the gain for a normal column, which is never more than
// the entropy. Without it, the gain for a column of zeros and ones that follows from the
// clusters would have no limit.
func (s columnStats) minVarianceShare(j int) float64 { return max(math.Exp(-2*s.entropy[j]), 1e-6) }

// numbered numbers clusters from 0, without gaps.
func numbered(clusters []int) (numbers []int, k int) {
	values, numbers := graph.DistinctIDs(clusters)
	return numbers, len(values)
}

// featureGain returns the log-likelihood, in nats, that the wanted columns (nil: all) gain if
// each node has the distribution of its cluster instead of that of all nodes. The
// distributions are estimated without the node, so that random clusters gain nothing. The
// gain of each column is added to perColumn, unless that is nil.
//
// A node's words are draws from its cluster's words, mixed with those of all nodes with the
// weight of α draws; of several α, the best counts. Numbers are normal, with a mean for each
// cluster and one variance; their gain is at most the entropy of their values.
func featureGain(x graph.Features, stats columnStats, clusters []int, wanted []bool, perColumn []float64) float64 {
	cluster, k := numbered(clusters)
	s := newSums(x, stats, cluster, k, wanted)
	wordGain, alpha := s.bestWordGain()
	if perColumn != nil {
		s.wordGain(alpha, perColumn)
	}
	return wordGain + s.numberGain(wanted, perColumn)
}

// sums has sums over the nodes of each cluster.
type sums struct {
	columnStats
	clusters int
	sizes    []float64 // number of nodes
	draws    []float64 // number of occurrences of words
	// cells and squares are by cluster and column: the sum of the occurrences or values,
	// and of the values squared.
	cells, squares []float64
}

// newSums adds up the wanted columns (nil: all) of the nodes of k clusters.
func newSums(x graph.Features, stats columnStats, cluster []int, k int, wanted []bool) *sums {
	_, f := x.Dims()
	s := &sums{
		columnStats: stats,
		clusters:    k,
		sizes:       make([]float64, k),
		draws:       make([]float64, k),
		cells:       make([]float64, k*f),
		squares:     make([]float64, k*f),
	}
	for i, c := range cluster {
		s.sizes[c]++
		x.EachInRow(i, func(j int, v float32) {
			switch {
			case wanted != nil && !wanted[j]:
			case stats.isWord[j]:
				s.cells[c*f+j]++
				s.draws[c]++
			default:
				s.cells[c*f+j] += float64(v)
				s.squares[c*f+j] += float64(v) * float64(v)
			}
		})
	}
	return s
}

// totals returns the number of nodes and of occurrences of words.
func (s *sums) totals() (nodes, draws float64) {
	for c := range s.clusters {
		nodes += s.sizes[c]
		draws += s.draws[c]
	}
	return nodes, draws
}

// bestWordGain returns the gain of words for the best of several α, and this α.
func (s *sums) bestWordGain() (gain, alpha float64) {
	alpha = 10
	for a := alpha; a <= 10000; a *= math.Sqrt(10) {
		if g := s.wordGain(a, nil); g > gain {
			gain = g
			alpha = a
		}
	}
	return gain, alpha
}

// wordGain returns the gain of words for one α, and adds that of each to perColumn.
func (s *sums) wordGain(alpha float64, perColumn []float64) (gain float64) {
	n, allDraws := s.totals()
	length := allDraws / n // mean draws of a node, which are left out with it
	for j, count := range s.count {
		if !s.isWord[j] || count < 2 {
			continue
		}
		share := float64(count-1) / max(allDraws-length, 1)
		for c, draws := range s.draws {
			occurrences := s.cells[c*len(s.count)+j]
			if occurrences == 0 {
				continue
			}
			cellGain := occurrences * math.Log((occurrences-1+alpha*share)/(max(draws-length, 0)+alpha)/share)
			gain += cellGain
			if perColumn != nil {
				perColumn[j] += cellGain
			}
		}
	}
	return gain
}

// numberGain returns the gain of the wanted numbers, and adds that of each to perColumn.
func (s *sums) numberGain(wanted []bool, perColumn []float64) (gain float64) {
	n, _ := s.totals()
	for j := range s.count {
		if s.isWord[j] || wanted != nil && !wanted[j] {
			continue
		}
		within, total := s.variation(j)
		if total == 0 {
			continue // a constant
		}
		columnGain := -n / 2 * math.Log(max(within/total, s.minVarianceShare(j)))
		gain += columnGain
		if perColumn != nil {
			perColumn[j] += columnGain
		}
	}
	return gain
}

// variation returns the sums of the squared distances of column j from the mean of the other
// nodes in the cluster, and from that of all other nodes; 0 for a constant. The distance
// from the mean of the other m−1 nodes is m/(m−1) times that from the mean of all m.
func (s *sums) variation(j int) (within, total float64) {
	f := len(s.count)
	n, sum, squares := 0., 0., 0.
	for c := range s.clusters {
		n += s.sizes[c]
		sum += s.cells[c*f+j]
		squares += s.squares[c*f+j]
	}
	mean := sum / n
	total = squares - mean*sum
	if n < 2 || total <= 1e-9*squares {
		return 0, 0
	}
	for c, m := range s.sizes {
		v := s.cells[c*f+j]
		q := s.squares[c*f+j]
		if m < 2 {
			within += q - 2*v*mean + m*mean*mean
			continue
		}
		within += (q - v*v/m) * (m / (m - 1)) * (m / (m - 1))
	}
	total *= (n / (n - 1)) * (n / (n - 1))
	return within, total
}
