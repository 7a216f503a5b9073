package exercise

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/internal/testutil"
)

// TestNotebooks: the notebooks have a heading and a check for each exercise of this package and
// for no other, in the same order, and the solutions have a check that must be right for each.
// The headings name the kind that the exercise's number stands for.
func TestNotebooks(t *testing.T) {
	var all, asked, checked, solved []string // numbers of exercises
	for _, e := range exercises() {
		all = append(all, e.ID)
	}
	heading := regexp.MustCompile(`(?m)^### Exercise (\d+\.\d+) · (Predict|Change|Build)$`)
	check := regexp.MustCompile(`exercise\.Check\("([^"]*)"`)
	solution := regexp.MustCompile(`exercise\.Check\("([^"]*)".*\)\.MustBeRight\(\)`)
	for _, text := range testutil.NotebookCells(t, "../../../notebooks/*.ipynb", "markdown") {
		for _, found := range heading.FindAllStringSubmatch(text, -1) {
			asked = append(asked, found[1])
			_, number, _ := strings.Cut(found[1], ".")
			if want := map[string]string{"1": "Predict", "2": "Change", "3": "Build"}[number]; found[2] != want {
				t.Errorf("exercise %s is of the kind %s, want %s", found[1], found[2], want)
			}
		}
	}
	for _, text := range testutil.NotebookCells(t, "../../../notebooks/*.ipynb", "code") {
		for _, found := range check.FindAllStringSubmatch(text, -1) {
			checked = append(checked, found[1])
		}
	}
	for _, text := range testutil.NotebookCells(t, "../../../solutions/*.ipynb", "code") {
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
