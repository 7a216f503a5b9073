package community

import (
	"slices"

	"github.com/agekit/age/agekit/graph"
)

// pairsAmong is the number of communities up to which Join compares all pairs. Among more, it compares
// only those of the smallest community, because the number of pairs grows as the square.
const pairsAmong = 200

// Join joins communities, two at a time, until k are left. It returns the community of each node,
// numbered in the order of their first nodes; if there are k or fewer, none are joined. a is the
// graph's symmetric adjacency matrix. communities has the community of each node before, and kinds
// its kind, as in [LeidenOptions]; nil if all are of one kind. Each step joins the pair that raises the
// modularity most, or lowers it least. While there are more than 200 communities, only pairs with
// the smallest community are compared.
func Join(a *graph.CSR, communities []int, kinds []int8, k int) []int {
	j := newJoining(a, communities, kinds)
	joinedInto := make([]int, len(j.sizes)) // of each community: itself, while it remains
	for c := range joinedInto {
		joinedInto[c] = c
	}
	for len(j.remaining) > max(1, k) {
		keep, gone := j.bestPair()
		j.join(keep, gone)
		joinedInto[gone] = keep
	}
	joined := make([]int, len(communities))
	number := map[int]int{} // of each community that remains, in the order of first nodes
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

// joining holds the communities while they are joined. After one was joined to another, it is no
// longer in remaining, and its entries in the other fields are stale.
type joining struct {
	// links[b][c] is the weight of the edges between the communities b and c, and links[c][c] twice
	// that of the edges within c.
	links       []map[int]float64
	strengths   []float64 // sum of the strengths of each community's nodes
	differences []float64 // sum of the differences of each community's nodes ([weightedGraph]); 0 for one kind
	sizes       []int     // number of nodes of each community
	total       float64   // sum of all strengths
	remaining   []int     // the communities that have nodes and were not joined to another
}

// newJoining returns the communities as they are given to [Join], before any are joined.
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

// gain returns by how much joining the communities b and c raises the modularity, times the weight of
// all edges. The formula is that of [partition.gain].
func (j *joining) gain(b, c int) float64 {
	const notZero = 1e-300 // of a graph without edges, the expected weight is 0/notZero = 0, not 0/0
	expected := (j.strengths[b]*j.strengths[c] - j.differences[b]*j.differences[c]) / max(j.total, notZero)
	return j.links[b][c] - expected
}

// bestPair returns the pair of remaining communities with the largest gain; of several such pairs, the
// one with the most nodes. Among more than pairsAmong communities, it compares only the pairs with the
// smallest one. The community gone is to be joined to keep.
func (j *joining) bestPair() (keep, gone int) {
	keep, gone, best := -1, -1, 0.
	consider := func(b, c int) {
		g := j.gain(b, c)
		if keep < 0 || g > best || (g == best && j.sizes[b]+j.sizes[c] > j.sizes[keep]+j.sizes[gone]) {
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

// join adds the nodes and edges of the community gone to the community keep.
func (j *joining) join(keep, gone int) {
	for c, w := range j.links[gone] {
		j.links[keep][c] += w
		if c != keep && c != gone {
			j.links[c][keep] += w
			delete(j.links[c], gone)
		}
	}
	// The loop has added the weight within gone to links[keep][gone], and the edges between the two
	// once to links[keep][keep]. Here they are added a second time: within keep, edges count twice.
	j.links[keep][keep] += j.links[keep][gone]
	delete(j.links[keep], gone)
	j.strengths[keep] += j.strengths[gone]
	j.differences[keep] += j.differences[gone]
	j.sizes[keep] += j.sizes[gone]
	j.remaining = slices.DeleteFunc(j.remaining, func(c int) bool { return c == gone })
}
