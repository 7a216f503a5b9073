package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agekit/age/internal/testutil"
)

// TestYourData runs the agekit commands in blocks of sh of the pages about graphs of one's own: each must
// succeed. They run once each, in the order of the pages, in a folder with copies of assets/examples, with
// fewer penguins and short trainings. Two files that they write are looked at.
func TestYourData(t *testing.T) {
	isolate(t)
	var pages strings.Builder
	for _, name := range []string{"README.md", "your-data.md", "views.md", "reading-a-report.md"} {
		pages.WriteString(string(read(t, filepath.Join("../../docs", name))))
	}
	dir := t.TempDir() // some pages name the files, others their paths in the project
	for _, folder := range []string{dir, filepath.Join(dir, "assets", "examples")} {
		testutil.NoError(t, os.CopyFS(folder, os.DirFS("../../assets/examples")))
		for _, name := range []string{"penguins.csv", "penguins-edges.csv"} {
			testutil.NoError(t, os.Remove(filepath.Join(folder, name)))
		}
		fewPenguins(t, folder)
	}
	t.Chdir(dir)
	commands := map[string]bool{}
	for _, m := range codeBlock.FindAllStringSubmatch(pages.String(), -1) {
		if m[1] != "sh" {
			continue
		}
		for _, words := range shellCommands(m[2]) {
			line := strings.ReplaceAll(strings.Join(words, " "), "assets/examples/", "")
			if words[0] != "agekit" || commands[line] {
				continue
			}
			if words[1] == "fit" && strings.Contains(line, "--layers") {
				words = append(words, "--epochs", "20")
			}
			commands[line] = true
			if code, _, errs := age(t, words[1:]...); code != 0 {
				t.Errorf("%s: exit %d\n%s", line, code, errs)
			}
		}
	}
	if len(commands) == 0 {
		t.Error("no commands")
	}
	if page, err := os.ReadFile(filepath.Join("run1", "report.html")); err != nil || !strings.Contains(string(page), "penguins: 3 clusters") {
		t.Errorf("run1/report.html: %.40q, %v", page, err)
	}
	clusters, err := os.ReadFile(filepath.Join("run1", "nodes.csv"))
	if err != nil || !strings.HasPrefix(string(clusters), "id,species,island,") {
		t.Errorf("run1/nodes.csv: %.40q, %v", clusters, err)
	}
}
