package auto

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/linalg"
)

// The edges are resampled as whole groups, drawn with replacement, of which each edge
// belongs to one at random.
const resamples, edgeGroups = 200, 50

// measureShares sets the numbers' EdgeShare, and by the bootstrap how sure it is which is
// the highest. The same resamples serve all numbers, so that they can be compared.
func measureShares(numbers []Number, a *graph.CSR, clusterings [][]int, rnd *rand.Rand) {
	group := make([]uint8, a.NNZ()) // of the edges to larger nodes
	for p := range group {
		group[p] = uint8(rnd.IntN(edgeGroups))
	}
	draws := make([][edgeGroups]int, resamples) // how often each group is drawn
	for b := range draws {
		for range edgeGroups {
			draws[b][rnd.IntN(edgeGroups)]++
		}
	}
	shares := make([][]float64, len(numbers)) // of each resample
	linalg.Parallel(len(numbers), 1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			tables, k := groupTables(a, clusterings[i], group)
			edgeShare := func(draws [edgeGroups]int) float64 {
				joint := make([]float64, k*k)
				for e, times := range draws {
					for p, w := range tables[e] {
						joint[p] += float64(times) * w
					}
				}
				c := float64(numbers[i].Clusters)
				return (metric.Information(joint, k) - c*(c-1)/float64(a.NNZ())) / math.Log(c)
			}
			var once [edgeGroups]int
			for e := range once {
				once[e] = 1
			}
			numbers[i].EdgeShare = edgeShare(once)
			for _, d := range draws {
				shares[i] = append(shares[i], edgeShare(d))
			}
			// Edges that are drawn twice increase the share, on the average.
			bias := stat.Mean(shares[i], nil) - numbers[i].EdgeShare
			for b := range shares[i] {
				shares[i][b] -= bias
			}
		}
	})
	for b := range resamples {
		best := 0
		for i := range shares {
			if shares[i][b] > shares[best][b] {
				best = i
			}
		}
		numbers[best].Highest += 1. / resamples
	}
	setLevels(numbers, func(i, neighbor int) bool {
		var differences []float64
		for b := range resamples {
			differences = append(differences, shares[i][b]-shares[neighbor][b])
		}
		mean, deviation := stat.MeanStdDev(differences, nil)
		return mean > 2*deviation
	})
}

// setLevels sets the numbers' Level. higher reports whether number i has a clearly higher
// share than a neighbor. The number after the largest is unknown, and may be higher; the
// number before 2 does not exist.
func setLevels(numbers []Number, higher func(i, neighbor int) bool) {
	for i := range numbers {
		overPrevious := i == 0 && numbers[0].Clusters == 2 || i > 0 && higher(i, i-1)
		numbers[i].Level = overPrevious && i+1 < len(numbers) && higher(i, i+1)
	}
}

// groupTables returns the weight of the edges of each group by the clusters of their ends.
func groupTables(a *graph.CSR, clusters []int, group []uint8) (tables [edgeGroups][]float64, k int) {
	cluster, k := numbered(clusters)
	for e := range tables {
		tables[e] = make([]float64, k*k)
	}
	p := 0
	for i, ci := range cluster {
		for j, w := range a.Each(i) {
			if int(j) > i {
				cj := cluster[j]
				tables[group[p]][ci*k+cj] += float64(w)
				tables[group[p]][cj*k+ci] += float64(w)
			}
			p++
		}
	}
	return tables, k
}

// EdgeShare returns the [Number.EdgeShare] of the clusters of the nodes.
func EdgeShare(a *graph.CSR, clusters []int) float64 {
	_, k := numbered(clusters)
	if k < 2 || a.NNZ() == 0 {
		return 0
	}
	return (metric.EdgeInformation(a, clusters) - float64(k*(k-1))/float64(a.NNZ())) / math.Log(float64(k))
}
