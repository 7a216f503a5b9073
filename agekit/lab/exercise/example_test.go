package exercise_test

import (
	"github.com/agekit/age/agekit"
	"github.com/agekit/age/agekit/lab/exercise"
)

// Exercise 7.1 asks how small p can become with five seeds. Check prints what it finds.
func ExampleCheck() {
	g := agekit.Must(agekit.Load("cora"))
	exercise.Check("7.1", g, 3.0)
	// Output: Exercise 7.1. Not yet. That looks like a percentage. A probability lies between 0 and 1.
}
