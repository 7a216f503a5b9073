// Package classes numbers the classes that a file names.
package classes

import (
	"cmp"
	"fmt"
	"slices"
)

// Number numbers the distinct ids in increasing order. labels holds the number of
// each id, and names the text of each distinct id.
func Number[T cmp.Ordered](ids []T) (labels []int, names []string) {
	distinct, labels := Distinct(ids)
	for _, id := range distinct {
		names = append(names, fmt.Sprint(id))
	}
	return labels, names
}

// Distinct returns the distinct ids in increasing order, and the index of each id.
func Distinct[T cmp.Ordered](ids []T) (distinct []T, index []int) {
	distinct = slices.Compact(slices.Sorted(slices.Values(ids)))
	index = make([]int, len(ids))
	for i, id := range ids {
		index[i], _ = slices.BinarySearch(distinct, id)
	}
	return distinct, index
}
