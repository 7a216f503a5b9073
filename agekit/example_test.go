package agekit_test

import (
	"fmt"

	"github.com/agekit/age/agekit"
)

// What a notebook's cell does first.
func Example() {
	g := agekit.Must(agekit.Load("cora"))
	x := agekit.Must(agekit.Smooth(g, 2.0/3, 8))
	fmt.Println(g.N(), "papers,", x.Cols, "words")
	// Output: 2708 papers, 1433 words
}
