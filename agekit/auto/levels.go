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

// countPower is the power of ln k by which the gain of k clusters is divided to compare numbers.
// With 1, real graphs get too few clusters, and with 0.8 or less some get too many.
const countPower = 0.85

// levelPowers are those of the levels: of coarse, of chosen and of fine clusters.
var levelPowers = []float64{1, countPower, 0.5}

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
			drawnShare := func(draws [edgeGroups]int) float64 {
				joint := make([]float64, k*k)
				for e, times := range draws {
					for p, w := range tables[e] {
						joint[p] += float64(times) * w
					}
				}
				return edgeShare(metric.Information(joint, k), numbers[i].Clusters, a)
			}
			var once [edgeGroups]int
			for e := range once {
				once[e] = 1
			}
			numbers[i].EdgeShare = drawnShare(once)
			for _, d := range draws {
				shares[i] = append(shares[i], drawnShare(d))
			}
			// Edges that are drawn twice increase the share, on the average.
			bias := stat.Mean(shares[i], nil) - numbers[i].EdgeShare
			for b := range shares[i] {
				shares[i][b] -= bias
			}
		}
	})
	setHighest(numbers, shares)
	setLevels(numbers)
}

// setHighest sets the numbers' Highest by shares of each number and resample.
func setHighest(numbers []Number, shares [][]float64) {
	for b := range shares[0] {
		best := 0
		for i := range shares {
			if shares[i][b] > shares[best][b] {
				best = i
			}
		}
		numbers[best].Highest += 1 / float64(len(shares[0]))
	}
}

// setLevels sets the numbers' Level.
func setLevels(numbers []Number) {
	for _, power := range levelPowers {
		share := func(n Number) float64 { return n.EdgeShare * perCluster(n.Clusters, countPower-power) }
		best := 0
		for i, n := range numbers {
			if share(n) > share(numbers[best]) {
				best = i
			}
		}
		numbers[best].Level = numbers[best].EdgeShare > 0
	}
}

// perCluster returns (ln k)^power, because the gain can grow with the number of clusters.
func perCluster(k int, power float64) float64 { return math.Pow(math.Log(float64(k)), power) }

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
	return edgeShare(metric.EdgeInformation(a, clusters), k, a)
}

// edgeShare returns the [Number.EdgeShare] of k clusters that have some information.
func edgeShare(information float64, k int, a *graph.CSR) float64 {
	return (information - float64(k*(k-1))/float64(a.NNZ())) / perCluster(k, countPower)
}
