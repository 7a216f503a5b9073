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

// rewritten returns text with every line changed.
func rewritten(s string, change func(string) string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString(change(strings.TrimSuffix(line, "\n")))
	}
	return b.String()
}

// scaled multiplies every feature.
func scaled(csv string, by float64) string {
	return rewritten(csv, func(line string) string {
		fields := strings.Split(line, ",")
		for k, f := range fields {
			v, _ := strconv.ParseFloat(f, 64)
			fields[k] = strconv.FormatFloat(v*by, 'g', -1, 64)
		}
		return strings.Join(fields, ",") + "\n"
	})
}

// TestAcceptedInput: files that say the same in another way give the same
// clusters, byte for byte, and the same scores.
func TestAcceptedInput(t *testing.T) {
	const bom = "\xef\xbb\xbf"
	dir := ownFiles(t, plantedGraph(t))
	good := map[string]string{}
	for _, name := range []string{"edges.tsv", "x.csv", "labels.txt"} {
		good[name] = string(read(t, filepath.Join(dir, name)))
	}
	want, wantLabels := wholeFit(t, dir)
	crlf := func(line string) string { return line + "\r\n" }
	for _, test := range []struct {
		name, edges, features, labels string
		files                         map[string]string
	}{
		{name: "as it is"},
		{name: "byte-order marks", files: map[string]string{"edges.tsv": bom + good["edges.tsv"], "x.csv": bom + good["x.csv"], "labels.txt": bom + good["labels.txt"]}},
		{name: "carriage returns", files: map[string]string{"edges.tsv": rewritten(good["edges.tsv"], crlf), "x.csv": rewritten(good["x.csv"], crlf), "labels.txt": rewritten(good["labels.txt"], crlf)}},
		{name: "no last line break", files: map[string]string{"edges.tsv": strings.TrimSuffix(good["edges.tsv"], "\n"), "x.csv": strings.TrimSuffix(good["x.csv"], "\n"), "labels.txt": strings.TrimSuffix(good["labels.txt"], "\n")}},
		{name: "comments and blank lines", files: map[string]string{"edges.tsv": "# edges\n\n" + good["edges.tsv"] + "\n", "labels.txt": "# labels\n" + good["labels.txt"]}},
		{name: "a header", files: map[string]string{"x.csv": rewrittenHeader(good["x.csv"])}},
		{name: "a header after a byte-order mark", files: map[string]string{"x.csv": bom + header(good["x.csv"]) + good["x.csv"]}},
		{name: "spaces between nodes", files: map[string]string{"edges.tsv": rewritten(good["edges.tsv"], func(l string) string { return " " + strings.ReplaceAll(l, "\t", "  ") + " \n" })}},
		{name: "edges both ways", files: map[string]string{"edges.tsv": rewritten(good["edges.tsv"], func(l string) string { u, v, _ := strings.Cut(l, "\t"); return l + "\n" + v + "\t" + u + "\n" })}},
		{name: "a path with spaces", edges: "my own/the edges.tsv", files: map[string]string{"my own/the edges.tsv": good["edges.tsv"]}},
		{name: "a path in other alphabets", features: "グラフ/特徴 $(x) 'y'.csv", files: map[string]string{"グラフ/特徴 $(x) 'y'.csv": good["x.csv"]}},
		{name: "labels in words", files: map[string]string{"labels.txt": rewritten(good["labels.txt"], func(l string) string { return "Klasse ä " + l + "\n" })}},
		{name: "features × 2⁻¹⁰⁰", files: map[string]string{"x.csv": scaled(good["x.csv"], 0x1p-100)}},
		{name: "features × 2¹⁰⁰", files: map[string]string{"x.csv": scaled(good["x.csv"], 0x1p100)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			all := maps.Clone(good)
			maps.Copy(all, test.files)
			for name, content := range all {
				put(t, p.path("cwd", name), content)
			}
			got, labels := fitOwn(t, p, test.edges, test.features)
			if got != want || !slices.Equal(labels, wantLabels) {
				t.Errorf("report %s, want %s", got, want)
			}
		})
	}
}

func header(csv string) string {
	first, _, _ := strings.Cut(csv, "\n")
	var columns []string
	for k := range strings.Count(first, ",") + 1 {
		columns = append(columns, fmt.Sprintf("word %d", k))
	}
	return strings.Join(columns, ",") + "\n"
}

func rewrittenHeader(csv string) string { return header(csv) + csv }

// fitOwn trains on files and returns the scores and the labels.
func fitOwn(t *testing.T, p *place, edges, features string) (scores string, labels []byte) {
	t.Helper()
	args := append(strings.Fields("fit --json --labels labels.txt --out out"+quick), "--edges", cmp.Or(edges, "edges.tsv"), "--features", cmp.Or(features, "x.csv"))
	e := p.run(t, args...).succeed(t)
	return scoresOf(t, e.stdout), read(t, p.path("cwd", "out", "labels.txt"))
}

// wholeFit trains on the same graph in one archive.
func wholeFit(t *testing.T, dir string) (scores string, labels []byte) {
	t.Helper()
	p := newPlace(t)
	e := p.run(t, append(strings.Fields("fit --json --out out"+quick), "--dataset", filepath.Join(dir, "whole.npz"))...).succeed(t)
	return scoresOf(t, e.stdout), read(t, p.path("cwd", "out", "labels.txt"))
}

func scoresOf(t *testing.T, printed string) string {
	t.Helper()
	r := decoded[run.Record](t, printed)
	return fmt.Sprintf("%d nodes, %d edges, %d features, λmax %v, ACC %v, NMI %v, modularity %v, index %v", r.N, r.Edges, r.Features, r.LambdaMax, *r.ACC, *r.NMI, r.Modularity, r.DBI)
}
