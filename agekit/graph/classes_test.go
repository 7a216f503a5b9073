package graph

import (
	"slices"
	"testing"
)

// TestShownClasses checks the classes that figures show, by hand: nodes of unknown class form a last
// class, and classes without names get some. A graph without labels has none.
func TestShownClasses(t *testing.T) {
	g := &Graph{Labels: []int{0, 0, 1, 1, -1, -1, -1}, Classes: 3, ClassNames: []string{"north"}}
	labels, names, unknown := ShownClasses(g)
	if !unknown || !slices.Equal(labels, []int{0, 0, 1, 1, 3, 3, 3}) || !slices.Equal(names, []string{"north", "class 1", "class 2", "unknown"}) {
		t.Errorf("shown as %v of %q, unknown %t", labels, names, unknown)
	}
	if labels, names, unknown = ShownClasses(&Graph{}); labels != nil || names != nil || unknown {
		t.Errorf("without labels: shown as %v of %q, unknown %t", labels, names, unknown)
	}
}

// TestNumberClasses checks the numbers and names of classes, by hand: they are in increasing order, of
// numbers by value and of texts by letters.
func TestNumberClasses(t *testing.T) {
	labels, names := NumberClasses([]int{10, -1, 9, 10})
	if !slices.Equal(labels, []int{2, 0, 1, 2}) || !slices.Equal(names, []string{"-1", "9", "10"}) {
		t.Errorf("%v of %v", labels, names)
	}
	labels, names = NumberClasses([]string{"b", "9", "10", "b"})
	if !slices.Equal(labels, []int{2, 1, 0, 2}) || !slices.Equal(names, []string{"10", "9", "b"}) {
		t.Errorf("%v of %v", labels, names)
	}
}
