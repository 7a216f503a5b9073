package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/internal/testutil"
	"github.com/agekit/age/kernels"
)

// TestReportCommand writes pages of notebooks as they are.
func TestReportCommand(t *testing.T) {
	testutil.Jupyter(t)
	dir := t.TempDir()
	source := filepath.Join(dir, "a b.ipynb")
	good := string(read(t, "testdata/1_good.ipynb"))
	for _, test := range []struct {
		name, text string
		notes      string // a line on standard error
		page       string // a piece of the page
	}{
		{"not run, of another language", strings.NewReplacer(`"Go: agekit"`, `"R"`, `"go"`, `"R"`, `"agekit"`, `"ir"`).Replace(good), "1 of 1 code cells have not been run; --run runs them first", "twice two"},
		{"nbformat 3, of no kernel", `{"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""}, "worksheets": [{"metadata": {}, "cells": [
			{"cell_type": "heading", "level": 1, "metadata": {}, "source": "An old one"}, {"cell_type": "markdown", "metadata": {}, "source": "$x_1$"},
			{"cell_type": "code", "collapsed": false, "input": "1+1", "language": "python", "metadata": {}, "prompt_number": 1, "outputs":
				[{"output_type": "pyout", "prompt_number": 1, "metadata": {}, "text": "the old output"}]}]}]}`,
			"nbformat 3, read as nbformat 4; jupyter nbconvert", "the old output"},
		{"without cells", emptyNotebook, "", "<title>a b</title>"},
	} {
		t.Run(test.name, func(t *testing.T) {
			put(t, source, test.text)
			code, stdout, stderr := age(t, "report", source)
			page := strings.TrimSuffix(source, "ipynb") + "html"
			if code != 0 || stdout != page+"\n" {
				t.Fatalf("exit %d, printed %q and %s", code, stdout, stderr)
			}
			if !strings.Contains(stderr, test.notes) || strings.Count(stderr, "\n") > 1 || test.notes == "" && stderr != "" || stderr != "" && !strings.HasPrefix(stderr, source+": ") {
				t.Errorf("on standard error %q, want a line with %q", stderr, test.notes)
			}
			if text := string(read(t, page)); !strings.Contains(text, test.page) || !strings.Contains(text, "default-src 'none'") || strings.Contains(test.text, "$x_1$") && !strings.Contains(text, "<msub>") {
				t.Errorf("the page lacks %q: %.300s", test.page, text[strings.Index(text, "<body>"):])
			}
			if string(read(t, source)) != test.text {
				t.Error("the notebook was changed")
			}
			if got := names(t, dir); !slices.Equal(got, []string{"a b.html", "a b.ipynb"}) {
				t.Errorf("there are %q", got)
			}
		})
	}
	put(t, source, `{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "code"}]}`)
	if code, _, stderr := age(t, "report", source); code != 1 || !strings.Contains(stderr, source+": not a valid notebook: ") {
		t.Errorf("of a cell without source: exit %d: %s", code, stderr)
	}
}

// TestReportFolder writes the page of a run, whose clusters have the names that fit
// printed, and takes a column for titles.
func TestReportFolder(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	examples := "../../assets/examples/penguins"
	args := append(strings.Fields("fit --clusters 3 --no-map --no-views --epochs 4 --dims 8 --update 2 --label species"), "--nodes", examples+".csv", "--edges", examples+"-edges.csv", "--out", dir)
	printed, _ := succeeds(t, args...)
	succeeds(t, "report", dir)
	page := string(read(t, filepath.Join(dir, "report.html")))
	names := regexp.MustCompile(`(?m)^cluster (\d) \((.+)\): `).FindAllStringSubmatch(printed, -1)
	if len(names) != 3 {
		t.Fatalf("fit names %q", names)
	}
	for _, name := range names {
		if label := "<span>" + name[1] + " · " + name[2] + "</span></h3>"; !strings.Contains(page, label) {
			t.Errorf("the page lacks %s", label)
		}
	}
	if code, _, stderr := age(t, "report", dir, "--title", "island"); code != 0 || !regexp.MustCompile(`data-id="p\d+" title="p\d+">(Biscoe|Dream|Torgersen)<`).Match(read(t, filepath.Join(dir, "report.html"))) {
		t.Errorf("--title island: exit %d, %s", code, stderr)
	}
	refuses(t, 1, "report "+dir, map[string]string{"--title sort": `nodes.csv: no column "sort": want one of "id", "species"`})
	refuses(t, 2, "report testdata/1_good.ipynb", map[string]string{"--title island": "--title is for the folder of a run"})
}

// TestReportRun runs notebooks first.
func TestReportRun(t *testing.T) {
	testutil.Jupyter(t)
	dir := t.TempDir()
	page := filepath.Join(dir, "page.html")
	if made := asJSON[reportFiles](t, "report", "testdata/1_good.ipynb", "--run", "--out", page); !slices.Equal(made.Files, []string{page}) {
		t.Fatalf("files %q", made.Files)
	}
	if !strings.Contains(string(read(t, page)), "twice two is 4") {
		t.Error("the page lacks the output")
	}

	refuses(t, 1, "report --run", map[string]string{"testdata/2_failing.ipynb --out " + page: "2_failing.ipynb: cell 3 failed"})
	if !strings.Contains(string(read(t, page)), "no such data set") {
		t.Error("the page of a failing notebook lacks the error")
	}

	source := filepath.Join(dir, "other.ipynb")
	put(t, source, strings.ReplaceAll(string(read(t, "testdata/1_good.ipynb")), `"agekit"`, `"fortran"`))
	refuses(t, 1, "report --run", map[string]string{source: "other.ipynb: no cell was run\nNo such kernel named fortran"})
	if got := names(t, dir); !slices.Equal(got, []string{"other.ipynb", "page.html"}) {
		t.Errorf("there are %q", got)
	}
}

// pages finds the pages of a PDF that Chromium wrote, with their sizes in points.
var pages = regexp.MustCompile(`(?s)/Type /Page\n.*?/MediaBox \[0 0 (\d+)\.\d+ (\d+)`)

// TestReportPDF prints a page and its slides.
func TestReportPDF(t *testing.T) {
	testutil.Jupyter(t)
	t.Setenv(kernels.BrowserVariable, testutil.Chromium(t))
	t.Setenv("TMPDIR", t.TempDir())
	base := filepath.Join(t.TempDir(), "talk")
	code, stdout, stderr := age(t, "report", "../../kernels/testdata/talk/talk.ipynb", "--slides", "--pdf", "--out", base+".html")
	if want := strings.Join([]string{base + ".html", base + ".slides.html", base + ".pdf", base + ".slides.pdf", ""}, "\n"); code != 0 || stdout != want {
		t.Fatalf("exit %d, %s%s", code, stdout, stderr)
	}
	for _, test := range []struct {
		file          string
		width, height string // of A4
		least, most   int
	}{
		{base + ".pdf", "594", "841", 3, 6},
		// Three slides fit on a page each; sixty lines of code do not. No page is empty.
		{base + ".slides.pdf", "841", "594", 5, 7},
	} {
		found := pages.FindAllStringSubmatch(string(read(t, test.file)), -1)
		if len(found) < test.least || len(found) > test.most {
			t.Errorf("%s has %d pages, want %d to %d", test.file, len(found), test.least, test.most)
		}
		for _, m := range found {
			if m[1] != test.width || m[2] != test.height {
				t.Errorf("%s: a page of %s×%s points, want A4", test.file, m[1], m[2])
			}
		}
	}
	if left := names(t, os.Getenv("TMPDIR")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// TestSlidesOut: --out names the page or its slides.
func TestSlidesOut(t *testing.T) {
	dir := t.TempDir()
	page, slides := filepath.Join(dir, "n.html"), filepath.Join(dir, "n.slides.html")
	for _, out := range []string{page, slides} {
		files, err := (&reportCmd{Notebook: "n.ipynb", Out: out, Slides: true}).outputs()
		if err != nil || !slices.Equal(files, []string{page, slides}) {
			t.Errorf("--out %s: %q, %v", out, files, err)
		}
	}
}
