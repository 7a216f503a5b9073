package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What somebody reads who makes a mistake in a cell: its line, and what to do.
func TestMistakesInCells(t *testing.T) {
	needJupyter(t)
	for name, c := range map[string]struct{ source, want string }{
		"no line with %%": {
			"g := 1\nfmt.Println(g)",
			"expected declaration, found g\nAbove the line that begins with %%, a cell can only declare",
		},
		"an error": {
			"import \"github.com/agekit/age/agekit\"\n\n%%\nfmt.Println(1)\nagekit.Must(agekit.Load(\"nosuch\"))",
			"or a file such as graph.npz\n\tCell [1] Line 5\nexit status 1\n",
		},
		"a panic": {
			"%%\nvar list []int\nfmt.Println(list[3])",
			"main.main()\n\tCell [1] Line 3\nexit status 2\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			notebook, err := json.Marshal(map[string]any{
				"nbformat": 4, "nbformat_minor": 5, "metadata": map[string]any{},
				"cells": []any{map[string]any{
					"cell_type": "code", "id": "1", "execution_count": nil,
					"metadata": map[string]any{}, "outputs": []any{}, "source": c.source,
				}},
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "mistake.ipynb"), notebook, 0o666); err != nil {
				t.Fatal(err)
			}
			code, _, stderr := age(t, "walkthrough", "--dir", dir, "--out", t.TempDir())
			if code != 1 || !strings.Contains(stderr, c.want) {
				t.Errorf("exit %d, want 1, and\n%s\nwant\n%s", code, stderr, c.want)
			}
			if strings.Count(stderr, "exit status") > 1 {
				t.Errorf("the exit status is there more than once:\n%s", stderr)
			}
		})
	}
}
