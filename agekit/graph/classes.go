package graph

// This part numbers and names the classes of nodes.

import (
	"cmp"
	"fmt"
	"slices"
)

// NumberClasses numbers the distinct ids from 0 in increasing order. It returns the number of each id as
// labels, and the text of each distinct id as names.
func NumberClasses[T cmp.Ordered](ids []T) (labels []int, names []string) {
	distinct, labels := DistinctIDs(ids)
	for _, id := range distinct {
		names = append(names, fmt.Sprint(id))
	}
	return labels, names
}

// SetClasses sets g.Labels, g.Classes and g.ClassNames for n nodes. class returns the class of a node, or
// false if it is unknown. Classes are numbered as [NumberClasses] does.
func SetClasses[T int | int64 | string](g *Graph, n int, class func(node int) (T, bool)) {
	var nodes []int // of known class
	var ids []T
	for node := range n {
		if c, known := class(node); known {
			nodes, ids = append(nodes, node), append(ids, c)
		}
	}
	numbers, names := NumberClasses(ids)
	g.Labels, g.Classes, g.ClassNames = slices.Repeat([]int{Unknown}, n), len(names), names
	for k, node := range nodes {
		g.Labels[node] = numbers[k]
	}
}

// DistinctIDs returns the distinct ids in increasing order, and, for each of ids, its index among the
// distinct ones.
func DistinctIDs[T cmp.Ordered](ids []T) (distinct []T, index []int) {
	distinct = slices.Compact(slices.Sorted(slices.Values(ids)))
	index = make([]int, len(ids))
	for i, id := range ids {
		index[i], _ = slices.BinarySearch(distinct, id)
	}
	return distinct, index
}

// ShownClasses returns the classes of a graph's nodes, and their names, as figures show them.
// Classes without names are "class 0", "class 1", …. Nodes of unknown class, if there are
// any, form a last class, "unknown", and unknown is true. If the graph has no labels, labels and names are
// nil.
func ShownClasses(g *Graph) (labels []int, names []string, unknown bool) {
	if g.Labels == nil {
		return nil, nil, false
	}
	labels, names = slices.Clone(g.Labels), slices.Clone(g.ClassNames)
	for class := len(names); class < g.Classes; class++ {
		names = append(names, fmt.Sprint("class ", class))
	}
	for i, class := range labels {
		if class == Unknown {
			labels[i], unknown = g.Classes, true
		}
	}
	if unknown {
		names = append(names, "unknown")
	}
	return labels, names, unknown
}
