package figure_test

import (
	"math"
	"slices"
	"testing"

	"github.com/agekit/age/agekit/figure"
)

// TestDraw draws a path and a barbell, whose shapes are known. It also tests that places are
// from 0 to 1, that the same graph gives the same drawing, and that a graph that is not
// connected panics.
func TestDraw(t *testing.T) {
	// A path is a straight line with equal steps.
	line := figure.Draw(6, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}})
	for i := 1; i < 5; i++ {
		if x := (line.X[i-1] + line.X[i+1]) / 2; math.Abs(x-line.X[i]) > 0.02 {
			t.Errorf("node %d of a path is at %v, between %v and %v", i, line.X[i], line.X[i-1], line.X[i+1])
		}
	}
	// Two triangles joined by a path are drawn apart from each other.
	barbell := figure.Draw(8, [][2]int{{0, 1}, {1, 2}, {0, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 7}, {5, 7}})
	distance := func(i, j int) float64 {
		return math.Hypot(barbell.X[i]-barbell.X[j], barbell.Y[i]-barbell.Y[j])
	}
	if within, between := max(distance(0, 1), distance(0, 2), distance(1, 2)), distance(0, 7); 1.5*within > between {
		t.Errorf("distance %v in a triangle, %v between two", within, between)
	}
	for _, d := range []figure.Drawing{line, barbell, figure.Draw(1, nil), figure.Draw(2, [][2]int{{0, 1}})} {
		for _, v := range slices.Concat(d.X, d.Y) {
			if !(v >= 0 && v <= 1) {
				t.Errorf("place %v: want 0 to 1", v)
			}
		}
	}
	if again := figure.Draw(8, barbell.Edges); !slices.Equal(again.X, barbell.X) || !slices.Equal(again.Y, barbell.Y) {
		t.Error("the same graph gives another drawing")
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic for a graph that is not connected")
		}
	}()
	figure.Draw(3, [][2]int{{0, 1}})
}
