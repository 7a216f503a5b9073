package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/explain"
	"github.com/agekit/age/internal/message"
)

// TestClusterTable: the table of the clusters has a line for each of twelve. A cluster without a name has its central
// nodes, as many as fit. Of more clusters, the largest have lines, and single nodes share one.
func TestClusterTable(t *testing.T) {
	long := strings.Repeat("long ", 20)
	of := func(sizes ...int) (clusters []explain.Cluster) {
		for c, size := range sizes {
			clusters = append(clusters, explain.Cluster{Cluster: c, Size: size, Inside: 0.5})
		}
		return clusters
	}
	for _, test := range []struct {
		clusters  []explain.Cluster
		withEdges bool
		want      string
	}{
		{[]explain.Cluster{
			{Cluster: 0, Name: "high mass", Size: 7, Inside: 0.904, Central: []string{"p1"}},
			{Cluster: 1, Size: 12, Inside: 1, Central: []string{"p3", "p8"}},
		}, true, `
cluster  name (or central nodes)   nodes  edges inside
      0  high mass                     7          90 %
      1  (p3, p8)                     12         100 %`},
		{[]explain.Cluster{
			{Cluster: 0, Size: 7, Central: []string{"a\nb", long}}, {Cluster: 1, Size: 3, Central: []string{long}},
		}, false, `
cluster  (central nodes)                                        nodes
      0  (a b)                                                      7
      1  (long long long long long long long long long long…)       3`},
		{of(3, 5, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 3), false, `
cluster   nodes
      1       5
     11       4
      0       3
      2       3
      3       3
      4       3
      5       3
      6       3
      7       3
      8       3
      9       3
2 more clusters of 3 nodes`},
		{of(1, 9, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 4), true, `
cluster   nodes  edges inside
      1       9          50 %
     12       4          50 %
11 single nodes`},
	} {
		if got := "\n" + strings.Join(clusterTable(test.clusters, test.withEdges), "\n"); got != test.want {
			t.Errorf("%s\nwant\n%s", got, test.want)
		}
	}
}

// TestFitLouvain: Louvain makes no embedding, so its clusters are not explained. Nevertheless their number and sizes are
// printed, those of labels.txt, in the summary, in log.txt and by agekit compare.
func TestFitLouvain(t *testing.T) {
	isolate(t)
	out := t.TempDir()
	summary, _ := succeeds(t, strings.Fields("fit --method Louvain --no-views --dataset "+planted+" --out "+out)...)
	sizes := map[string]int{}
	for label := range strings.FieldsSeq(string(read(t, filepath.Join(out, "labels.txt")))) {
		sizes[label]++
	}
	if want := fmt.Sprintf("Found    %d clusters in ", len(sizes)); len(sizes) < 2 || !strings.Contains(summary, want) {
		t.Errorf("no %q in\n%s", want, summary)
	}
	log := string(read(t, filepath.Join(out, "log.txt")))
	if want := fmt.Sprintf("\n%d clusters; Louvain, mode fair\n", len(sizes)); !strings.Contains(log, want) {
		t.Errorf("no %q in log.txt\n%s", want, log)
	}
	for label, size := range sizes {
		if want := fmt.Sprintf("\ncluster %s: %d node", label, size); !strings.Contains(log, want) {
			t.Errorf("no %q in log.txt\n%s", want, log)
		}
	}
	other := t.TempDir()
	succeeds(t, strings.Fields("fit --method K-means --clusters 2 --no-views --dataset "+planted+" --out "+other)...)
	compared, _ := succeeds(t, "compare", out, other)
	if want := fmt.Sprintf("(?m)^clusters +%d +2$", len(sizes)); !regexp.MustCompile(want).MatchString(compared) {
		t.Errorf("no %s in\n%s", want, compared)
	}
}

// TestFirstSentences: as many whole sentences as fit, and the first one in any case.
func TestFirstSentences(t *testing.T) {
	for _, test := range []struct {
		text string
		most int
		want string
	}{
		{"One. Two of them. Three.", 24, "One. Two of them. Three."},
		{"One. Two of them. Three.", 23, "One. Two of them."},
		{"One. Two of them. Three.", 2, "One."},
		{"A share of 0.5 is one", 3, "A share of 0.5 is one"},
	} {
		if got := firstSentences(test.text, test.most); got != test.want {
			t.Errorf("%q, %d: %q, want %q", test.text, test.most, got, test.want)
		}
	}
}

// TestShortWarning: a warning has one line of at most 120 characters, with its beginning, and with what can be done about
// it where there is room.
func TestShortWarning(t *testing.T) {
	many := strings.TrimSpace(strings.Repeat("many words, ", 20))
	for _, test := range []struct {
		warning message.Message
		want    string
	}{
		{message.Sprintf("12 rows are left out").Advise("%s names another", "Source.ID", ""), "warning: 12 rows are left out; --id names another"},
		{message.Sprintf("%s", "two\nlines"), "warning: two lines"},
		{message.Sprintf("%s", many).Advise("%s names another", "Source.ID", ""), "warning: many words, many words, many words, many words, many words, many words, many words, many…; --id names another"},
		{message.Sprintf("%s", many).Advise("%s "+many, "Source.ID", ""), "warning: many words, many words, many words, many words, many words, many words, many words, many words, many words…"},
		{message.Sprintf("%s", many).Advise("%s names another", "Source.ID", "").Advise("%s "+many, "Source.Label", ""), "warning: many words, many words, many words, many words, many words, many words, many words, many…; --id names another"},
		{message.Sprintf("%s: left out, %s", `columns (12) "a, b", "`+many+`", "c"`, "a result of an earlier run").Advise("%s keeps it", "Source.Columns.Number", ""),
			`warning: column "a, b" and 11 more: left out, a result of an earlier run; --number keeps it`},
	} {
		got := shortWarning(test.warning)
		if got != test.want || len([]rune(got)) > summaryWidth {
			t.Errorf("%q of %d characters, want %q", got, len([]rune(got)), test.want)
		}
	}
}

// TestColumnsOfSummary: the summary counts the columns by kind, and says what other columns are for.
func TestColumnsOfSummary(t *testing.T) {
	isolate(t)
	t.Chdir(t.TempDir())
	var nodes, edges strings.Builder
	nodes.WriteString("who,group,height,width,town,born,junk\n")
	edges.WriteString("a,b\n")
	for i := range 60 {
		width := fmt.Sprint(i * i % 17)
		if i == 7 {
			width = ""
		}
		fmt.Fprintf(&nodes, "p%d,%d,%d.5,%s,%s,19%d-05-1%d,7\n", i, i%3, i%7, width, []string{"Rome", "Oslo"}[i%2], 50+i%3, i%7)
		fmt.Fprintf(&edges, "p%d,p%d\n", i, (i+i/3+1)%60)
	}
	put(t, "n.csv", nodes.String())
	put(t, "e.csv", edges.String())
	summary, _ := succeeds(t, strings.Fields("fit --nodes n.csv --edges e.csv --label group --no-map --view edges")...)
	lines := strings.Split(summary, "\n")
	for _, want := range []string{
		"         columns: 2 numbers, 1 date, and 1 category (gaps in 1); ids in who; 3 classes in group, only to compare with",
		"         left out: junk",
	} {
		if !slices.Contains(lines, want) {
			t.Errorf("no line %q in\n%s", want, summary)
		}
	}
}

// TestTookText: a time below a minute is in seconds, and a longer one as progress writes it.
func TestTookText(t *testing.T) {
	for seconds, want := range map[float64]string{0.04: "0.0 s", 3.16: "3.2 s", 59.94: "59.9 s", 59.96: "1m0s", 320.3: "5m20s", 3723: "1h2m3s"} {
		if got := tookText(seconds); got != want {
			t.Errorf("%v s: %s, want %s", seconds, got, want)
		}
	}
}
