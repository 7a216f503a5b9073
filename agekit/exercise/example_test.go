package exercise_test

import (
	"fmt"

	"github.com/agekit/age/agekit"
	"github.com/agekit/age/agekit/exercise"
)

// Exercise 7.1 asks how small p can become with five seeds.
func ExampleCheck() {
	g := agekit.Must(agekit.Load("cora"))
	fmt.Println(exercise.Check("7.1", g, 2.0/32).Right)
	// Output: true
}
