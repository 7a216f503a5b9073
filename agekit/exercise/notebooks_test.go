package exercise

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestNotebooks: the notebooks ask exactly the exercises of this package and
// check each of them, and the solutions solve each of them.
func TestNotebooks(t *testing.T) {
	var all, asked, checked, solved []string
	for _, e := range All() {
		all = append(all, e.ID)
	}
	heading := regexp.MustCompile(`(?m)^### Exercise (\d+\.\d+) · (Predict|Change|Build)$`)
	check := regexp.MustCompile(`exercise\.Check\("([^"]*)"`)
	solution := regexp.MustCompile(`exercise\.Check\("([^"]*)".*\)\.MustBeRight\(\)`)
	for _, text := range cells(t, "../../notebooks", "markdown") {
		for _, found := range heading.FindAllStringSubmatch(text, -1) {
			asked = append(asked, found[1])
			for _, e := range All() {
				if e.ID == found[1] && !strings.EqualFold(string(e.Kind), found[2]) {
					t.Errorf("exercise %s is of the kind %s, the notebook says %s", e.ID, e.Kind, found[2])
				}
			}
		}
	}
	for _, text := range cells(t, "../../notebooks", "code") {
		for _, found := range check.FindAllStringSubmatch(text, -1) {
			checked = append(checked, found[1])
		}
	}
	for _, text := range cells(t, "../../solutions", "code") {
		for _, found := range solution.FindAllStringSubmatch(text, -1) {
			solved = append(solved, found[1])
		}
	}
	for what, ids := range map[string][]string{"asked": asked, "checked": checked, "solved": solved} {
		if !slices.Equal(ids, all) {
			t.Errorf("%s in notebooks: %v, want %v", what, ids, all)
		}
	}
}

// cells returns the sources of the cells of one type in all notebooks of a
// folder, in order.
func cells(t *testing.T, folder, kind string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	var sources []string
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var notebook struct {
			Cells []struct {
				Type   string `json:"cell_type"`
				Source []string
			}
		}
		if err := json.Unmarshal(data, &notebook); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, c := range notebook.Cells {
			if c.Type == kind {
				sources = append(sources, strings.Join(c.Source, ""))
			}
		}
	}
	return sources
}
