package main

import (
	"slices"
	"testing"
)

// TestDistance: distances found by hand, and that the distance is the same both ways. ca → abc is 3, since no letter
// is touched twice.
func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"load", "load", 0}, {"laod", "load", 1}, {"sqr", "sqrt", 1}, {"printn", "println", 1},
		{"kitten", "sitting", 3}, {"ca", "abc", 3}, {"ab", "ba", 1}, {"größe", "grösse", 2}, {"plot", "epochs", 5},
	} {
		if d, back := distance(c.a, c.b), distance(c.b, c.a); d != c.want || back != c.want {
			t.Errorf("%q and %q: %d, back %d, want %d", c.a, c.b, d, back, c.want)
		}
	}
}

// TestNearest: the nearest names, all of the smallest distance, up to the limit.
func TestNearest(t *testing.T) {
	names := []string{"Print", "Printf", "Println", "Sprint", "Load", "Lab"}
	for typed, want := range map[string][]string{
		"Printn":  {"Print", "Printf", "Println"},
		"println": {"Println"},
		"Laod":    {"Load"},
		"Plot":    nil,
		"x":       nil,
	} {
		if got := nearest(typed, names, similar(typed)); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", typed, got, want)
		}
	}
}
