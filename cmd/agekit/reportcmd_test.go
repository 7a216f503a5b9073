package main

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/internal/testutil"
)

// nbformat3 is a notebook of before 2015, with a heading, a formula and an output.
const nbformat3 = `{"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""}, "worksheets": [{"metadata": {}, "cells": [
	{"cell_type": "heading", "level": 1, "metadata": {}, "source": "An old one"},
	{"cell_type": "markdown", "metadata": {}, "source": "$x_1$"},
	{"cell_type": "code", "collapsed": false, "input": "1+1", "language": "python", "metadata": {}, "prompt_number": 1, "outputs": [
		{"output_type": "pyout", "prompt_number": 1, "metadata": {}, "text": "the old output"}]}]}]}`

// TestReportCommand: without --run, the page of a notebook shows the outputs that the notebook has
// stored, and loads nothing from elsewhere. A line on standard error says that cells have not been run,
// or that the format is old. The notebook stays as it is, and nothing but the page is written. A text
// that is no notebook is an error.
func TestReportCommand(t *testing.T) {
	project := testutil.Jupyter(t)
	dir := t.TempDir()
	source, page := filepath.Join(dir, "a b.ipynb"), filepath.Join(dir, "a b.html")
	// The good notebook, made one of the language R, and without outputs.
	inR := strings.NewReplacer(`"Go: agekit"`, `"R"`, `"go"`, `"R"`, `"agekit"`, `"ir"`).Replace(string(read(t, "testdata/1_good.ipynb")))
	for _, test := range []struct {
		name, notebook string
		note           string   // a piece of the line on standard error; "" for none
		shows          []string // pieces of the page
	}{
		{"not run, for a kernel that is not installed", inR, "1 of 1 code cells have not been run; --run runs them first", []string{"twice two"}},
		{"nbformat 3, for no kernel", nbformat3, "nbformat 3, read as nbformat 4; jupyter nbconvert", []string{"the old output", "<msub>"}}, // MathML of $x_1$
		{"without cells", emptyNotebook, "", []string{"<title>a b</title>"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			put(t, source, test.notebook)
			stdout, stderr := succeeds(t, "report", source, "--project", project)
			if stdout != page+"\n" {
				t.Fatalf("printed %q, want the page's path", stdout)
			}
			oneLine := strings.HasPrefix(stderr, source+": ") && strings.Count(stderr, "\n") == 1
			if test.note == "" && stderr != "" || test.note != "" && !(oneLine && strings.Contains(stderr, test.note)) {
				t.Errorf("on standard error %q, want a line with %q", stderr, test.note)
			}
			text := string(read(t, page))
			for _, want := range append(test.shows, "default-src 'none'") { // which loads nothing
				if !strings.Contains(text, want) {
					t.Errorf("the page lacks %q: %.300s", want, text[strings.Index(text, "<body>"):])
				}
			}
			if string(read(t, source)) != test.notebook {
				t.Error("the notebook was changed")
			}
			if got := names(t, dir); !slices.Equal(got, []string{"a b.html", "a b.ipynb"}) {
				t.Errorf("the folder has %q, want the notebook and its page", got)
			}
		})
	}
	const cellWithoutSource = `{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "code"}]}`
	put(t, source, cellWithoutSource)
	if code, _, stderr := age(t, "report", source, "--project", project); code != 1 || !strings.Contains(stderr, source+": not a valid notebook: ") {
		t.Errorf("a cell without source: exit %d: %s", code, stderr)
	}
}

// TestReportFolder: the page of a run calls clusters by the names that agekit fit printed, and nodes by
// their texts in the column of --title: here the islands. A column that is missing, and --title for a
// notebook, are errors.
func TestReportFolder(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	examples := "../../assets/examples/penguins"
	args := append(strings.Fields("fit --clusters 3 --no-map --no-views --epochs 4 --dims 8 --update 2 --label species"), "--nodes", examples+".csv", "--edges", examples+"-edges.csv", "--out", dir)
	printed, _ := succeeds(t, args...)
	succeeds(t, "report", dir)
	page := string(read(t, filepath.Join(dir, "report.html")))
	names := regexp.MustCompile(`(?m)^ +(\d)  (.*\S) +\d+ +\d+ %$`).FindAllStringSubmatch(printed, -1)
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

// TestReportRun: report --run runs a notebook before it writes its page. The page of 1_good.ipynb shows
// what the notebook's cell prints, and that of 2_failing.ipynb the error at which its third cell fails.
// A notebook whose kernel is not installed has no page.
func TestReportRun(t *testing.T) {
	project := testutil.Jupyter(t)
	dir := t.TempDir()
	page := filepath.Join(dir, "page.html")
	made := asJSON[reportFiles](t, "report", "testdata/1_good.ipynb", "--run", "--out", page, "--project", project)
	if !slices.Equal(made.Files, []string{page}) {
		t.Fatalf("files %q, want the page", made.Files)
	}
	if !strings.Contains(string(read(t, page)), "twice two is 4") {
		t.Error("the page lacks what the cell prints")
	}

	failing := "testdata/2_failing.ipynb --out " + page // the same page, which is replaced
	refuses(t, 1, "report --run --project "+project, map[string]string{failing: "2_failing.ipynb: cell 3 failed"})
	if !strings.Contains(string(read(t, page)), "no such data set") {
		t.Error("the page of a failing notebook lacks the error")
	}

	inFortran := filepath.Join(dir, "other.ipynb") // a notebook for a kernel that nobody has
	put(t, inFortran, strings.ReplaceAll(string(read(t, "testdata/1_good.ipynb")), `"agekit"`, `"fortran"`))
	refuses(t, 1, "report --run --project "+project, map[string]string{inFortran: "other.ipynb: no cell was run\nNo such kernel named fortran"})
	if got, want := names(t, dir), []string{"other.ipynb", "page.html"}; !slices.Equal(got, want) {
		t.Errorf("the folder has %q, want %q, without other.html", got, want)
	}
}

// TestSlidesOut: with --slides, --out may name the page or the slides, and both are written.
func TestSlidesOut(t *testing.T) {
	dir := t.TempDir()
	page, slides := filepath.Join(dir, "n.html"), filepath.Join(dir, "n.slides.html")
	for _, out := range []string{page, slides} {
		files, err := (&reportCmd{Source: "n.ipynb", Out: out, Slides: true}).outputs(t.Context(), "")
		if want := []string{page, slides}; err != nil || !slices.Equal(files, want) {
			t.Errorf("--out %s: files %q, want %q (%v)", out, files, want, err)
		}
	}
}
