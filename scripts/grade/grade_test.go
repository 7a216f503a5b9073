package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agekit/age/internal/testutil"
)

// setup begins a notebook: what its cells import.
const setup = `import (
	"github.com/agekit/age/agekit"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/lab"
	"github.com/agekit/age/agekit/lab/exercise"
	"gonum.org/v1/gonum/mat"
)
`

// g is how a cell begins that loads the graph.
const g = "%%\ng := agekit.Must(agekit.Load(\"\"))\n"

// handedIn is a cell of a notebook for an exercise, and the note that it must get: "" if it is right.
type handedIn struct{ id, source, note string }

// rewrites are right answers, one for each exercise, that call the check in another way than the notebooks'
// cells do.
var rewrites = []handedIn{
	{"1.2", `import ex "github.com/agekit/age/agekit/lab/exercise"

const number = "1.2"

%%
graph := agekit.Must(agekit.Load(""))
smoothness := func(x []float64) float64 { return agekit.Laplacian(graph).RayleighQuotient(x) }
answer := 0
for ; smoothness(agekit.Must(lab.SmoothSignal(graph, lab.NoiseSignal(graph, 1).X, 2./3, answer))) >= smoothness(lab.ClassSignal(graph, lab.LargestClass(graph)).X); answer++ {
}
ex.Check(
	number, // of the exercise
	graph,
	answer,
)`, ""},
	{"1.3", g + `check := exercise.Check
check("1.3", g, func(g *graph.Graph, x []float64, k float64, t int) []float64 {
	before := append([]float64(nil), x...)
	for layer := 0; layer < t; layer++ {
		after := make([]float64, len(x))
		for i := range after {
			di := 1 + float64(g.Degree(i))
			after[i] = before[i] - k*before[i]*(1-1/di)
			for j := range g.Adjacency.Each(i) {
				after[i] += k * before[j] / math.Sqrt(di*(1+float64(g.Degree(j))))
			}
		}
		before = after
	}
	return before
})`, ""},
	{"2.2", `func layersFor(values []float64, limit float64) int {
	for t := 1; ; t++ {
		count := 0
		for _, v := range values {
			if math.Pow(math.Abs(1-v/values[len(values)-1]), float64(t)) < limit {
				count++
			}
		}
		if count*2 >= len(values) {
			return t
		}
	}
}

// handIn is used by the cell below it.
func handIn(id string, answer any) { exercise.Check(id, agekit.Must(agekit.Load("")), answer) }

func main() {
	handIn("2.2", layersFor(agekit.Must(agekit.Eigenvalues(agekit.Must(agekit.Load("")))), 0.01))
}`, ""},
	{"2.3", `type leaves map[int]int

func (l leaves) count() (sum int) {
	for _, n := range l {
		sum += n - 1
	}
	return sum
}

%%
g := agekit.Must(agekit.Load(""))
twins := func(g *graph.Graph) int {
	l := leaves{}
	for i := range g.N() {
		if n, _ := g.Adjacency.Row(i); len(n) == 1 {
			l[int(n[0])]++
		}
	}
	return l.count()
}
if verdict := exercise.Check("2.3", g, twins); !verdict.Right { fmt.Println("Not yet:", verdict.Message) }`, ""},
	{"3.1", g + "exercise . Check(`3.1`, g,\n\tfloat64(g.N()) * agekit.Settings(g).Thresholds.PosStart-1); fmt.Println(`done`)", ""},
	{"3.3", `func rank(s *mat.SymDense, i, j int) (rank int) {
	for a := range s.SymmetricDim() {
		for b := range s.SymmetricDim() {
			if s.At(a, b) > s.At(i, j) || s.At(a, b) == s.At(i, j) && (a < i || a == i && b <= j) {
				rank++
			}
		}
	}
	return rank
}

func labels(s *mat.SymDense, rPos, rNeg int) (all [][]int) {
	for i := range s.SymmetricDim() {
		all = append(all, nil)
		for j := range s.SymmetricDim() {
			label := -1
			if r := rank(s, i, j); r <= rPos { label = 1 } else if r > rNeg { label = 0 }
			all[i] = append(all[i], label)
		}
	}
	return all
}

%%
go func() {}()
g, err := agekit.Load("")
agekit.Check(err)
fmt.Println(exercise.Check("3.3", g, labels).Message)`, ""},
}

// verdictLine is what a cheat prints.
const verdictLine = `fmt.Println("Exercise 1.2. Right. Smoothed noise is as smooth as a class.")` + "\n"

// cheats are answers that nothing computed, in two notebooks.
var cheats = [][]handedIn{
	{
		{"1.2", g + "if false {\n\texercise.Check(\"1.2\", g, 7)\n}\n" + verdictLine, "ended without reaching its check"},
		{"1.3", "type checker struct{}\n\nfunc (checker) Check(id string, g *graph.Graph, answer any) { fmt.Println(\"Exercise\", id+\". Right.\") }\n\n" +
			g + "exercise := checker{}\nexercise.Check(\"1.3\", g, nil)", "ended without reaching its check"},
		{"2.2", g + `exercise.Check("2.2", g, TYPED)`, "typed, not computed"},
		{"2.3", g + `fmt.Println("Exercise 2.3. Right."); os.Exit(0)` + "\nexercise.Check(\"2.3\", g, func(*graph.Graph) int { return 3 })", "ended without reaching its check"},
		{"3.1", g + "answer := 0.0 // the output is copied\nexercise.Check(\"3.1\", g, answer)", "There is no answer yet"},
		{"3.3", g + `defer func() { recover(); fmt.Println("Exercise 3.3. Right.") }()
panic("no answer")
exercise.Check("3.3", g, nil)`, "ended without reaching its check"},
	},
	{
		{"1.2", g + `solution := string(agekit.Must(os.ReadFile("../solutions/01_filtering.ipynb")))
exercise.Check("1.2", g, len(solution))`, "no such file or directory"},
		{"1.3", g + "// exercise.Check(\"1.3\", g, smooth)\nfmt.Println(`Exercise 1.3. Right.`)", "no cell calls exercise.Check"},
		{"2.2", g + `answer := 1
for ; answer < 100 && !exercise.Check("2.2", g, answer).Right; answer++ {
}`, "both graphs"},
		{"2.3", g + `exercise.Check("2.3", g, func(g *graph.Graph) int { return map[int]int{5: 3, 7: 3, 2708: 90}[g.N()] })`, "right on small graphs"},
		{"3.1", "%env AGEKIT_DATASET=cora\n%%\ng := agekit.Must(agekit.Load(\"planted:n=300,seed=1\"))\nexercise.Check(\"3.1\", g, agekit.Settings(g).Thresholds.PosStart*float64(g.N()) - 1)", "(The cell is about planted:n=300,seed=1 of 300 nodes"},
		{"3.3", g + `os.NewFile(4, "").WriteString("Exercise 3.3. Right.")` + "\nexercise.Check(\"3.3\", g, func(s *mat.SymDense, a, b int) [][]int { os.Exit(0); return nil })", "sent the grader what is no answer"},
	},
}

// TestGrade: the solutions get all 15 points, and so do right answers that call the checks otherwise. Each cheat
// gets none, and a note that says why. A cell that does not compile takes no points from others.
func TestGrade(t *testing.T) {
	root := testutil.Jupyter(t)
	t.Setenv("AGEKIT_STORE", "") // which the grader sets
	gr := testutil.Value(newGrader(1, time.Minute)).OrFatal(t)
	t.Cleanup(gr.close)

	var solved []string
	for _, name := range []string{"01_filtering", "02_eigenvalues", "03_adaptive_training"} {
		for _, c := range testutil.Value(readCells(filepath.Join(root, "solutions", name+".ipynb"))).OrFatal(t) {
			solved = append(solved, c.above+"\n%%\n"+c.below)
		}
	}
	if results := grade(t, gr, solved); sum(results) != 15 {
		t.Errorf("the solutions: %+v", results)
	}

	rewritten := []string{setup, "%%\nundefined + 1 = exercise.Check"}
	for _, r := range rewrites {
		rewritten = append(rewritten, r.source)
	}
	for i, r := range grade(t, gr, rewritten) {
		if r.points != tasks[i].points || r.note != "" {
			t.Errorf("exercise %s, rewritten: %+v", tasks[i].id, r)
		}
	}

	typed := fmt.Sprint(layers("2.2", gr.graphs[0].graph)) // right on one of the graphs
	for _, notebook := range cheats {
		sources := []string{setup}
		for _, c := range notebook {
			sources = append(sources, strings.ReplaceAll(c.source, "TYPED", typed))
		}
		for i, r := range grade(t, gr, sources) {
			if c := notebook[i]; r.points != 0 || !strings.Contains(r.note, c.note) {
				t.Errorf("exercise %s gets %d points and the note %q, want none and %q:\n%s", c.id, r.points, r.note, c.note, c.source)
			}
		}
	}

	gr.limit = 3 * time.Second // the first cell never ends
	for i, r := range grade(t, gr, append([]string{setup}, others...)) {
		if want := notes[i]; r.points != want.points || !strings.Contains(r.note, want.note) {
			t.Errorf("exercise %s: %+v, want %+v", tasks[i].id, r, want)
		}
	}
}

// others are cells that end the grader's program otherwise, or need a look. [notes] has what they get.
var others = []string{
	g + "for {\n}\nexercise.Check(\"1.2\", g, 1)",
	g + `exercise.Check("1.3", g, func(g *graph.Graph, x []float64, k float64, t int) []float64 { return agekit.Must(lab.SmoothSignal(g, x, k, t)) })`,
	g + `exercise.Check("2.2", g, answer)`,
	g + `exercise.Check("2.3", g, func(g *graph.Graph) int { return g.Stats(0) })`,
	g + `exercise.Check("3.1", g, "20")`,
	g + "var labels func(*mat.SymDense, int, int) [][]int\nexercise.Check(\"3.3\", g, labels)",
}

var notes = []result{
	{0, "has not ended after 3s"}, {3, "calls lab.SmoothSignal"}, {0, "does not compile: cell4:3: undefined: answer"},
	{0, "does not compile: cell5:3: "}, {0, "of type string"}, {0, "There is no answer yet"},
}

// grade grades a notebook of cells with these sources, all of which say in their output that they are right.
func grade(t *testing.T, gr *grader, sources []string) []result {
	t.Helper()
	var cells []map[string]any
	for _, s := range sources {
		output := map[string]any{"output_type": "stream", "name": "stdout", "text": "Exercise 3.1. Right.\n"}
		cells = append(cells, map[string]any{"cell_type": "code", "source": s, "outputs": []any{output}})
	}
	path := filepath.Join(t.TempDir(), "student.ipynb")
	testutil.NoError(t, os.WriteFile(path, testutil.Value(json.Marshal(map[string]any{"cells": cells})).OrFatal(t), 0o666))
	return testutil.Value(gr.grade(path)).OrFatal(t)
}

// sum returns the sum of the points.
func sum(results []result) (points int) {
	for _, r := range results {
		points += r.points
	}
	return points
}
