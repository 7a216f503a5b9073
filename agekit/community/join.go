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
	j := newJoining(a, communities, kinds)
	joinedInto := make([]int, len(j.sizes)) // itself, while it remains
	for c := range joinedInto {
		joinedInto[c] = c
	}
	for len(j.remaining) > max(1, k) {
		keep, gone := j.bestPair()
		j.join(keep, gone)
		joinedInto[gone] = keep
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

// joining holds the communities while they are joined. A community that was joined to another does
// not remain, and what it has here counts no more.
type joining struct {
	links       []map[int]float64 // weight of the edges from each community to each other one and, twice, within it
	strengths   []float64         // sum of the strengths of each community's nodes
	differences []float64         // the same with the sign of their kind; 0 for one kind
	sizes       []int             // number of nodes of each community
	total       float64           // sum of all strengths
	remaining   []int
}

// newJoining returns the communities as they are given; those without nodes do not remain.
func newJoining(a *graph.CSR, communities []int, kinds []int8) *joining {
	n := newWeightedGraph(a, kinds)
	count := slices.Max(communities) + 1
	j := &joining{
		links: make([]map[int]float64, count), strengths: make([]float64, count), differences: make([]float64, count),
		sizes: make([]int, count), total: n.total,
	}
	for c := range j.links {
		j.links[c] = map[int]float64{}
	}
	for v, c := range communities {
		j.sizes[c]++
		j.strengths[c] += n.strengths[v]
		if kinds != nil {
			j.differences[c] += n.differences[v]
		}
		for p := n.indptr[v]; p < n.indptr[v+1]; p++ {
			j.links[c][communities[n.neighbors[p]]] += n.weight(p)
		}
	}
	for c, size := range j.sizes {
		if size > 0 {
			j.remaining = append(j.remaining, c)
		}
	}
	return j
}

// gain returns by how much joining b and c raises the modularity, times the weight of all edges, as
// [partition.gain] does for a node.
func (j *joining) gain(b, c int) float64 {
	expected := (j.strengths[b]*j.strengths[c] - j.differences[b]*j.differences[c]) / max(j.total, 1e-300)
	return j.links[b][c] - expected
}

// bestPair returns the pair with the largest gain, of several the one with the most nodes: of all
// pairs or, among many communities, of those with the smallest one. The second is the one to go.
func (j *joining) bestPair() (keep, gone int) {
	keep, gone, best := -1, -1, 0.
	consider := func(b, c int) {
		g := j.gain(b, c)
		if keep < 0 || g > best || g == best && j.sizes[b]+j.sizes[c] > j.sizes[keep]+j.sizes[gone] {
			keep, gone, best = b, c, g
		}
	}
	if len(j.remaining) > pairsAmong {
		smallest := slices.MinFunc(j.remaining, func(b, c int) int { return j.sizes[b] - j.sizes[c] })
		for _, c := range j.remaining {
			if c != smallest {
				consider(c, smallest)
			}
		}
		return keep, gone
	}
	for p, b := range j.remaining {
		for _, c := range j.remaining[p+1:] {
			consider(b, c)
		}
	}
	return keep, gone
}

// join adds the community gone to the community keep.
func (j *joining) join(keep, gone int) {
	for c, w := range j.links[gone] {
		j.links[keep][c] += w
		if c != keep && c != gone {
			j.links[c][keep] += w
			delete(j.links[c], gone)
		}
	}
	j.links[keep][keep] += j.links[keep][gone]
	delete(j.links[keep], gone)
	j.strengths[keep] += j.strengths[gone]
	j.differences[keep] += j.differences[gone]
	j.sizes[keep] += j.sizes[gone]
	j.remaining = slices.DeleteFunc(j.remaining, func(c int) bool { return c == gone })
}
