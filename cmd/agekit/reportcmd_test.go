package main

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/internal/testutil"
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
