package community

import (
	"slices"

	"github.com/agekit/age/agekit/graph"
)

// pairsAmong is the number of communities up to which Join compares all pairs.
const pairsAmong = 200

// Join joins communities until k are left, and numbers them in the order of their first
// nodes. communities has the community of each node, and kinds its kind, as in [LeidenOptions]; nil if
// all are of one. Of all pairs, the one that raises the modularity most is joined, or lowers it
// least; while there are more than 200, the smallest community joins another.
func Join(a *graph.CSR, communities []int, kinds []int8, k int) []int {
	n := newWeightedGraph(a, kinds)
	count := slices.Max(communities) + 1
	links := make([]map[int]float64, count) // weight of the edges between communities
	strengths, differences := make([]float64, count), make([]float64, count)
	sizes := make([]int, count)
	for c := range links {
		links[c] = map[int]float64{}
	}
	for v, c := range communities {
		sizes[c]++
		strengths[c] += n.strengths[v]
		if kinds != nil {
			differences[c] += n.differences[v]
		}
		for p := n.indptr[v]; p < n.indptr[v+1]; p++ {
			links[c][communities[n.neighbors[p]]] += n.weight(p)
		}
	}
	joinedInto := make([]int, count) // itself if it is left
	var remaining []int
	for c := range joinedInto {
		joinedInto[c] = c
		if sizes[c] > 0 {
			remaining = append(remaining, c)
		}
	}
	gain := func(b, c int) float64 {
		return links[b][c] - (strengths[b]*strengths[c]-differences[b]*differences[c])/max(n.total, 1e-300)
	}
	for len(remaining) > max(1, k) {
		keep, gone, best := -1, -1, 0.
		consider := func(b, c int) {
			if g := gain(b, c); keep < 0 || g > best || g == best && sizes[b]+sizes[c] > sizes[keep]+sizes[gone] {
				keep, gone, best = b, c, g
			}
		}
		if len(remaining) > pairsAmong {
			smallest := slices.MinFunc(remaining, func(b, c int) int { return sizes[b] - sizes[c] })
			for _, c := range remaining {
				if c != smallest {
					consider(c, smallest)
				}
			}
		} else {
			for i, b := range remaining {
				for _, c := range remaining[i+1:] {
					consider(b, c)
				}
			}
		}
		for c, w := range links[gone] {
			links[keep][c] += w
			if c != keep && c != gone {
				links[c][keep] += w
				delete(links[c], gone)
			}
		}
		links[keep][keep] += links[keep][gone]
		delete(links[keep], gone)
		strengths[keep] += strengths[gone]
		differences[keep] += differences[gone]
		sizes[keep] += sizes[gone]
		joinedInto[gone] = keep
		remaining = slices.DeleteFunc(remaining, func(c int) bool { return c == gone })
	}
	joined := make([]int, len(communities))
	number := map[int]int{}
	for v, c := range communities {
		for joinedInto[c] != c {
			c = joinedInto[c]
		}
		if _, known := number[c]; !known {
			number[c] = len(number)
		}
		joined[v] = number[c]
	}
	return joined
}
