package reproduce

import (
	"slices"
	"testing"
)

// TestMatchedClusters: a node has the most frequent class of its cluster, the first of equals, so that
// a map of clusters can be compared with one of classes. Cluster 9 has as many of 0 as of 1.
func TestMatchedClusters(t *testing.T) {
	labels := matchedClusters([]float64{5, 5, 5, 7, 7, 9, 9}, []int{1, 1, 0, 0, 0, 1, 0})
	if want := []int{1, 1, 1, 0, 0, 0, 0}; !slices.Equal(labels, want) {
		t.Errorf("labels %v, want %v", labels, want)
	}
}
