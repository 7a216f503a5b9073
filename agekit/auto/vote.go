package auto

import (
	"slices"

	"github.com/agekit/age/agekit/metric"
)

// vote returns the cluster that most clusterings give to each node, numbered as in the
// first clustering, which also decides between clusters with as many votes. The clusters
// of each of the others are assigned to those of the first so that most nodes agree.
func vote(clusterings [][]int) []int {
	first := clusterings[0]
	k := slices.Max(first) + 1
	votes := make([]int, len(first)*k)
	for i, c := range first {
		votes[i*k+c]++
	}
	for _, other := range clusterings[1:] {
		m := metric.NewConfusion(first, other)
		assigned := map[int]int{} // cluster of first by cluster of other
		for r, c := range m.Assigned {
			if c >= 0 {
				assigned[m.Clusters[c]] = m.Classes[r]
			}
		}
		for i, c := range other {
			if to, ok := assigned[c]; ok {
				votes[i*k+to]++
			}
		}
	}
	winner := make([]int, len(first))
	for i, c := range first {
		winner[i] = c
		for to, v := range votes[i*k : (i+1)*k] {
			if v > votes[i*k+winner[i]] {
				winner[i] = to
			}
		}
	}
	return winner
}
