package experiment

import (
	"slices"
	"testing"
)

// TestLargestClusters: the largest come first, and the rest is together.
func TestLargestClusters(t *testing.T) {
	labels, names := largestClusters([]float64{5, 7, 7, 2, 7, 5, 9}, 2)
	if !slices.Equal(labels, []int{1, 0, 0, 2, 0, 1, 2}) || !slices.Equal(names, []string{"cluster 1: 3 nodes", "cluster 2: 2 nodes", "2 smaller ones"}) {
		t.Errorf("labels %v, names %v", labels, names)
	}
	if labels, names = largestClusters([]float64{1, 1, 0}, 2); !slices.Equal(labels, []int{0, 0, 1}) || len(names) != 2 {
		t.Errorf("labels %v, names %v", labels, names)
	}
}
