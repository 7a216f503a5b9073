package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agekit/age/internal/testutil"
	"github.com/agekit/age/kernels"
)

// TestWalkthrough: agekit walkthrough runs two notebooks, the second of which fails at its third cell. The exit
// code is 1, and the error says which cell failed and how. The report of the first notebook shows what its
// cell prints and its formula, and loads nothing from the network. The notebook itself stays as it is. With
// --slides, nothing runs: its slides show the same output.
func TestWalkthrough(t *testing.T) {
	testutil.Jupyter(t)
	before := read(t, "testdata/1_good.ipynb")
	out := t.TempDir()
	code, stdout, stderr := age(t, "walkthrough", "--dir", "testdata", "--out", out, "--json")
	if code != 1 {
		t.Errorf("exit %d, want 1\n%s", code, stderr)
	}
	if want := "2_failing.ipynb: cell 3 failed (A notebook whose third cell fails)\nno such data set\nexit status 3"; !strings.Contains(stderr, want) {
		t.Errorf("stderr %s\nwant %s", stderr, want)
	}
	runs := decoded[[]*kernels.JobResult](t, stdout)
	if len(runs) != 2 {
		t.Fatalf("%s", stdout)
	}
	if good := runs[0]; good.Failed != nil || good.Cells != 1 {
		t.Errorf("good notebook: %+v", good)
	}
	if failing := runs[1]; failing.Failed == nil || failing.Failed.Cell != 3 || failing.Cells != 1 { // one of code
		t.Errorf("failing notebook: %+v", failing)
	}

	// The report shows the output and the formula, and loads nothing from
	// the network.
	page := read(t, filepath.Join(out, "1_good.html"))
	for _, want := range []string{"twice two is 4", "<math"} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("report without %q", want)
		}
	}
	for _, bad := range []string{"$$", `src="http`, "import(", "MathJax"} {
		if bytes.Contains(page, []byte(bad)) {
			t.Errorf("report with %q", bad)
		}
	}
	if !bytes.Contains(read(t, filepath.Join(out, "1_good.ipynb")), []byte("twice two is 4")) {
		t.Error("executed notebook without its output")
	}
	if !bytes.Equal(before, read(t, "testdata/1_good.ipynb")) {
		t.Error("the notebook itself was changed without --update")
	}

	// Slides are made of these outputs, and say which are not those of all cells.
	code, stdout, stderr = age(t, "walkthrough", "--slides", "--dir", "testdata", "--out", out, "--json")
	if code != 0 {
		t.Fatalf("exit %d\n%s", code, stderr)
	}
	for i, want := range []kernels.WrittenSlides{
		{Slides: filepath.Join(out, "1_good.slides.html"), Outputs: filepath.Join(out, "1_good.ipynb")},
		{Slides: filepath.Join(out, "2_failing.slides.html"), Outputs: filepath.Join(out, "2_failing.ipynb"), Stale: "cell 3 failed"},
	} {
		if got := decoded[[]kernels.WrittenSlides](t, stdout); len(got) != 2 || got[i] != want {
			t.Errorf("slides %s, want %+v", stdout, want)
		}
	}
	if !bytes.Contains(read(t, filepath.Join(out, "1_good.slides.html")), []byte("twice two is 4")) {
		t.Error("slides without the last output")
	}
	if !bytes.Contains(read(t, filepath.Join(out, "index.html")), []byte(`href="1_good.slides.html"`)) {
		t.Error("the list of reports has no link to the slides")
	}
}

// TestWalkthroughUpdate: --update writes the outputs into the notebook itself. A path in the project's folder
// that a cell prints is written as ./x, without this machine's folders. No other file is left beside it.
func TestWalkthroughUpdate(t *testing.T) {
	root := testutil.Jupyter(t)
	dir, out := t.TempDir(), t.TempDir()
	text := strings.Replace(string(read(t, "testdata/1_good.ipynb")), "twice two is", filepath.Join(root, "x"), 1)
	path := filepath.Join(dir, "1_good.ipynb")
	put(t, path, text)
	succeeds(t, "walkthrough", "--dir", dir, "--out", out, "--update")
	if got := string(read(t, path)); !strings.Contains(got, `"./x 4\n"`) {
		t.Errorf("no output without %s in %s", root, got)
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("next to the notebook: %v", files)
	}
}
