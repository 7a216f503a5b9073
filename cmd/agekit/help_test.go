package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestFirstPage: fit --help shows few flags, in groups, and a line about fit --help-all, which shows all
// flags and groups. agekit --help leaves out some commands that agekit --help-all has. The help of a
// command that has no more flags says nothing of --help-all.
func TestFirstPage(t *testing.T) {
	help := func(args string) string {
		page, _ := succeeds(t, strings.Fields(args)...)
		return page
	}
	first, all := help("fit --help"), help("fit --help-all")
	flag := regexp.MustCompile(`(?m)^ +(?:-h, )?--[\w\[\]-]+`)
	few, many := len(flag.FindAllString(first, -1)), len(flag.FindAllString(all, -1))
	if few < 10 || few > 18 || many < 60 { // about as many as fit on a screen, and all
		t.Errorf("%d flags on the first page of fit, want 10 to 18; %d on that of all, want 60 or more", few, many)
	}
	for _, group := range []string{"Data", "Clusters", "Method", "Training", "Output"} {
		if !strings.Contains(first, "\n"+group+":\n") {
			t.Errorf("no group %s in\n%s", group, first)
		}
	}
	for _, group := range []string{"Large graphs", "Tables"} {
		if !strings.Contains(all, "\n"+group+":\n") {
			t.Errorf("no group %s in\n%s", group, all)
		}
	}
	if !strings.Contains(first, "\nagekit fit --help-all lists ") || strings.Contains(all, " lists ") {
		t.Errorf("want a line on --help-all on the first page alone:\n%s\n%s", first, all)
	}

	first, all = help("--help"), help("--help-all")
	for _, command := range []string{"\n  worker run ", "\n  graph build "} {
		if strings.Contains(first, command) || !strings.Contains(all, command) {
			t.Errorf("%q is on the first page, or not on the page of all commands", command)
		}
	}
	if page := help("graph build --help"); !strings.Contains(page, "--edges") {
		t.Errorf("graph build --help:\n%s", page)
	}
	if page := help("version --help"); strings.Contains(page, "help-all") {
		t.Errorf("version --help:\n%s", page)
	}
}

// TestSummary: agekit fit prints a line for each of twelve clusters and about ten more, none of them long or with
// words of the method, and nothing on standard error. The rest, such as the epochs, is in log.txt, and is printed
// with --verbose.
func TestSummary(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	const classes = "planted:n=300,f=100,classes=12,degree=6"
	args := strings.Fields("fit --no-map --dataset " + classes + quick + " --out " + dir)
	summary, errs := succeeds(t, args...)
	const clusters, others = 12, 11
	if lines := strings.Count(summary, "\n"); lines > clusters+others || errs != "" {
		t.Fatalf("%d lines, and %q on standard error:\n%s", lines, errs, summary)
	}
	for line := range strings.Lines(summary) {
		if n := utf8.RuneCountInString(line); n > summaryWidth+1 && !strings.Contains(line, dir) {
			t.Errorf("%d characters: %s", n, line)
		}
	}
	for _, want := range []string{"Read     " + classes + ": 300 nodes, ", "Found    12 clusters in ", "Classes  compared with the 12 classes: ACC ", "Views    edges inside clusters: ", "nodes.csv", "agekit report " + dir} {
		if !strings.Contains(summary, want) {
			t.Errorf("no %q in\n%s", want, summary)
		}
	}
	if word := regexp.MustCompile(`(?i)\bscores?\b|\bnats\b|\bt \d|\bk 0|Davies|modularity|epoch`).FindString(summary); word != "" {
		t.Errorf("%q in\n%s", word, summary)
	}

	log := string(read(t, filepath.Join(dir, "log.txt")))
	verbose, progress := succeeds(t, append(args, "--verbose")...)
	for _, test := range []struct{ printed, want string }{ // by --verbose, on standard output or error
		{progress, "epoch 6 of 6: loss "},
		{progress, "backend native: asked for"},
		{progress, "exact ranking of all"},
		{verbose, "cluster 11"},
		{verbose, "view AGE: 12 clusters; t 8, k 0.6667; epoch "},
		{verbose, "scaling randomwalk, seed 1"},
		{verbose, ": load "},
	} {
		if !strings.Contains(test.printed, test.want) {
			t.Errorf("--verbose prints no %q in\n%s", test.want, test.printed)
		}
		if !strings.Contains(log, test.want) {
			t.Errorf("no %q in log.txt\n%s", test.want, log)
		}
	}
}

// TestSummaryOfTables: for tables of one's own, agekit fit prints how many columns of which kind became features and
// which were left out, and on standard error a short warning that says why, and how to keep it. The whole warning is
// in log.txt.
func TestSummaryOfTables(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	nodes, edges := filepath.Join(dir, "nodes.csv"), filepath.Join(dir, "edges.csv")
	put(t, nodes, "id,name,x\na,one,1\nb,two,5\nc,three,2\nd,four,7\n")
	put(t, edges, "source,target\na,b\nb,c\nc,d\nd,a\n")
	out := filepath.Join(dir, "out")
	args := strings.Fields("fit --no-auto --epochs 2 --layers 1 --pos-start 0.3 --pos-end 0.3 --neg-start 0.6 --clusters 2 --nodes " + nodes + " --edges " + edges + " --out " + out)
	summary, errs := succeeds(t, args...)
	if want := `warning: column "name": left out, 4 different values in 4 rows are…; --category keeps it as categories, --text as text` + "\n"; errs != want {
		t.Errorf("%q, want %q", errs, want)
	}
	for _, want := range []string{"         columns: 1 number; ids in id\n", "         left out: name\n"} {
		if !strings.Contains(summary, want) {
			t.Errorf("no line %q in\n%s", want, summary)
		}
	}
	log := string(read(t, filepath.Join(out, "log.txt")))
	for _, want := range []string{
		`warning: column "name": left out, 4 different values in 4 rows are neither categories nor text; --category keeps it as categories, --text as text`,
		`column "x": number, standardized`,
	} {
		if !strings.Contains(log, want) {
			t.Errorf("no %q in log.txt\n%s", want, log)
		}
	}
}
