package exercise

import (
	"fmt"
	"os"
	"reflect"
	"slices"

	"github.com/agekit/age/agekit/graph"
)

// exercise is an exercise of a notebook.
type exercise struct {
	// ID is the notebook's number and the number of the exercise there, such as "2.1".
	// Exercise 1 of a notebook asks for a prediction, 2 for a change, and 3 for a function.
	ID string
	// check returns "" for a right answer about g, or else what is wrong with the answer and why.
	check func(g *graph.Graph, answer any) string
	// Takeaway says what a right answer shows. It is printed if the answer is right.
	Takeaway string
}

// finding is a message about an answer, and whether it applies to the answer. The message "" is
// that the answer is right.
type finding struct {
	holds   bool
	message string
}

// firstOf returns the message of the first finding that holds, or "" if none holds. So later
// findings need not exclude earlier ones.
func firstOf(all []finding) string {
	for _, f := range all {
		if f.holds {
			return f.message
		}
	}
	return ""
}

// answering returns an exercise's check, made of a check of answers of type T. If the answer has
// another type, or is still that of the empty cell, the returned check says what is wanted.
// Where T is float64, an int will do: a reader who replaces 0.0 by 3 means the number.
func answering[T any](wanted string, check func(*graph.Graph, T) string) func(*graph.Graph, any) string {
	return func(g *graph.Graph, answer any) string {
		if n, ok := answer.(int); ok && reflect.TypeFor[T]().Kind() == reflect.Float64 {
			if n == 0 { // an empty cell has 0.0: this may be a quotient of two integers
				return "The answer is the whole number 0. Did you divide? In Go, 1/2 is 0: write 1.0/2, or float64(a)/float64(b). Wanted: " + wanted + "."
			}
			answer = float64(n)
		}
		value, ok := answer.(T)
		switch v := reflect.ValueOf(answer); {
		case !v.IsValid() || v.IsZero():
			return "There is no answer yet. Wanted: " + wanted + "."
		case !ok:
			return fmt.Sprintf("The answer is of type %T. Wanted: %s, of type %v.", answer, wanted, reflect.TypeFor[T]())
		}
		return check(g, value)
	}
}

// exercises returns all exercises in the order of their numbers.
func exercises() []exercise {
	return slices.Concat(filtering, eigenvalues, training, visualization, clustering, links, ablation, entanglement, field, large)
}

// Verdict is what a check says of an answer.
type Verdict struct {
	Right bool
	// Message says what is wrong and why, or what the right answer shows.
	Message string
}

// Check returns whether the answer to the exercise with number id, asked about g, is right, and
// prints that in the cell's output. A wrong answer does not fail the cell. Check panics if
// there is no exercise with that number.
func Check(id string, g *graph.Graph, answer any) Verdict {
	v := Judge(id, g, answer)
	sign := "Not yet"
	if v.Right {
		sign = "Right"
	}
	fmt.Printf("Exercise %s. %s. %s\n", id, sign, v.Message)
	return v
}

// Judge is [Check] without printing, for a program that checks the answers of others. If the answer
// is a function, the check calls it, and a panic of this function becomes a verdict. Other panics go on.
func Judge(id string, g *graph.Graph, answer any) (v Verdict) {
	all := exercises()
	index := slices.IndexFunc(all, func(e exercise) bool { return e.ID == id })
	if index < 0 {
		panic(fmt.Sprintf("exercise: there is no exercise %q", id))
	}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case failure:
			v = Verdict{Message: p.Error()}
		default:
			if reflect.ValueOf(answer).Kind() != reflect.Func {
				panic(p)
			}
			v = Verdict{Message: fmt.Sprintf("Your function panics: %v. Does it reach beyond the end of a slice, or multiply matrices whose sizes do not fit?", p)}
		}
	}()
	if wrong := all[index].check(g, answer); wrong != "" {
		return Verdict{Message: wrong}
	}
	return Verdict{Right: true, Message: all[index].Takeaway}
}

// failure is an error, such as that of an interrupted cell, that keeps a check from judging an
// answer. [must] panics with it, and [Judge] makes it a verdict.
type failure struct{ error }

// must returns value. With an error, it panics with a failure: the verdict is then the error's
// text.
func must[T any](value T, err error) T {
	if err != nil {
		panic(failure{err})
	}
	return value
}

// MustBeRight exits the program if the answer was not right, so that a wrong solution fails.
func (v Verdict) MustBeRight() {
	if !v.Right {
		fmt.Fprintln(os.Stderr, "this solution is not right: "+v.Message)
		os.Exit(1)
	}
}
