package metric

import (
	"slices"

	"github.com/agekit/age/agekit/graph"
)

// Match returns the cluster of each node of g, renumbered so that figures give a cluster the color of its
// class. A cluster gets the number of the class that it matches best, one to one ([Confusion]), and
// clusters without a class get the numbers after the classes. If g has no labels, clusters keep their
// numbers.
func Match(g *graph.Graph, clusters []int) []int {
	if g.Labels == nil {
		return clusters
	}
	m := NewConfusion(Known(g.Labels, clusters))
	number, next := map[int]int{}, g.Classes // each cluster's new number, and the next free one
	for r, c := range m.Assigned {
		if c >= 0 {
			number[m.Clusters[c]] = m.Classes[r]
		}
	}
	all := slices.Compact(slices.Sorted(slices.Values(clusters)))
	// m has only clusters with a node of a known class: all others follow.
	for _, c := range append(m.Clusters, all...) {
		if _, ok := number[c]; !ok {
			number[c] = next
			next++
		}
	}
	matched := make([]int, len(clusters))
	for i, c := range clusters {
		matched[i] = number[c]
	}
	return matched
}
