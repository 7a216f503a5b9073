// Command grade grades an assignment (docs/lecture.md): it prints the points of each notebook in a folder,
// and beside each zero why.
//
//	GOEXPERIMENT=simd go run -tags noxla ./scripts/grade [-seed S] FOLDER
//
// It runs the cells itself and looks at no stored output. Each cell that calls exercise.Check runs on two
// graphs that nobody has seen, for which the right answers differ, as a program whose Check sends the answer
// to this process. Here it is judged: a number by the graph, a function by calling it with values that the
// program does not know beforehand. An exercise counts if a cell has it right on both graphs.
//
// It sees whether an answer is computed, not by whom. The cells run as the user who grades: with notebooks
// of people whom you would not give your account, grade in a container.
package main

import (
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agekit/age/agekit"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/lab/exercise"
)

// task is an exercise of the assignment.
type task struct {
	id     string
	points int
	// shortcuts are functions of the library that do what the student is to write: package and name.
	shortcuts [][2]string
}

var tasks = []task{
	{id: "1.2", points: 2},
	{id: "1.3", points: 3, shortcuts: [][2]string{{"lab", "SmoothSignal"}, {"agekit", "Smooth"}, {"laplacian", "Filter"}}},
	{id: "2.2", points: 2},
	{id: "2.3", points: 3, shortcuts: [][2]string{{"laplacian", "Twins"}}},
	{id: "3.1", points: 1},
	{id: "3.3", points: 4, shortcuts: [][2]string{{"agekit", "Select"}, {"pairs", "Select"}}},
}

// graphs are the two graphs, and their names for AGEKIT_DATASET.
type graphs [2]struct {
	name  string
	graph *graph.Graph
}

// mostLayers is above every right answer to 1.2 and 2.2 on the graphs.
const mostLayers = 64

// chooseGraphs returns two graphs, by chance, between which the right number of exercises 1.2 and 2.2
// differs. That of 3.1 follows from the number of nodes.
func chooseGraphs(seed uint64) (chosen graphs, err error) {
	random := rand.New(rand.NewPCG(seed, 0))
	var answers [2][]int
	for range 40 {
		for i := range chosen {
			chosen[i].name = fmt.Sprintf("planted:n=%d,classes=%d,degree=%d,f=100,seed=%d",
				350+250*i+random.IntN(100), 3+random.IntN(4), 3+random.IntN(2)+4*i, random.IntN(1_000_000))
			g, err := agekit.Load(chosen[i].name)
			if err != nil {
				return chosen, err
			}
			chosen[i].graph, answers[i] = g, []int{layers("1.2", g), layers("2.2", g)}
		}
		if answers[0][0] != answers[1][0] && answers[0][1] != answers[1][1] && !slices.Contains(slices.Concat(answers[:]...), 0) {
			return chosen, nil
		}
	}
	return chosen, fmt.Errorf("no two graphs with different answers by seed %d: choose another", seed)
}

// layers returns the right number of layers for an exercise that asks for one, or 0.
func layers(id string, g *graph.Graph) int {
	for t := 1; t <= mostLayers; t++ {
		if exercise.Judge(id, g, t).Right {
			return t
		}
	}
	return 0
}

func main() {
	seed := flag.Uint64("seed", uint64(time.Now().UnixNano())%1_000_000, "chooses the graphs: the same seed, the same graphs")
	limit := flag.Duration("timeout", time.Minute, "time limit for a cell")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: grade [-seed S] [-timeout D] FOLDER, a folder of notebooks")
		os.Exit(2)
	}
	table, log := os.Stdout, os.Stderr
	// What checks say of their own progress would stand in the table.
	nowhere, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err == nil {
		os.Stdout, os.Stderr = nowhere, nowhere
		err = gradeAll(table, log, flag.Arg(0), *seed, *limit)
	}
	if err != nil {
		fmt.Fprintln(log, "grade:", err)
		os.Exit(1)
	}
}

// gradeAll writes the table of the notebooks in a folder, and to log on which graphs they ran.
func gradeAll(table, log io.Writer, folder string, seed uint64, limit time.Duration) error {
	paths, err := filepath.Glob(filepath.Join(folder, "*.ipynb"))
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return fmt.Errorf("no notebooks (*.ipynb) in %s", folder)
	}
	grader, err := newGrader(seed, limit)
	if err != nil {
		return err
	}
	defer grader.close()
	fmt.Fprintf(log, "on %s and %s (-seed %d)\n", grader.graphs[0].name, grader.graphs[1].name, seed)
	header := []string{"notebook"}
	for _, t := range tasks {
		header = append(header, t.id)
	}
	fmt.Fprintln(table, strings.Join(append(header, "sum", "notes"), "\t"))
	for _, path := range paths {
		row := []string{strings.TrimSuffix(filepath.Base(path), ".ipynb")}
		results, err := grader.grade(path)
		if err != nil {
			results, row = nil, append(row, slices.Repeat([]string{"0"}, len(tasks)+1)...)
			row = append(row, oneLine(err.Error()))
		}
		sum := 0
		var notes []string
		for i, r := range results {
			row, sum = append(row, strconv.Itoa(r.points)), sum+r.points
			if r.note != "" {
				notes = append(notes, tasks[i].id+": "+r.note)
			}
		}
		if err == nil {
			row = append(row, strconv.Itoa(sum), strings.Join(notes, " | "))
		}
		fmt.Fprintln(table, strings.Join(row, "\t"))
	}
	return nil
}

// result is what an exercise gets, and what a teacher should know: why it has no points, or what to look at.
type result struct {
	points int
	note   string
}

// grade returns a result for each of the tasks.
func (gr *grader) grade(path string) ([]result, error) {
	cells, err := readCells(path)
	if err != nil {
		return nil, err
	}
	var checking []program
	for _, p := range programs(cells) {
		if p.checks() || slices.ContainsFunc(tasks, func(t task) bool { return p.names(t.id) }) {
			checking = append(checking, p)
		}
	}
	runs, err := gr.runAll(checking)
	if err != nil {
		return nil, err
	}
	var results []result
	for _, t := range tasks {
		results = append(results, assess(t, checking, runs, gr.graphs))
	}
	return results, nil
}

// assess returns the result of a task by the runs of programs, each on both graphs.
func assess(t task, programs []program, runs [][2]run, graphs graphs) result {
	why := result{note: `no cell calls exercise.Check("` + t.id + `", …)`}
	for i, p := range programs {
		first, second := runs[i][0], runs[i][1]
		a, b := first.verdicts[t.id], second.verdicts[t.id]
		switch {
		case a.Right && b.Right:
			r := result{points: t.points}
			for _, f := range t.shortcuts {
				if p.calls(f[0], f[1]) {
					r.note = fmt.Sprintf("right, but cell %d calls %s.%s: see whether the answer is written out", p.number, f[0], f[1])
				}
			}
			return r
		case a.value == "" && b.value == "" && !p.names(t.id):
			continue // a cell of another exercise
		case a.value == "" || b.value == "":
			why.note = fmt.Sprintf("cell %d %s", p.number, firstOf(first.end, second.end))
		case a.value == b.value && a.typed && a.graph == graphName(graphs[0].graph):
			why.note = fmt.Sprintf("cell %d: the answer is %s on both graphs, for which the right ones differ: typed, not computed", p.number, a.value)
		default:
			wrong, k := a, 0
			if a.Right {
				wrong, k = b, 1
			}
			why.note = fmt.Sprintf("cell %d: %s", p.number, wrong.Message)
			if want := graphName(graphs[k].graph); wrong.graph != want {
				why.note += fmt.Sprintf(" (The cell is about %s, not about the graph that agekit.Load(\"\") gives.)", wrong.graph)
			}
		}
	}
	why.note = oneLine(why.note)
	return why
}

// firstOf returns the first text that is not "".
func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// oneLine returns a text as one line of at most 300 letters, for a table.
func oneLine(text string) string {
	const most = 300
	letters := []rune(strings.Join(strings.Fields(text), " "))
	if len(letters) > most {
		letters = append(letters[:most], '…')
	}
	return string(letters)
}
