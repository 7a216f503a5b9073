package graph

import (
	"fmt"

	"github.com/agekit/age/internal/system"
)

// Kinds divides the nodes of a graph into two kinds, such as persons and events: each edge joins a node of
// the first kind and one of the second.
type Kinds struct {
	// Of has the kind of each node, 0 or 1, or [NoKind].
	Of []int8 `json:"of"`
	// Names are the names of the kinds, if the graph was read from a table of edges whose two columns tell
	// the kinds: the columns' names. Otherwise both are empty, and kind 0 is that of the first node with
	// edges.
	Names [2]string `json:"names"`
}

// NoKind is the kind of a node without edges.
const NoKind int8 = -1

const (
	// evenCycles is the number of independent cycles from which on it can be no coincidence that all are
	// even: of ten at random, with a chance of 2⁻¹⁰.
	evenCycles = 10
	// latticeDegree is the largest degree that a lattice may have, such as that of the knight's
	// moves on a board.
	latticeDegree = 8
)

// TwoKinds returns the two kinds of nodes that the edges of the graph with adjacency matrix a show, or nil if
// they show none. The edges show two kinds if
//
//   - the graph is connected, but for nodes without edges, and bipartite: it has no cycle of odd length;
//   - it has at least ten independent cycles, m − n + 1 for m edges between n nodes: with edges at
//     random, all of them would be even with a chance below 1 in 1,000. A tree, a path and a star have
//     none: they are bipartite and say nothing;
//   - it is no lattice, such as a grid or a ring, whose nodes have about the same few neighbors: a
//     node has more than eight, and the variance of their number is at least half its mean.
//
// So two kinds whose nodes all have about the same degree are not seen. Kinds that a table of edges tells by
// its columns, which package input reads, need none of this.
func TwoKinds(a *CSR) *Kinds {
	k := &Kinds{Of: make([]int8, a.Rows)}
	for i := range k.Of {
		k.Of[i] = NoKind
	}
	// Give the first node with edges the kind 0, its neighbors the kind 1, theirs 0, and so on.
	var queue []int32
	for i := range a.Rows {
		if a.Indptr[i+1] > a.Indptr[i] {
			queue = append(queue, int32(i))
			k.Of[i] = 0
			break
		}
	}
	for head := 0; head < len(queue); head++ {
		i := queue[head]
		neighbors, _ := a.Row(int(i))
		for _, j := range neighbors {
			switch k.Of[j] {
			case k.Of[i]: // an odd cycle
				return nil
			case NoKind:
				k.Of[j] = 1 - k.Of[i]
				queue = append(queue, j)
			}
		}
	}
	// The queue holds the nodes that are connected with the first one.
	ends := 0     // of all edges: the sum of the degrees
	largest := 0  // degree
	squares := 0. // sum of the squared degrees
	for _, i := range queue {
		degree := a.Indptr[i+1] - a.Indptr[i]
		ends += degree
		squares += float64(degree) * float64(degree)
		largest = max(largest, degree)
	}
	n := float64(max(1, len(queue)))
	mean := float64(ends) / n
	variance := squares/n - mean*mean
	cycles := ends/2 - len(queue) + 1
	isConnected := ends == a.NNZ() // no edge is elsewhere
	isLattice := largest <= latticeDegree || variance < mean/2
	if !isConnected || cycles < evenCycles || isLattice {
		return nil
	}
	return k
}

// Cycles returns the number of independent cycles of the undirected graph with this adjacency
// matrix: m − n + c for m edges and n nodes in c components.
func (m *CSR) Cycles() int {
	_, components := m.Components()
	return m.NNZ()/2 - m.Rows + components
}

// Counts returns the number of nodes of each kind.
func (k *Kinds) Counts() (counts [2]int) {
	for _, kind := range k.Of {
		if kind != NoKind {
			counts[kind]++
		}
	}
	return counts
}

// String returns a sentence that says what the kinds are and how many nodes are of each.
func (k *Kinds) String() string {
	counts := k.Counts()
	text := fmt.Sprintf("These are nodes of two kinds, and each edge joins one of each: %d and %d.", counts[0], counts[1])
	if k.Names[0] != "" {
		text = fmt.Sprintf("These are nodes of two kinds: %d in the column %q and %d in the column %q.", counts[0], k.Names[0], counts[1], k.Names[1])
	}
	if others := len(k.Of) - counts[0] - counts[1]; others > 0 {
		text += fmt.Sprintf(" The kind of %d without edges is unknown.", others)
	}
	return text
}

// Select returns the kinds of the given nodes, in the order of nodes.
func (k *Kinds) Select(nodes []int) *Kinds {
	part := &Kinds{Names: k.Names}
	for _, node := range nodes {
		part.Of = append(part.Of, k.Of[node])
	}
	return part
}

// mostShared is the largest number of pairs of nodes with a common neighbor, each counted for every such
// neighbor, for which [Project] makes a graph.
const mostShared = 50_000_000

// Project returns the adjacency matrix of a graph of the nodes of one kind only, and these nodes in
// increasing order. a is the adjacency matrix of a graph of two kinds, kinds has the kind of each node
// ([Kinds].Of), and kind is the one to keep, 0 or 1. Two nodes that share neighbors are joined. The
// weight of an edge between i and j is
//
//	w_ij = Σ_k min(a_ik, a_jk)/(d_k − 1)
//
// over the neighbors k that both have, where k has d_k neighbors: a neighbor that many nodes share says less
// (Newman, "Scientific collaboration networks. II", Phys. Rev. E 64, 016132, 2001). If all a_ik are 1, as
// there, the weights of a node's edges add up to the number of its neighbors that have other neighbors.
//
// More than 50 million pairs of nodes with a common neighbor, each counted for every such neighbor,
// are an error, and so are more edges than there is memory for.
func Project(a *CSR, kinds []int8, kind int8) (projected *CSR, nodes []int, err error) {
	place := make([]int32, a.Rows) // index in nodes of each node of the kind
	pairs := 0                     // of nodes of the kind that share a neighbor, once for each neighbor
	for i, kindOfNode := range kinds {
		switch degree := a.Indptr[i+1] - a.Indptr[i]; kindOfNode {
		case kind:
			place[i] = int32(len(nodes))
			nodes = append(nodes, i)
		case 1 - kind:
			pairs += degree * (degree - 1) / 2
		}
	}
	if pairs > mostShared {
		return nil, nil, fmt.Errorf("%d nodes share neighbors in %d pairs: want at most %d, as without the neighbors that most of them have", len(nodes), pairs, mostShared)
	}
	const perPair = 2 * 8 // two entries
	if err := system.CheckMemory("the graph of the nodes of one kind", perPair*float64(pairs)); err != nil {
		return nil, nil, err
	}
	projected = &CSR{Rows: len(nodes), Cols: len(nodes), Indptr: make([]int, 1, len(nodes)+1), Values: []float32{}}
	shared := make([]float64, len(nodes)) // weight of the edge from node i to each of the nodes
	for _, i := range nodes {
		start := len(projected.Indices)
		for k, weight := range a.Each(i) {
			for j, other := range a.Each(k) {
				if j == i {
					continue
				}
				if shared[place[j]] == 0 {
					projected.Indices = append(projected.Indices, place[j])
				}
				shared[place[j]] += float64(min(weight, other)) / float64(a.Indptr[k+1]-a.Indptr[k]-1)
			}
		}
		for _, j := range projected.Indices[start:] {
			projected.Values = append(projected.Values, float32(shared[j]))
			shared[j] = 0
		}
		projected.Indptr = append(projected.Indptr, len(projected.Indices))
	}
	projected.sortRows()
	projected.dropUnitValues()
	return projected, nodes, nil
}
