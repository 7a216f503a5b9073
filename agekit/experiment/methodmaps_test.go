package experiment

import (
	"slices"
	"testing"
)

// Clusters have the color of their most frequent class, so that a map of clusters can be
// compared with one of classes.
func TestMatchedClusters(t *testing.T) {
	labels, names := matchedClusters([]float64{5, 5, 5, 7, 7, 9, 9}, []int{1, 1, 0, 0, 0, 1, 0}, []string{"Theory", "Case Based", "Rule Learning"})
	if want := []int{1, 1, 1, 0, 0, 0, 0}; !slices.Equal(labels, want) {
		t.Errorf("labels %v, want %v", labels, want)
	}
	if _, names := matchedClusters([]float64{5, 7}, []int{0, 1}, nil); !slices.Equal(names, []string{"class 0: 1", "class 1: 1"}) {
		t.Errorf("names %q of classes without names", names)
	}
	if want := []string{"Theory: 2", "Case Based: 1", "Rule Learning: 0"}; !slices.Equal(names, want) {
		t.Errorf("names %q, want %q", names, want)
	}
}
