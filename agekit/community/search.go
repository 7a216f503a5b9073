package community

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/agekit/age/agekit/graph"
)

// negligibleGain is the smallest gain for which a node moves, relative to the
// node's strength: larger than rounding errors, so that the moves end.
const negligibleGain = 1e-10

// weightedGraph is an undirected graph whose edges have weights. A search begins with the graph that it
// is given. In the smaller graphs that follow, each node stands for a group of that graph's nodes.
// Row v of the adjacency matrix is neighbors[indptr[v]:indptr[v+1]], with its weights.
type weightedGraph struct {
	indptr    []int
	neighbors []int32
	weights   []float64 // of each entry of neighbors; nil: all are 1
	strengths []float64 // weight of each node's edges; those within it count twice
	total     float64   // sum of the strengths: twice the weight of all edges
	// differences has, for each node, the strength of its members of kind 0 less that of its
	// members of kind 1; nil if all nodes are of one kind.
	differences []float64
}

// newWeightedGraph returns the graph with the symmetric adjacency matrix a. kinds has the kind of each
// node, as in [LeidenOptions]; nil if all are of one kind.
func newWeightedGraph(a *graph.CSR, kinds []int8) *weightedGraph {
	n := &weightedGraph{indptr: a.Indptr, neighbors: a.Indices, strengths: make([]float64, a.Rows)}
	if a.Values != nil {
		n.weights = make([]float64, len(a.Values))
		for p, w := range a.Values {
			n.weights[p] = float64(w)
		}
	}
	for v := range n.strengths {
		for p := n.indptr[v]; p < n.indptr[v+1]; p++ {
			n.strengths[v] += n.weight(p)
		}
		n.total += n.strengths[v]
	}
	if kinds != nil {
		n.differences = make([]float64, a.Rows)
		for v, kind := range kinds {
			n.differences[v] = n.strengths[v] * signOf(kind)
		}
	}
	return n
}

// signOf returns 1 for the first of two kinds, −1 for the second, and 0 for neither.
func signOf(kind int8) float64 {
	switch kind {
	case 0:
		return 1
	case 1:
		return -1
	}
	return 0
}

// weight returns the weight of entry p of neighbors.
func (n *weightedGraph) weight(p int) float64 {
	if n.weights == nil {
		return 1
	}
	return n.weights[p]
}

// aggregate returns the smaller graph whose nodes are the count communities of p, numbered from 0 on.
// An edge's weight is the sum of the weights between two communities. Edges within a community are
// left out, but the strengths include them.
func (n *weightedGraph) aggregate(ctx context.Context, p *partition, count int) (*weightedGraph, error) {
	// The nodes of community c are members[first[c]:first[c+1]].
	first := make([]int, count+1)
	members := make([]int32, len(p.community))
	for c := range count {
		first[c+1] = first[c] + int(p.nodes[c])
	}
	next := slices.Clone(first)
	for v, c := range p.community {
		members[next[c]] = int32(v)
		next[c]++
	}
	small := &weightedGraph{indptr: make([]int, 1, count+1), weights: []float64{}, strengths: make([]float64, count), total: n.total}
	if p.differences != nil {
		small.differences = p.differences[:count]
	}
	links := newLinkWeights(count)
	for c := range count {
		for k := first[c]; k < first[c+1]; k++ {
			if k%pause == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			links.add(n, members[k], p.community, nil)
		}
		small.strengths[c] = p.strengths[c]
		for _, d := range links.communities {
			if int(d) != c {
				small.neighbors = append(small.neighbors, d)
				small.weights = append(small.weights, links.weight[d])
			}
		}
		links.clear()
		small.indptr = append(small.indptr, len(small.neighbors))
	}
	return small, nil
}

// pause is the number of nodes after which a loop asks whether to stop.
const pause = 4096

// linkWeights holds the weight of the edges from a node, or a group of nodes, to each community.
type linkWeights struct {
	weight      []float64 // to each community
	communities []int32   // those to which it is not 0
}

// newLinkWeights returns weights to the given number of communities, all 0.
func newLinkWeights(communities int) *linkWeights {
	return &linkWeights{weight: make([]float64, communities)}
}

// add adds the weights of the edges of v in n to the communities of its neighbors. communities has the
// community of each node. If within is not nil, only the edges to neighbors u with the same number as
// v, within[u] = within[v], are added.
func (l *linkWeights) add(n *weightedGraph, v int32, communities, within []int32) {
	for p := n.indptr[v]; p < n.indptr[v+1]; p++ {
		u := n.neighbors[p]
		if within != nil && within[u] != within[v] {
			continue
		}
		c := communities[u]
		if l.weight[c] == 0 {
			l.communities = append(l.communities, c)
		}
		l.weight[c] += n.weight(p)
	}
}

// clear sets all weights to 0.
func (l *linkWeights) clear() {
	for _, c := range l.communities {
		l.weight[c] = 0
	}
	l.communities = l.communities[:0]
}

// partition is a partition of a graph's nodes into communities, some of which may
// be empty.
type partition struct {
	community []int32   // each node's community, less than the number of nodes
	nodes     []int32   // number of nodes of each community
	strengths []float64 // sum of the strengths of each community's nodes
	// differences has the sum of the differences of each community's nodes ([weightedGraph]); nil if
	// all nodes are of one kind.
	differences []float64
}

// newPartition returns the partition of the nodes of n into the given communities. The partition
// keeps the slice communities, so that later moves change it.
func newPartition(n *weightedGraph, communities []int32) *partition {
	p := &partition{community: communities, nodes: make([]int32, len(communities)), strengths: make([]float64, len(communities))}
	if n.differences != nil {
		p.differences = make([]float64, len(communities))
	}
	for v, c := range communities {
		p.put(n, int32(v), c)
	}
	return p
}

// singletons returns the partition in which each node is a community.
func singletons(n *weightedGraph) *partition {
	communities := make([]int32, len(n.strengths))
	for v := range communities {
		communities[v] = int32(v)
	}
	return newPartition(n, communities)
}

// take takes v out of its community; [partition.put] must put it into one.
func (p *partition) take(n *weightedGraph, v int32) {
	c := p.community[v]
	p.nodes[c]--
	p.strengths[c] -= n.strengths[v]
	if p.differences != nil {
		p.differences[c] -= n.differences[v]
	}
	if p.nodes[c] == 0 { // a sum over no nodes is 0: drop the rounding errors that are left
		p.strengths[c] = 0
		if p.differences != nil {
			p.differences[c] = 0
		}
	}
}

// put puts v, which is in no community, into community c.
func (p *partition) put(n *weightedGraph, v, c int32) {
	p.community[v] = c
	p.nodes[c]++
	p.strengths[c] += n.strengths[v]
	if p.differences != nil {
		p.differences[c] += n.differences[v]
	}
}

// gain returns how much the modularity rises, times the weight m of all edges, when node v of n,
// which is in no community, is put into community c. Edges of weight w lead from v to c:
//
//	w − k_v·K_c/2m
//
// Here k_v and K_c are the strengths of v and c, and 2m is n.total. With two kinds, only edges
// between nodes of different kinds are expected (Barber, Phys. Rev. E 76, 066102, 2007). Where v
// has the strengths k and k' in the two kinds, and c has K and K', the gain is
//
//	w − (k·K' + k'·K)/m = w − [(k + k')(K + K') − (k − k')(K − K')]/2m
func (p *partition) gain(n *weightedGraph, v, c int32, w float64) float64 {
	product := n.strengths[v] * p.strengths[c]
	if p.differences != nil {
		product -= n.differences[v] * p.differences[c]
	}
	return w - product/n.total
}

// renumber numbers the communities of p, which is a partition of n, from 0 without gaps in the order
// of their first nodes. It returns the number of communities.
func (p *partition) renumber(n *weightedGraph) int {
	numbers := make([]int32, len(p.community)) // each community's new number plus 1; 0: none yet
	count := int32(0)
	for v, c := range p.community {
		if numbers[c] == 0 {
			count++
			numbers[c] = count
		}
		p.community[v] = numbers[c] - 1
	}
	*p = *newPartition(n, p.community)
	return int(count)
}

// search is a search for communities.
type search struct {
	whole *weightedGraph // the graph as it is given
	rnd   *rand.Rand
	// refine splits the communities of p, a partition of n, into the groups that become the nodes of
	// the next smaller graph. If refine is nil, the communities of p become these nodes.
	refine func(ctx context.Context, n *weightedGraph, p *partition) (*partition, error)
}

// newSearch returns a search in the graph with adjacency matrix a, or an error if the graph has no
// edges. kinds are those of [newWeightedGraph], and rnd draws the order in which nodes move.
func newSearch(a *graph.CSR, kinds []int8, rnd *rand.Rand) (*search, error) {
	if a.NNZ() == 0 {
		return nil, errors.New("the graph has no edges: nothing to cluster")
	}
	return &search{whole: newWeightedGraph(a, kinds), rnd: rnd}, nil
}

// improve starts from the given communities of the whole graph's nodes and moves nodes, and then groups
// of nodes, to other communities until none moves. It overwrites communities with the result, numbered
// in the order of their first nodes.
func (s *search) improve(ctx context.Context, communities []int32) error {
	n := s.whole
	p := newPartition(n, slices.Clone(communities))
	// groupOf has, for each node of the whole graph, the node of n that it belongs to.
	groupOf := make([]int32, len(communities))
	for i := range groupOf {
		groupOf[i] = int32(i)
	}
	for {
		if err := s.move(ctx, n, p); err != nil {
			return err
		}
		count := p.renumber(n)
		if count == len(p.community) { // no node joined another
			break
		}
		groups, size := p, count
		if s.refine != nil {
			var err error
			if groups, err = s.refine(ctx, n, p); err != nil {
				return err
			}
			size = groups.renumber(n)
		}
		small, err := n.aggregate(ctx, groups, size)
		if err != nil {
			return err
		}
		// Groups begin in the communities that their nodes have found.
		communityOfGroup := make([]int32, size)
		for v, g := range groups.community {
			communityOfGroup[g] = p.community[v]
		}
		for i, v := range groupOf {
			groupOf[i] = groups.community[v]
		}
		n, p = small, newPartition(small, communityOfGroup)
	}
	for i, v := range groupOf {
		communities[i] = p.community[v]
	}
	return nil
}

// move moves the nodes of n, one by one, each to the community of p where it gains most, an
// empty one included, until none gains. It changes p. A node waits to be looked at again when a
// neighbor has moved to another community than the node's own.
func (s *search) move(ctx context.Context, n *weightedGraph, p *partition) error {
	size := len(p.community)
	// The queue is a ring: the nodes that wait are the `waiting` entries from `head` on. At first all
	// nodes wait. waits says which nodes wait, so that none is in the queue twice.
	queue := shuffled(size, s.rnd)
	waits := make([]bool, size)
	var empty []int32 // communities without nodes
	for c := range waits {
		waits[c] = true
		if p.nodes[c] == 0 {
			empty = append(empty, int32(c))
		}
	}
	links := newLinkWeights(size)
	for head, waiting, looks := 0, size, 0; waiting > 0; looks++ {
		if looks%pause == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		v := queue[head]
		waits[v] = false
		head = (head + 1) % size
		waiting--
		from := p.community[v]
		p.take(n, v)
		links.add(n, v, p.community, nil)
		best := from
		bestGain := p.gain(n, v, from, links.weight[from]) + negligibleGain*n.strengths[v]
		// With two kinds, a node without edges to the rest of its community gains 0 there, not less, if
		// the rest is of its own kind. It leaves nevertheless, so that communities are connected.
		apart := links.weight[from] == 0
		for _, c := range links.communities {
			if gain := p.gain(n, v, c, links.weight[c]); gain > bestGain {
				best = c
				bestGain = gain
			}
		}
		links.clear()
		leaves := bestGain < 0 || (best == from && apart)
		if leaves && p.nodes[from] > 0 { // not if v was alone: it stays alone
			best = empty[len(empty)-1]
			empty = empty[:len(empty)-1]
		}
		p.put(n, v, best)
		if best == from {
			continue
		}
		if p.nodes[from] == 0 {
			empty = append(empty, from)
		}
		for _, u := range n.neighbors[n.indptr[v]:n.indptr[v+1]] {
			if p.community[u] != best && !waits[u] {
				queue[(head+waiting)%size] = u
				waits[u] = true
				waiting++
			}
		}
	}
	return nil
}

// shuffled returns the numbers from 0 to n−1 in random order.
func shuffled(n int, rnd *rand.Rand) []int32 {
	order := make([]int32, n)
	for i := range order {
		j := rnd.IntN(i + 1)
		order[i] = order[j]
		order[j] = int32(i)
	}
	return order
}

// ints returns a copy of communities with elements of type int.
func ints(communities []int32) []int {
	clusters := make([]int, len(communities))
	for i, c := range communities {
		clusters[i] = int(c)
	}
	return clusters
}
