package scripts

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/internal/testutil"
)

// gradedCell is a cell of a student's notebook: its source, and the output that is stored with it.
type gradedCell struct{ source, prints string }

// loadCell is how each of the cells begins: it loads the graph that the lecturer chooses.
const loadCell = "%%\ng := agekit.Must(agekit.Load(\"\"))\n"

// TestGrade: grade.py gives a notebook all 15 points if the checks of all six exercises say Right on the
// lecturer's graph. In each other notebook, the cell of exercise 3.3 is mistaken or cheats, and has none of
// its 4 points. A notebook that chooses the graph, or replaces the checks, has no points at all.
func TestGrade(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip(err)
	}
	solved := map[string]gradedCell{}
	for _, id := range []string{"1.2", "1.3", "2.2", "2.3", "3.1", "3.3"} {
		solved[id] = gradedCell{loadCell + fmt.Sprintf("exercise.Check(%q, g, answer)", id), fmt.Sprintf("Exercise %s. Right. So it is.\n", id)}
	}
	// Exercise 3.3, for 4 of the 15 points.
	source, right := solved["3.3"].source, solved["3.3"].prints
	const wrong = "Exercise 3.3. Not yet. Too few.\n"
	check := "exercise.Check(\"3.3\", g, labels)"

	dir := t.TempDir()
	var want []string
	for i, test := range []struct {
		name string
		cell gradedCell // in place of that of exercise 3.3
		sum  string     // the points that the notebook must have
	}{
		{"solved", solved["3.3"], "15"},
		{"numbers that are typed, and wrong on this graph", gradedCell{source, wrong}, "11"},
		{"another graph", gradedCell{strings.Replace(source, `""`, `"cora"`, 1), right}, "11"},
		{"a printed verdict", gradedCell{loadCell + `fmt.Println("Exercise 3.3. Right. So it is.")` + "\n" + check, right}, "11"},
		{"a check in a comment", gradedCell{loadCell + "// " + check, right}, "11"},
		{"the check of another exercise", gradedCell{loadCell + `exercise.Check("1.1", g, 0.75)`, "Exercise 1.1. Right. So it is.\n"}, "11"},
		{"a choice of the graph", gradedCell{"%env AGEKIT_DATASET=cora", ""}, "0"},
		{"a verdict printed in pieces", gradedCell{loadCell + `fmt.Println("Exer" + "cise 3.3. Ri" + "ght. So.")` + "\n" + check, right + wrong}, "11"},
		{"a check of its own", gradedCell{loadCell + "exercise := checker{}\n" + check, right}, "0"},
	} {
		cells := []gradedCell{test.cell}
		for id, c := range solved {
			if id != "3.3" {
				cells = append(cells, c)
			}
		}
		writeNotebook(t, filepath.Join(dir, fmt.Sprintf("%d %s.ipynb", i, test.name)), cells)
		want = append(want, test.sum)
	}
	out, err := exec.Command(python, "grade.py", dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const sumColumn = 7
	var sums []string
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n")[1:] { // a notebook each, in order
		sums = append(sums, strings.Split(line, "\t")[sumColumn])
	}
	if !slices.Equal(sums, want) {
		t.Errorf("sums %v, want %v:\n%s", sums, want, out)
	}
}

// writeNotebook writes a notebook with these cells and their outputs to a file.
func writeNotebook(t *testing.T, path string, cells []gradedCell) {
	t.Helper()
	var stored []map[string]any
	for _, c := range cells {
		output := map[string]any{"output_type": "stream", "name": "stdout", "text": c.prints}
		stored = append(stored, map[string]any{"cell_type": "code", "source": c.source, "outputs": []any{output}})
	}
	text := testutil.Value(json.Marshal(map[string]any{"cells": stored})).OrFatal(t)
	testutil.NoError(t, os.WriteFile(path, text, 0o644))
}
