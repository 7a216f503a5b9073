package main

import (
	"reflect"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/testutil"
)

// loaded returns a run as run.Load reads it: of nodes with these ids, separated by spaces, the i-th of
// which is in clusters[i].
func loaded(ids string, clusters ...int) *run.Run {
	names := strings.Fields(ids)
	return &run.Run{
		Record: run.Record{Graph: run.Graph{N: len(names)}, Columns: run.Columns{ID: "name", Cluster: "cluster"}},
		Data: &input.Data{Nodes: &table.Table{Rows: len(names), Columns: []table.Column{
			table.NewWords("name", names), table.NewNumbers("cluster", clusters),
		}}},
	}
}

// TestCompare: of ten nodes a to j in both runs, three, d, e and h, are in clusters that are not matched. x
// and y are in one run only. All that is wanted is computed by hand, but for the NMI, which package metric
// tests, and the scores.
func TestCompare(t *testing.T) {
	first := loaded("a b c d e f g h i j x", 0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 0)
	second := loaded("y j i h g f e d c b a", 0, 3, 3, 5, 7, 7, 0, 5, 0, 0, 0)
	first.Seed, second.Seed = 1, 2
	c := testutil.Value(compareRuns(first, second)).OrFatal(t)
	want := comparison{
		SchemaVersion: compareVersion,
		Settings:      []pairOfRuns{{Name: "seed", First: uint64(1), Second: uint64(2)}},
		Both:          10, OnlyFirst: 1, OnlySecond: 1,
		First: []int{0, 1, 2}, Second: []int{0, 7, 3, 5}, // those that are matched, in the order of First, and 5
		Overlaps: [][]int{{3, 0, 0, 1}, {1, 2, 0, 0}, {0, 0, 2, 1}},
		Matched:  []int{0, 7, 3}, // with overlaps 3 + 2 + 2, the most
		Moved:    3, moves: []move{{"d", 0, 5}, {"e", 1, 0}, {"h", 2, 5}},

		Scores: c.Scores, NMI: c.NMI, // not compared here
		ARI: c.ARI, // compared below
	}
	if !reflect.DeepEqual(*c, want) {
		t.Errorf("%+v, want %+v", *c, want)
	}
	// Pairs of nodes in one cluster: in both runs 3+1+1 = 5, in the first 6+3+3 = 12, in the second
	// 6+1+1+1 = 9, of 45. By chance, 12·9/45 = 2.4 would be in both, and at most (12+9)/2 = 10.5.
	if ari := (5 - 2.4) / (10.5 - 2.4); !near(c.ARI, ari, 1e-12) {
		t.Errorf("ARI %v, want %v", c.ARI, ari)
	}
	moves := c.table()
	// The id, both clusters, and the cluster of the first run that is matched to the second cluster.
	for row, want := range []string{"d 0 5 ", "e 1 0 0", "h 2 5 "} {
		var got []string
		for k := range moves.Columns {
			text, _ := moves.Columns[k].Text(row)
			got = append(got, text)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("move %d: %q, want %q", row, got, want)
		}
	}
	testutil.Value(compareRuns(first, loaded("u v", 0, 1))).Fails(t, `no node is in both runs: the first has ids such as "a", the second such as "u"`)
}
