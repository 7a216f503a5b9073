package metric

import (
	"slices"

	"github.com/agekit/age/agekit/graph"
)

// Match numbers clusters as the classes that they match best, one to one
// ([Confusion]), and those without a class after them. Without labels, clusters
// keep their numbers. It gives a cluster the color of its class in figures.
func Match(g *graph.Graph, clusters []int) []int {
	if g.Labels == nil {
		return clusters
	}
	m := NewConfusion(Known(g.Labels, clusters))
	number, next := map[int]int{}, g.Classes
	for r, c := range m.Assigned {
		if c >= 0 {
			number[m.Clusters[c]] = m.Classes[r]
		}
	}
	all := slices.Compact(slices.Sorted(slices.Values(clusters)))
	for _, c := range append(m.Clusters, all...) { // some may have no node of a known class
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
