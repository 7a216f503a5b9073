package main

import (
	"slices"
	"strings"
)

// similar returns the largest distance of names that may be meant by what was typed: 1 for up to three letters, 2
// for up to seven, and 3 for more.
func similar(typed string) int { return 1 + min(len(typed)/4, 2) }

// nearest returns those of names that are most like typed, in their order: of the smallest distance, if that is at
// most limit. Upper and lower case are the same.
func nearest(typed string, names []string, limit int) []string {
	var found []string
	for _, name := range names {
		d := distance(strings.ToLower(typed), strings.ToLower(name))
		if d > limit || d >= len(typed) { // of the latter, no letter is left
			continue
		}
		if d < limit {
			limit, found = d, nil
		}
		if !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	return found
}

// distance returns how many letters must be left out, put in, changed or swapped with the next one to make b of a,
// where no letter is touched twice (the optimal string alignment distance).
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	d := make([][]int, len(x)+1) // d[i][j] is the distance of the first i letters of a and the first j of b
	for i := range d {
		d[i] = make([]int, len(y)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			change := d[i-1][j-1]
			if x[i-1] != y[j-1] {
				change++
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, change)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(x)][len(y)]
}
