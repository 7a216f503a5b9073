package auto

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/parallel"
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
	parallel.Blocks(len(numbers), 1, func(lo, hi int) {
		for at := lo; at < hi; at++ {
			tables, k := groupTables(a, clusterings[at], group)
			all := func(draws [edgeGroups]int) float64 {
				joint := make([]float64, k*k)
				for e, times := range draws {
					for p, w := range tables[e] {
						joint[p] += float64(times) * w
					}
				}
				c := float64(numbers[at].Clusters)
				return (metric.Information(joint, k) - c*(c-1)/float64(a.NNZ())) / math.Log(c)
			}
			var once [edgeGroups]int
			for e := range once {
				once[e] = 1
			}
			numbers[at].EdgeShare = all(once)
			for _, d := range draws {
				shares[at] = append(shares[at], all(d))
			}
			// Drawing edges twice makes the clusters tell more, on the average.
			bias := stat.Mean(shares[at], nil) - numbers[at].EdgeShare
			for b := range shares[at] {
				shares[at][b] -= bias
			}
		}
	})
	for b := range resamples {
		best := 0
		for at := range shares {
			if shares[at][b] > shares[best][b] {
				best = at
			}
		}
		numbers[best].Highest += 1. / resamples
	}
	setLevels(numbers, func(at, beside int) bool {
		var differences []float64
		for b := range resamples {
			differences = append(differences, shares[at][b]-shares[beside][b])
		}
		mean, deviation := stat.MeanStdDev(differences, nil)
		return mean > 2*deviation
	})
}

// setLevels sets the numbers' Level. higher says whether one has a clearly higher share than
// another one. Beyond the largest number may be a higher one; below 2, there is none.
func setLevels(numbers []Number, higher func(at, beside int) bool) {
	for at := range numbers {
		below := at == 0 && numbers[0].Clusters == 2 || at > 0 && higher(at, at-1)
		numbers[at].Level = below && at+1 < len(numbers) && higher(at, at+1)
	}
}

// groupTables returns the weight of the edges of each group by the clusters of their ends.
func groupTables(a *graph.CSR, clusters []int, group []uint8) (tables [edgeGroups][]float64, k int) {
	of, k := numbered(clusters)
	for e := range tables {
		tables[e] = make([]float64, k*k)
	}
	p := 0
	for i, b := range of {
		for j, w := range a.Each(i) {
			if c := of[j]; int(j) > i {
				tables[group[p]][b*k+c] += float64(w)
				tables[group[p]][c*k+b] += float64(w)
			}
			p++
		}
	}
	return tables, k
}

// LikelyNumbers returns the least and the most of the numbers of clusters that are the highest in
// 95 % of the resamples of the edges ([Number].Highest), the rarest left out.
func (t *SearchReport) LikelyNumbers() (least, most int) {
	numbers := slices.Clone(t.Numbers)
	slices.SortStableFunc(numbers, func(a, b Number) int { return cmp.Compare(b.Highest, a.Highest) })
	least, sum := math.MaxInt, 0.
	for _, n := range numbers {
		least, most = min(least, n.Clusters), max(most, n.Clusters)
		if sum += n.Highest; sum >= 0.95 {
			break
		}
	}
	return least, most
}

// Levels returns up to three numbers of clusters that stand out ([Number].Level), with the
// highest EdgeShare, in order.
func (t *SearchReport) Levels() (levels []int) {
	numbers := slices.DeleteFunc(slices.Clone(t.Numbers), func(n Number) bool { return !n.Level })
	slices.SortStableFunc(numbers, func(a, b Number) int { return cmp.Compare(b.EdgeShare, a.EdgeShare) })
	for _, n := range numbers[:min(3, len(numbers))] {
		levels = append(levels, n.Clusters)
	}
	slices.Sort(levels)
	return levels
}

// Count says which number of clusters was chosen, how sure it is, and which others stand
// out; "" if it was given.
func (t *SearchReport) Count() string {
	if t.Numbers == nil {
		return ""
	}
	chosen, of := t.Numbers[t.ChosenNumber()], Range{t.Numbers[0].Clusters, t.Numbers[len(t.Numbers)-1].Clusters}
	said := fmt.Sprintf("%d clusters tell most about the edges, of %d to %d.", chosen.Clusters, of.Least, of.Most)
	if chosen.EdgeShare <= 0 {
		said = fmt.Sprintf("The edges do not tell how many clusters there are: no number from %d to %d tells more about them than clusters do by chance. %d comes nearest; better give the number yourself.", of.Least, of.Most, chosen.Clusters)
	} else if least, most := t.LikelyNumbers(); most > least {
		said += fmt.Sprintf(" The edges leave %d to %d open.", least, most)
	}
	if chosen.Communities {
		said += " The clusters that are counted are communities of the edges: they tell more about edges that were held out than clusters of the features."
	}
	var others []string
	for _, k := range t.Levels() {
		if k != chosen.Clusters {
			others = append(others, fmt.Sprint(k))
		}
	}
	if others != nil {
		said += fmt.Sprintf(" Another level to look at: %s.", strings.Join(others, " or "))
	}
	return said
}

// EdgeShare returns the [Number.EdgeShare] of the clusters of the nodes.
func EdgeShare(a *graph.CSR, clusters []int) float64 {
	_, k := numbered(clusters)
	if k < 2 || a.NNZ() == 0 {
		return 0
	}
	return (metric.EdgeInformation(a, clusters) - float64(k*(k-1))/float64(a.NNZ())) / math.Log(float64(k))
}
