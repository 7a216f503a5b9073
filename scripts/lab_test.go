package scripts

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/internal/testutil"
)

// TestInLab looks into JupyterLab. It shows the same line, which says nothing, in the place of
// every collapsed output of the course. Arrow keys move the slider of a figure, and not between
// cells. On a phone, a picture that is wider than its box scrolls in it, and its text can be read. The test is skipped
// without what `make jupyter` and scripts/browser.sh install.
func TestInLab(t *testing.T) {
	chromium := testutil.Chromium(t)
	for _, python := range []string{"../.venv/bin/python", "../.venv-browser/bin/python"} {
		if _, err := os.Stat(python); err != nil {
			t.Skip("JUPYTERLAB IS NOT OPENED: ", err)
		}
	}
	shown := func(kind, data string) map[string]any {
		return map[string]any{"output_type": "display_data", "metadata": map[string]any{}, "data": map[string]any{kind: data}}
	}
	line := figure.Lines("Loss", "step", "loss", figure.Series{Y: []float64{1, 2}})
	explorer := figure.SmoothingExplorer("a path", figure.Drawing{X: []float64{0, 1, 1}, Y: []float64{0, 0, 1}, Edges: [][2]int{{0, 1}, {1, 2}}},
		[]figure.Signal{{Name: "one node", X: []float64{1, 0, 0}}}, figure.Response{K: 0.5})
	outputs := []any{shown("text/html", explorer.HTML)}
	for _, f := range []*figure.Figure{line, figure.Row(line, line)} {
		outputs = append(outputs, shown("image/svg+xml", string(testutil.Value(f.Encode(".svg")).OrFatal(t))))
	}
	text := map[string]any{"cell_type": "markdown", "id": "text", "metadata": map[string]any{}, "source": "# A heading"}
	cells := []any{text, map[string]any{"cell_type": "code", "id": "figures", "execution_count": 1, "metadata": map[string]any{}, "source": "", "outputs": outputs}}
	collapsed := 0
	for _, path := range testutil.Value(filepath.Glob("../notebooks/[0-9][0-9]_*.ipynb")).OrFatal(t) {
		var notebook struct{ Cells []map[string]any }
		testutil.NoError(t, json.Unmarshal(testutil.Value(os.ReadFile(path)).OrFatal(t), &notebook))
		for _, c := range notebook.Cells {
			jupyter, _ := c["metadata"].(map[string]any)["jupyter"].(map[string]any)
			if jupyter["outputs_hidden"] == true {
				cells = append(cells, c)
				collapsed++
			}
		}
	}
	path := filepath.Join(t.TempDir(), "look.ipynb")
	kernel := map[string]any{"kernelspec": map[string]any{"display_name": "Go: agekit", "language": "go", "name": "agekit"}}
	notebook := map[string]any{"nbformat": 4, "nbformat_minor": 5, "metadata": kernel, "cells": cells}
	testutil.NoError(t, os.WriteFile(path, testutil.Value(json.Marshal(notebook)).OrFatal(t), 0o666))

	look := exec.CommandContext(t.Context(), "../.venv-browser/bin/python", "-I", "browser/look.py", path)
	look.Env = append(os.Environ(), "AGEKIT_CHROMIUM="+chromium)
	var complaints strings.Builder
	look.Stderr = &complaints
	printed, err := look.Output()
	if err != nil {
		t.Fatalf("look.py: %v\n%s", err, complaints.String())
	}
	var found struct {
		Collapsed []string
		Keys      []int
		Broken    int // printed outputs that go on to a new line within a word
		Pictures  []struct {
			Width, Box int
			Scale      float64
			Scrolls    bool
		}
	}
	testutil.NoError(t, json.Unmarshal(printed, &found))
	if len(found.Collapsed) != collapsed {
		t.Errorf("%d outputs are collapsed, want %d", len(found.Collapsed), collapsed)
	}
	for _, shown := range found.Collapsed {
		if strings.TrimSpace(shown) != "Reveal: click" {
			t.Errorf("in the place of an output, JupyterLab shows %q", shown)
		}
	}
	if want := []int{1, 2, 1, 2}; !slices.Equal(found.Keys, want) {
		t.Errorf("right, right, left and up move the slider to %v, want %v", found.Keys, want)
	}
	if found.Broken > 0 {
		t.Errorf("%d printed outputs are wrapped within words", found.Broken)
	}
	if len(found.Pictures) == 0 {
		t.Error("no pictures")
	}
	for _, p := range found.Pictures {
		if p.Box < 100 {
			t.Errorf("the files at the left stay: Ctrl+B no longer is JupyterLab's")
		}
		if p.Width > p.Box && !p.Scrolls {
			t.Errorf("on a phone, a picture of %d pixels is cut at %d", p.Width, p.Box)
		}
		if text := 13 * p.Scale; text < 6.5 || text > 8 {
			t.Errorf("on a phone, the text of a picture has %.1f pixels, want about 7: less cannot be read, and more leaves half of the picture off the screen", text)
		}
	}
}

// TestCover: a collapsed output begins with the line that says nothing, once. Other outputs stay as they
// are, and a report leaves the line out.
func TestCover(t *testing.T) {
	const python = "../.venv/bin/python"
	if _, err := os.Stat(python); err != nil {
		t.Skip("NOTHING IS COVERED: ", err)
	}
	printed, err := exec.CommandContext(t.Context(), python, "-I", "-B", "-c", `
import sys
sys.path.insert(0, ".")
import nbformat.v4 as nb
from report import page
from report.cover import cover
cells = [nb.new_code_cell("x", outputs=outputs, metadata={"jupyter": {"outputs_hidden": hidden}})
         for hidden, outputs in ((True, [nb.new_output("stream", text="the answer")]), (False, [nb.new_output("stream", text="open")]), (True, []))]
for cell in cells * 2:
    cover(cell)
print([[o.get("text") or o.data["text/plain"] for o in cell.outputs] for cell in cells])
text = page(nb.new_notebook(cells=cells), "cover", ".", print)
print("the answer" in text, "Reveal: click" in text)
`).CombinedOutput()
	if want := "[['Reveal: click', 'the answer'], ['open'], []]\nTrue False\n"; err != nil || string(printed) != want {
		t.Errorf("covered: %s, error %v, want %s", printed, err, want)
	}
}
