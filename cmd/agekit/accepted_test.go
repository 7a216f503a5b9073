package main

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/run"
)

// rewritten returns text with each line replaced by what change returns for it. change gets the line
// without its line break, and returns it with one.
func rewritten(text string, change func(line string) string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(change(strings.TrimSuffix(line, "\n")))
	}
	return b.String()
}

// scaled returns a table with every number multiplied by factor.
func scaled(csv string, factor float64) string {
	return rewritten(csv, func(line string) string {
		fields := strings.Split(line, ",")
		for k, f := range fields {
			v, _ := strconv.ParseFloat(f, 64)
			fields[k] = strconv.FormatFloat(v*factor, 'g', -1, 64)
		}
		return strings.Join(fields, ",") + "\n"
	})
}

// TestAcceptedInput: files that say the same in other ways give the same labels.txt, byte for byte, and the
// same scores. What they are compared with is a run on the same graph in one archive, whole.npz, which is
// read by other code.
func TestAcceptedInput(t *testing.T) {
	const bom = "\xef\xbb\xbf"
	dir := ownFiles(t, plantedGraph(t))
	text := func(name string) string { return string(read(t, filepath.Join(dir, name))) }
	edges, x, labels := text("edges.tsv"), text("x.csv"), text("labels.txt")
	good := map[string]string{"edges.tsv": edges, "x.csv": x, "labels.txt": labels}
	wantScores, wantLabels := fitArchive(t, filepath.Join(dir, "whole.npz"))
	crlf := func(line string) string { return line + "\r\n" }
	spaced := func(line string) string { return " " + strings.ReplaceAll(line, "\t", "  ") + " \n" }
	bothWays := func(line string) string {
		u, v, _ := strings.Cut(line, "\t")
		return u + "\t" + v + "\n" + v + "\t" + u + "\n"
	}
	inWords := func(label string) string { return "Klasse ä " + label + "\n" }
	for _, test := range []struct {
		name            string
		files           map[string]string // by name, in place of the good ones or beside them
		edges, features string            // the values of --edges and --features; "" is edges.tsv, and x.csv
	}{
		{name: "as it is"},
		{name: "byte-order marks", files: map[string]string{"edges.tsv": bom + edges, "x.csv": bom + x, "labels.txt": bom + labels}},
		{name: "carriage returns", files: map[string]string{"edges.tsv": rewritten(edges, crlf), "x.csv": rewritten(x, crlf), "labels.txt": rewritten(labels, crlf)}},
		{name: "no last line break", files: map[string]string{"edges.tsv": strings.TrimSuffix(edges, "\n"), "x.csv": strings.TrimSuffix(x, "\n"), "labels.txt": strings.TrimSuffix(labels, "\n")}},
		{name: "comments and blank lines", files: map[string]string{"edges.tsv": "# edges\n\n" + edges + "\n", "labels.txt": "# labels\n" + labels}},
		{name: "a header", files: map[string]string{"x.csv": header(x) + x}},
		{name: "a header after a byte-order mark", files: map[string]string{"x.csv": bom + header(x) + x}},
		{name: "spaces between nodes", files: map[string]string{"edges.tsv": rewritten(edges, spaced)}},
		{name: "edges both ways", files: map[string]string{"edges.tsv": rewritten(edges, bothWays)}},
		{name: "a path with spaces", files: map[string]string{"my own/the edges.tsv": edges}, edges: "my own/the edges.tsv"},
		{name: "a path in other alphabets", files: map[string]string{"グラフ/特徴 $(x) 'y'.csv": x}, features: "グラフ/特徴 $(x) 'y'.csv"},
		{name: "labels in words", files: map[string]string{"labels.txt": rewritten(labels, inWords)}},
		{name: "features × 2⁻¹⁰⁰", files: map[string]string{"x.csv": scaled(x, 0x1p-100)}},
		{name: "features × 2¹⁰⁰", files: map[string]string{"x.csv": scaled(x, 0x1p100)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			files := maps.Clone(good)
			maps.Copy(files, test.files)
			for name, content := range files {
				put(t, p.path("cwd", name), content)
			}
			scores, labels := fitIn(t, p, "--edges", cmp.Or(test.edges, "edges.tsv"), "--features", cmp.Or(test.features, "x.csv"), "--labels", "labels.txt")
			if scores != wantScores {
				t.Errorf("%s, want %s", scores, wantScores)
			}
			if !slices.Equal(labels, wantLabels) {
				t.Error("labels.txt has other bytes")
			}
		})
	}
}

// header returns a line that names the columns of a table, which has none.
func header(csv string) string {
	first, _, _ := strings.Cut(csv, "\n")
	var columns []string
	for k := range strings.Count(first, ",") + 1 {
		columns = append(columns, fmt.Sprintf("word %d", k))
	}
	return strings.Join(columns, ",") + "\n"
}

// fitArchive trains on the graph in one archive, and returns the scores, as text, and labels.txt.
func fitArchive(t *testing.T, path string) (scores string, labels []byte) {
	t.Helper()
	return fitIn(t, newPlace(t), "--dataset", path)
}

// fitIn trains in a place on the graph that these flags name, and returns the scores, as text, and
// labels.txt.
func fitIn(t *testing.T, p *place, graph ...string) (scores string, labels []byte) {
	t.Helper()
	args := append(strings.Fields("fit --json --out out"+quick), graph...)
	e := p.run(t, args...).succeed(t)
	return scoresOf(t, e.stdout), read(t, p.path("cwd", "out", "labels.txt"))
}

// scoresOf returns the sizes and scores in what agekit fit --json printed, as text.
func scoresOf(t *testing.T, printed string) string {
	t.Helper()
	r := decoded[run.Record](t, printed)
	return fmt.Sprintf("%d nodes, %d edges, %d features, λmax %v, ACC %v, NMI %v, modularity %v, index %v", r.N, r.Edges, r.Features, r.LambdaMax, *r.ACC, *r.NMI, r.Modularity, r.DBI)
}
