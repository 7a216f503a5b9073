package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// shellBlock is a fenced block of commands.
var shellBlock = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")

// TestYourData runs every command of the pages about graphs of one's own in a copy of
// assets/examples.
func TestYourData(t *testing.T) {
	isolate(t)
	root := filepath.Join("..", "..")
	var page []byte
	for _, name := range []string{"your-data.md", "choosing-settings.md", "reading-a-report.md"} {
		one, err := os.ReadFile(filepath.Join(root, "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		page = append(page, one...)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, "assets", "examples"))); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	commands := 0
	for _, m := range shellBlock.FindAllStringSubmatch(string(page), -1) {
		for line := range strings.Lines(m[1]) {
			args := strings.Fields(line)
			if args[0] != "age" {
				t.Fatalf("%q: want a command of age", line)
			}
			commands++
			if code, _, errs := age(t, args[1:]...); code != 0 {
				t.Errorf("%s exit %d\n%s", line, code, errs)
			}
		}
	}
	if commands < 8 {
		t.Errorf("%d commands, want 8 or more", commands)
	}
	if page, err := os.ReadFile(filepath.Join("run1", "report.html")); err != nil || !strings.Contains(string(page), "penguins: 3 clusters") {
		t.Errorf("run1/report.html: %.40q, %v", page, err)
	}
	clusters, err := os.ReadFile(filepath.Join("run1", "nodes.csv"))
	if err != nil || !strings.HasPrefix(string(clusters), "id,species,island,") {
		t.Errorf("run1/nodes.csv: %.40q, %v", clusters, err)
	}
}
