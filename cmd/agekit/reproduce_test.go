package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/reproduce"
	"github.com/agekit/age/internal/testutil"
)

// TestReproduce makes table 2 and figure 4 for a small planted graph with --quick: the runs, the files and
// the rows are those that the arguments ask for. A second call runs nothing and prints the same, and so does
// one with --stored.
func TestReproduce(t *testing.T) {
	isolate(t)
	out := t.TempDir()
	args := []string{"reproduce", "table2", "fig4", "--datasets", "planted:n=150", "--methods", "ls,spectral-g", "--mode", "paper,code", "--quick", "--out", out}
	stdout, stderr := succeeds(t, args...)
	for _, want := range []string{"LS ", "Spectral-G", "paper", "code", "λmax"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not in\n%s", want, stdout)
		}
	}
	if strings.Count(stderr, "run ") != 5 { // two methods in two modes, and a spectrum
		t.Errorf("want a line for each of 5 runs:\n%s", stderr)
	}
	for _, name := range []string{"results.jsonl", "table2.md", "table2.csv", "fig4.md", "fig4.csv", "fig4-planted_n_150.svg", "fig4-planted_n_150.png"} {
		if info, err := os.Stat(filepath.Join(out, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	const methods, modes, scores = 2, 2, 3
	if rows := readCSV(t, filepath.Join(out, "table2.csv")); len(rows) != 1+methods*modes*scores {
		t.Errorf("%d rows in the CSV, want a header and one for each method, mode and score", len(rows))
	}
	again, stderr := succeeds(t, args...)
	if again != stdout || strings.Contains(stderr, "run 1") {
		t.Errorf("second call: runs\n%s\nand\n%s", stderr, again)
	}
	if stored, _ := succeeds(t, append(args, "--stored")...); stored != stdout {
		t.Errorf("--stored:\n%s", stored)
	}
}

// TestReproduceTwice: agekit reproduce fails while another process has the file of results open for writing.
func TestReproduceTwice(t *testing.T) {
	isolate(t)
	out := t.TempDir()
	results := testutil.Value(reproduce.Open(filepath.Join(out, "results.jsonl"), true)).OrFatal(t)
	defer results.Close()
	code, _, errs := age(t, "reproduce", "table1", "--out", out)
	if code != 1 || !strings.Contains(errs, "another run is writing") {
		t.Errorf("while another process writes: exit %d and\n%s", code, errs)
	}
}

// TestReproduceVars: the command accepts as many items as package reproduce has, and all, and the package's
// four modes.
func TestReproduceVars(t *testing.T) {
	vars := reproduceVars()
	items := strings.Split(vars["reproduce_items"], ",")
	if len(items) != len(reproduce.Items())+1 || !slices.Contains(items, reproduceAll) {
		t.Errorf("items %q, want %d of the package and %s", items, len(reproduce.Items()), reproduceAll)
	}
	if got, want := vars["reproduce_modes"], "paper,code,best,published"; got != want {
		t.Errorf("modes %s, want %s", got, want)
	}
}
