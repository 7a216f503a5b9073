package classes

import (
	"slices"
	"testing"
)

func TestNumber(t *testing.T) {
	labels, names := Number([]int{10, -1, 9, 10})
	if !slices.Equal(labels, []int{2, 0, 1, 2}) || !slices.Equal(names, []string{"-1", "9", "10"}) {
		t.Errorf("%v of %v", labels, names)
	}
	labels, names = Number([]string{"b", "9", "10", "b"})
	if !slices.Equal(labels, []int{2, 1, 0, 2}) || !slices.Equal(names, []string{"10", "9", "b"}) {
		t.Errorf("%v of %v", labels, names)
	}
}
