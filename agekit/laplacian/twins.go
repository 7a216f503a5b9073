package laplacian

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/agekit/age/agekit/graph"
)

// TwinClass is a set of at least two nodes with the same neighbors: equal rows of A, or
// of A + w̄I if they are neighbors of each other, where w̄ is the mean weight of an edge, 1
// without weights.
//
// Twins explain why so many eigenvalues of L̃sym = I − D̃^-½(A + w̄I)D̃^-½ are equal. A
// signal that is 0 outside the class and adds up to 0 in it cancels in every neighbor:
// A + w̄I maps it to 0 if the twins are adjacent, and to w̄ times itself if they are not. It
// is therefore an eigenvector, and m nodes give m − 1 independent ones.
type TwinClass struct {
	// Nodes are the nodes of the class in increasing order.
	Nodes []int32
	// Adjacent says that the nodes are neighbors of each other.
	Adjacent bool
	// Eigenvalue is 1 for adjacent twins, and otherwise 1 − w̄/(d+w̄), where d is each twin's
	// degree (the sum of its edges' weights): ½ for leaves, which have one neighbor.
	Eigenvalue float64
}

// Twins returns the twin classes of the graph with adjacency matrix a, ordered by their
// first nodes. No node is in two classes, so the eigenvectors of all classes are
// independent. Nodes without neighbors are left out: each is a component of its own,
// with eigenvalue 0.
func Twins(a *graph.CSR) []TwinClass {
	var classes []TwinClass
	loop := a.MeanWeight()
	for _, adjacent := range []bool{false, true} {
		// Nodes are twins if their rows of A are equal or, for adjacent ones, those of A + w̄I.
		rows := map[string][]int32{} // the nodes of each different row
		for i := range int32(a.Rows) {
			if columns, _ := a.Row(int(i)); len(columns) > 0 {
				key := rowKey(a, i, adjacent, float32(loop))
				rows[key] = append(rows[key], i)
			}
		}
		for _, nodes := range rows {
			if len(nodes) < 2 {
				continue
			}
			c := TwinClass{Nodes: nodes, Adjacent: adjacent, Eigenvalue: 1}
			if !adjacent {
				degree := 0.0
				for _, weight := range a.Each(int(nodes[0])) {
					degree += float64(weight)
				}
				c.Eigenvalue = 1 - loop/(loop+degree)
			}
			classes = append(classes, c)
		}
	}
	slices.SortFunc(classes, func(a, b TwinClass) int { return cmp.Compare(a.Nodes[0], b.Nodes[0]) })
	return classes
}

// rowKey returns a key that only equal rows share: of row i of A or, if withLoop, of row i of A with the
// weight loop on the diagonal.
func rowKey(a *graph.CSR, i int32, withLoop bool, loop float32) string {
	key := make([]byte, 0, 8*(a.Indptr[i+1]-a.Indptr[i])+8)
	add := func(column int32, value float32) {
		key = binary.LittleEndian.AppendUint32(key, uint32(column))
		key = binary.LittleEndian.AppendUint32(key, math.Float32bits(value))
	}
	for j, value := range a.Each(int(i)) {
		if withLoop && int32(j) > i {
			add(i, loop)
			withLoop = false
		}
		add(int32(j), value)
	}
	if withLoop {
		add(i, loop)
	}
	return string(key)
}
