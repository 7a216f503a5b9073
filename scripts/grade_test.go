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

// TestGrade: a notebook whose checks say Right on the lecturer's graph has all points; typed
// numbers, which are wrong there, another graph, a printed verdict, also in pieces, a call in
// a comment and the check of another exercise have none for their cell; a notebook with a
// check of its own has none.
func TestGrade(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip(err)
	}
	const load = "%%\ng := agekit.Must(agekit.Load(\"\"))\n"
	type cell struct{ source, prints string }
	solved := map[string]cell{}
	for _, id := range []string{"1.2", "1.3", "2.2", "2.3", "3.1", "3.3"} {
		solved[id] = cell{load + fmt.Sprintf("exercise.Check(%q, g, answer)", id), fmt.Sprintf("Exercise %s. Right. So it is.\n", id)}
	}
	with := func(changed cell) []cell {
		cells := []cell{changed}
		for id, c := range solved {
			if id != "3.3" {
				cells = append(cells, c)
			}
		}
		return cells
	}
	right := solved["3.3"].prints
	dir := t.TempDir()
	for name, cells := range map[string][]cell{
		"a-solved":  with(solved["3.3"]),
		"b-typed":   with(cell{solved["3.3"].source, "Exercise 3.3. Not yet. Too few.\n"}),
		"c-graph":   with(cell{strings.Replace(solved["3.3"].source, `""`, `"cora"`, 1), right}),
		"d-printed": with(cell{load + `fmt.Println("Exercise 3.3. Right. So it is.")` + "\nexercise.Check(\"3.3\", g, labels)", right}),
		"e-comment": with(cell{load + `// exercise.Check("3.3", g, labels)`, right}),
		"f-other":   with(cell{load + `exercise.Check("1.1", g, 0.75)`, "Exercise 1.1. Right. So it is.\n"}),
		"g-chooses": with(cell{"%env AGEKIT_DATASET=cora", ""}),
		"h-pieces":  with(cell{load + `fmt.Println("Exer" + "cise 3.3. Ri" + "ght. So.")` + "\nexercise.Check(\"3.3\", g, labels)", right + "Exercise 3.3. Not yet. Too few.\n"}),
		"i-own":     with(cell{load + "exercise := checker{}\nexercise.Check(\"3.3\", g, labels)", right}),
	} {
		var stored []map[string]any
		for _, c := range cells {
			stored = append(stored, map[string]any{"cell_type": "code", "source": c.source, "outputs": []any{map[string]any{"output_type": "stream", "name": "stdout", "text": c.prints}}})
		}
		text, err := json.Marshal(map[string]any{"cells": stored})
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name+".ipynb"), text, 0o644)
		}
		testutil.NoError(t, err)
	}
	out, err := exec.Command(python, "grade.py", dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var sums []string
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n")[1:] {
		sums = append(sums, strings.Split(line, "\t")[7])
	}
	if want := []string{"15", "11", "11", "11", "11", "11", "0", "11", "0"}; !slices.Equal(sums, want) {
		t.Errorf("sums %v, want %v:\n%s", sums, want, out)
	}
}
