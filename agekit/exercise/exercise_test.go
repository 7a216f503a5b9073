package exercise

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/testutil"
)

// answers are the answers to an exercise that a test tries.
type answers struct {
	id string
	// right returns the answer of the solution.
	right func(g *graph.Graph) any
	// wrong are typical mistakes.
	wrong []mistake
}

// mistake is a wrong answer, and a part of what the check must say of it.
type mistake struct {
	answer func(g *graph.Graph) any
	said   string
}

// TestAnswers tries a right answer to every exercise, the empty one and at least
// three wrong ones, each of which must get a message of its own.
func TestAnswers(t *testing.T) {
	tested := map[string]answers{}
	for _, a := range slices.Concat(filteringAnswers, eigenvaluesAnswers, trainingAnswers, visualizationAnswers,
		clusteringAnswers, linksAnswers, ablationAnswers, entanglementAnswers, fieldAnswers, largeAnswers) {
		tested[a.id] = a
	}
	g := testutil.Value(agekit.Load("cora")).OrFatal(t)
	for _, e := range exercises() {
		t.Run(e.ID, func(t *testing.T) {
			a, ok := tested[e.ID]
			if !ok || len(a.wrong) < 3 {
				t.Fatalf("%d wrong answers are tried: want three or more", len(a.wrong))
			}
			g := g
			if e.ID == "8.2" { // six trainings, which the solutions run on Cora
				g = agekit.Must(agekit.Load("planted:n=300,f=100,classes=4,degree=6"))
			}
			if v := judge(e.ID, g, a.right(g)); !v.Right || v.Message == "" {
				t.Errorf("the solution is judged %v: %q", v.Right, v.Message)
			}
			if v := judge(e.ID, g, nil); v.Right || !strings.HasPrefix(v.Message, "There is no answer yet.") {
				t.Errorf("no answer is judged %v: %q", v.Right, v.Message)
			}
			said := map[string]bool{}
			for _, m := range a.wrong {
				v := judge(e.ID, g, m.answer(g))
				if v.Right || !strings.Contains(v.Message, m.said) {
					t.Errorf("a wrong answer is judged %v: %q, want a message with %q", v.Right, v.Message, m.said)
				}
				if said[v.Message] {
					t.Errorf("two mistakes get the same message: %q", v.Message)
				}
				said[v.Message] = true
			}
		})
	}
}

// TestIntegers: an int is as good as a float64, except 0, which is either the
// empty cell's or a quotient of two integers.
func TestIntegers(t *testing.T) {
	g := agekit.Must(agekit.Load("cora"))
	for _, c := range []struct {
		answer int
		right  bool
		said   string
	}{{29, true, ""}, {80666, false, "for the whole graph"}, {0, false, "Did you divide?"}} {
		if v := judge("3.1", g, c.answer); v.Right != c.right || !strings.Contains(v.Message, c.said) {
			t.Errorf("%d is judged %v: %q, want %v with %q", c.answer, v.Right, v.Message, c.right, c.said)
		}
	}
}

// constant returns an answer that does not depend on the graph.
func constant(answer any) func(*graph.Graph) any {
	return func(*graph.Graph) any { return answer }
}

// TestNumbers: exercises are numbered by notebook, and each has three.
func TestNumbers(t *testing.T) {
	count := map[string]int{}
	for _, e := range exercises() {
		notebook, _, _ := strings.Cut(e.ID, ".")
		count[notebook]++
		if want := fmt.Sprintf("%s.%d", notebook, count[notebook]); e.ID != want {
			t.Errorf("exercise %s: want the number %s", e.ID, want)
		}
	}
	for notebook, n := range count {
		if n != 3 {
			t.Errorf("notebook %s has %d exercises, want 3", notebook, n)
		}
	}
}
