package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agekit/age/agekit/input"
)

// TestLook: agekit fit --dry-run says of each column of a table what it is and what the first nodes have, which
// edges come first, and the view and the number of clusters that the run then has; it writes nothing.
func TestLook(t *testing.T) {
	isolate(t)
	t.Chdir(t.TempDir())
	var nodes, edges strings.Builder
	r := rand.New(rand.NewPCG(1, 2))
	nodes.WriteString("who,group,height,town,born\n")
	edges.WriteString("a,b,how\n")
	for i := range 60 {
		fmt.Fprintf(&nodes, "p%d,%d,%.2f,%s,19%d-05-1%d\n", i, i%3, r.Float64()+float64(i%3), []string{"Rome", "Oslo"}[r.IntN(2)], 50+i%3, i%7)
	}
	for i := range 60 {
		fmt.Fprintf(&edges, "p%d,p%d,%d\n", 59-i, (i*7+3)%59, 1)
	}
	put(t, "n.csv", nodes.String())
	put(t, "e.csv", edges.String())
	flags := strings.Fields("--nodes n.csv --edges e.csv --label group --drop town --source a --target b --no-map --no-views")
	before := names(t, ".")
	got := asJSON[look](t, append([]string{"fit", "--dry-run", "--out", "o"}, flags...)...)
	if after := names(t, "."); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("files %q, before %q", after, before)
	}
	for k, want := range []lookColumn{
		{Name: "who", Role: "id", First: []string{"p0", "p1", "p2"}},
		{Name: "group", Role: "label", First: []string{"0", "1", "2"}},
		{Name: "height", Role: "feature", Kind: "number"},
		{Name: "town", Role: "left out"},
		{Name: "born", Role: "feature", Kind: "date", First: []string{"1950-05-10", "1951-05-11", "1952-05-12"}},
	} {
		c := got.Columns[k]
		if c.Name != want.Name || c.Role != want.Role || c.Kind != want.Kind || want.First != nil && fmt.Sprint(c.First) != fmt.Sprint(want.First) {
			t.Errorf("%+v, want %+v", c, want)
		}
	}
	wantEdges := []input.Edge{{Source: "p59", Target: "p3", Weight: 1}, {Source: "p58", Target: "p10", Weight: 1}, {Source: "p57", Target: "p17", Weight: 1}}
	if fmt.Sprint(got.FirstEdges) != fmt.Sprint(wantEdges) {
		t.Errorf("edges %v, want %v", got.FirstEdges, wantEdges)
	}
	if got.Otherwise != "features" { // the edges of this graph are like random ones
		t.Errorf("otherwise %q", got.Otherwise)
	}
	ran := fit(t, flags...)
	if got.Nodes != ran.N || got.Otherwise != string(ran.View) || got.Clusters != fmt.Sprint(len(ran.Clusters)) || len(got.Warnings) != len(ran.Warnings) {
		t.Errorf("%+v, but the run has %d nodes, view %s, %d clusters, warnings %q", got, ran.N, ran.View, len(ran.Clusters), ran.Warnings)
	}
}

// TestLookFits: what agekit fit --dry-run prints is at most 25 lines of 100 characters, also of a table with many
// columns, long names and values, and many warnings, and of a graph without tables. Where the run cannot be
// planned, it is printed before the error.
func TestLookFits(t *testing.T) {
	isolate(t)
	karate := read(t, "../../assets/examples/karate.txt")
	t.Chdir(t.TempDir())
	put(t, "karate.txt", karate)
	var nodes, edges strings.Builder
	long := strings.Repeat("a long word ", 30)
	nodes.WriteString("id")
	for k := range 40 {
		fmt.Fprintf(&nodes, ",%s %d", long, k)
	}
	for i := range 50 {
		fmt.Fprintf(&nodes, "\n%s%d", long, i)
		for k := range 40 {
			fmt.Fprintf(&nodes, ",%s%d", []string{"", long, "=1+", "x"}[k%4], i*k%7)
		}
		fmt.Fprintf(&edges, "%s%d,%s%d\n", long, i, long, (i*7+1)%50)
	}
	put(t, "n.csv", nodes.String()+"\n")
	put(t, "e.csv", "source,target\n"+edges.String())
	for flags, code := range map[string]int{
		"--nodes n.csv --edges e.csv":                           0,
		"--edges karate.txt":                                    0,
		"--nodes n.csv --knn 3 --id id":                         0,
		"--edges karate.txt --clusters 3..9":                    0,
		"--edges karate.txt --method GAE":                       2, // without a number of clusters
		"--edges karate.txt --method GAE --seed 2 --clusters 3": 0,
	} {
		got, printed, errs := age(t, strings.Fields("fit --dry-run "+flags)...)
		if got != code {
			t.Errorf("%s: exit code %d, want %d: %s", flags, got, code, errs)
		}
		lines := strings.Split(strings.TrimSuffix(printed, "\n"), "\n")
		if len(lines) < 3 || len(lines) > 25 {
			t.Errorf("%s: %d lines:\n%s", flags, len(lines), printed)
		}
		for _, line := range lines {
			if utf8.RuneCountInString(line) > 100 {
				t.Errorf("%s: a line of %d characters: %s", flags, utf8.RuneCountInString(line), line)
			}
		}
	}
	if _, err := os.Stat("o"); err == nil {
		t.Error("a folder was made")
	}
}
