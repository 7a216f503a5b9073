package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestFirstPage: the help of fit shows what people need first, in groups, and --help-all all
// flags; so do the commands, and those that have no more say nothing of it.
func TestFirstPage(t *testing.T) {
	flags := regexp.MustCompile(`(?m)^ +(?:-h, )?--[\w\[\]-]+`)
	count := func(args string) (n int, text string) {
		text, _ = succeeds(t, strings.Fields(args)...)
		return len(flags.FindAllString(text, -1)), text
	}
	first, text := count("fit --help")
	all, whole := count("fit --help-all")
	if first < 10 || first > 18 || all < 60 {
		t.Errorf("%d flags on the first page of fit, %d on all", first, all)
	}
	for _, group := range []string{"\nData:\n", "\nClusters:\n", "\nMethod:\n", "\nTraining:\n", "\nOutput:\n"} {
		if !strings.Contains(text, group) {
			t.Errorf("no group %q in\n%s", group, text)
		}
	}
	if !strings.Contains(text, "\nagekit fit --help-all lists ") || strings.Contains(whole, " lists ") || !strings.Contains(whole, "\nLarge graphs:\n") || !strings.Contains(whole, "\nTables:\n") {
		t.Errorf("the pages of fit are\n%s\n%s", text, whole)
	}
	_, text = count("--help")
	_, whole = count("--help-all")
	for _, command := range []string{"\n  worker run ", "\n  graph build "} {
		if strings.Contains(text, command) || !strings.Contains(whole, command) {
			t.Errorf("%q is on the first page, or not on the page of all commands", command)
		}
	}
	if _, text = count("graph build --help"); !strings.Contains(text, "--edges") {
		t.Errorf("graph build --help:\n%s", text)
	}
	if _, text = count("version --help"); strings.Contains(text, "help-all") {
		t.Errorf("version --help:\n%s", text)
	}
}

// TestSummary: agekit fit prints the views and a few more lines, also for many clusters, and warnings; all
// else is in log.txt, and is printed with --verbose.
func TestSummary(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	const classes = "planted:n=300,f=100,classes=12,degree=6"
	args := append(strings.Fields("fit --no-map --dataset "+classes+quick+" --out"), dir)
	code, out, errs := age(t, args...)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	const views = 6 // a heading, four views and a sentence
	if code != 0 || errs != "" || len(lines) > summaryLines+views {
		t.Fatalf("exit %d, %d lines\n%s%s", code, len(lines), out, errs)
	}
	for _, want := range []string{classes + ": 300 nodes, ", "12 clusters; t 8, k 0.6667; epoch ", "ACC ", " other clusters, of ", "files in " + dir} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	log := string(read(t, filepath.Join(dir, "log.txt")))
	_, verbose, told := age(t, append(args, "--verbose")...)
	for _, want := range []string{"epoch 6 of 6: loss ", "backend native: asked for", "exact ranking of all"} {
		if !strings.Contains(log, want) || !strings.Contains(told, want) {
			t.Errorf("no %q in log.txt or with --verbose\n%s\n%s", want, log, told)
		}
	}
	for _, want := range []string{"cluster 11", "scaling randomwalk, seed 1", ": load "} {
		if !strings.Contains(log, want) || !strings.Contains(verbose, want) {
			t.Errorf("no %q in log.txt or with --verbose\n%s\n%s", want, log, verbose)
		}
	}
	table := filepath.Join(t.TempDir(), "nodes.csv")
	put(t, table, "id,name,x\na,one,1\nb,two,5\nc,three,2\nd,four,7\n")
	edges := filepath.Join(filepath.Dir(table), "edges.csv")
	put(t, edges, "source,target\na,b\nb,c\nc,d\nd,a\n")
	_, out, errs = age(t, append(strings.Fields("fit --no-auto --epochs 2 --layers 1 --pos-start 0.3 --pos-end 0.3 --neg-start 0.6 --clusters 2 --nodes"), table, "--edges", edges)...)
	if want := `warning: column "name": left out, 4 different values in 4 rows are neither categories nor text; --category keeps it as categories, --text as text`; !strings.Contains(errs, want) {
		t.Errorf("no %q in %s", want, errs)
	}
	if want := `column "x": number, standardized; `; !strings.Contains(out, "\nas read: ") || !strings.Contains(out, want) {
		t.Errorf("no line of how the columns were read, with %q, in\n%s", want, out)
	}
}
