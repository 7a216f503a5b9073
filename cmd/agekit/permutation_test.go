package main

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/internal/testutil"
)

// userGraph is a graph as a user has it: tables of nodes and of edges, either of which may be missing, with
// headers, and flags that say how to read them.
type userGraph struct {
	nodes, edges [][]string // the first column of nodes has the ids, and two of edges the ends
	flags        string
}

// groups is the number of groups of each of [clearGraphs].
const groups = 3

// trained are flags of a short training that finds the groups, and afterChance is the least ARI of clusters in
// two orders where random choices by the numbers of nodes matter.
const trained, afterChance = " --epochs 60 --dims 32 --backend native", 0.8

// clearGraphs returns graphs of clear groups, by what they are: node i is in group i modulo 3.
func clearGraphs() map[string]userGraph {
	rnd := rand.New(rand.NewPCG(4, 0))
	const n = 90
	id := func(i int) string { return fmt.Sprintf("n%d", i) }
	number := func(mean float64) string { return fmt.Sprintf("%.2f", mean+0.5*rnd.NormFloat64()) }
	word := func(words string, group int) string { return strings.Fields(words)[group] }
	measures, kinds := [][]string{{"id", "size", "age", "color"}}, [][]string{{"id", "region", "tree"}}
	texts := [][]string{{"id", "about"}}
	for i := range n {
		group := i % groups
		measures = append(measures, []string{id(i), number(4 * float64(group)), number(20 - 3*float64(group)), word("red green blue", group)})
		kinds = append(kinds, []string{id(i), word("north south west", group), word("oak elm ash", group)})
		about := word("sun snow pan", group) + " " + word("sea ice pot", group) + " " + word("far near here", rnd.IntN(groups))
		texts = append(texts, []string{id(i), about})
	}
	// edges joins the nodes, or those of two kinds, with that probability in groups, and a tenth of it between.
	edges := func(inside float64, twoKinds bool) [][]string {
		all := [][]string{{"source", "target"}}
		for i := range n {
			for j := range i {
				share := inside
				if i%groups != j%groups {
					share /= 10
				}
				if first, second := j, i; rnd.Float64() < share && (!twoKinds || second >= n/2 && first < n/2) {
					all = append(all, []string{id(first), id(second)})
				}
			}
		}
		return all
	}
	weighted := [][]string{{"source", "target", "weight"}}
	for i := range n {
		for j := range i {
			weight := 1 + rnd.IntN(2)
			if i%groups == j%groups {
				weight *= 20
			}
			if rnd.IntN(5) == 0 {
				weighted = append(weighted, []string{id(j), id(i), strconv.Itoa(weight)})
			}
		}
	}
	return map[string]userGraph{
		"a table":         {nodes: measures, flags: "--knn 6"},
		"equal rows":      {nodes: kinds, flags: "--knn 6"},
		"texts":           {nodes: texts, flags: "--knn 6 --text about"},
		"nodes and edges": {nodes: measures, edges: edges(0.3, false)},
		"edges":           {edges: edges(0.3, false)},
		"weights":         {edges: weighted},
		"two kinds":       {edges: edges(0.5, true)},
	}
}

// permuted returns the graph with its rows, columns and edges in another order and, if renamed is true, with other
// ids: newID has them by the old ones.
func (g userGraph) permuted(rnd *rand.Rand, renamed bool) (other userGraph, newID map[string]string) {
	newID = map[string]string{}
	var ids []string
	for _, row := range slices.Concat(g.nodes, g.edges) {
		ids = append(ids, row[:1]...)
	}
	for _, row := range g.edges {
		ids = append(ids, row[1])
	}
	for _, header := range []string{"id", "source", "target"} {
		newID[header] = header
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	for k, number := range rnd.Perm(len(ids)) {
		if _, isHeader := newID[ids[k]]; !isHeader {
			newID[ids[k]] = ids[k]
			if renamed {
				newID[ids[k]] = fmt.Sprintf("x%d", number)
			}
		}
	}
	shuffled := func(rows [][]string) (all [][]string) {
		for _, row := range rows {
			all = append(all, slices.Clone(row))
		}
		if len(all) > 0 {
			rnd.Shuffle(len(all)-1, func(i, j int) { all[1+i], all[1+j] = all[1+j], all[1+i] })
		}
		return all
	}
	other = userGraph{shuffled(g.nodes), shuffled(g.edges), g.flags}
	for _, row := range other.nodes {
		row[0] = newID[row[0]]
		slices.Reverse(row[1:])
	}
	for _, row := range other.edges {
		row[0], row[1] = newID[row[0]], newID[row[1]]
	}
	return other, newID
}

// write writes the tables to a folder, and returns the flags that name them.
func (g userGraph) write(t *testing.T, folder string) (flags []string) {
	t.Helper()
	for name, rows := range map[string][][]string{"nodes": g.nodes, "edges": g.edges} {
		if rows == nil {
			continue
		}
		var text strings.Builder
		testutil.NoError(t, csv.NewWriter(&text).WriteAll(rows))
		path := filepath.Join(folder, name+".csv")
		put(t, path, text.String())
		flags = append(flags, "--"+name, path)
	}
	return append(flags, strings.Fields(g.flags)...)
}

// clustersIn returns the cluster of each node, by id, from a table that fit or predict wrote.
func clustersIn(t *testing.T, path string) map[string]string {
	t.Helper()
	rows := testutil.Value(csv.NewReader(strings.NewReader(string(read(t, path)))).ReadAll()).OrFatal(t)
	column := slices.Index(rows[0], "cluster")
	if column < 0 {
		t.Fatalf("%s has columns %q", path, rows[0])
	}
	clusters := map[string]string{}
	for _, row := range rows[1:] {
		clusters[row[0]] = row[column]
	}
	return clusters
}

// samePartition returns the ARI of two clusterings of the same nodes; newID has the ids of the second by those
// of the first.
func samePartition(t *testing.T, first, second map[string]string, newID map[string]string) float64 {
	t.Helper()
	if len(first) != len(second) {
		t.Fatalf("%d nodes, and %d", len(first), len(second))
	}
	numbers := map[string]int{}
	number := func(cluster string) int {
		if _, known := numbers[cluster]; !known {
			numbers[cluster] = len(numbers)
		}
		return numbers[cluster]
	}
	var a, b []int
	for id, cluster := range first {
		a, b = append(a, number(cluster)), append(b, number(second[newID[id]]))
	}
	return metric.ARI(a, b)
}

// TestOrderDoesNotMatter: a graph of clear groups has the same clusters, as many of them, in the same view, if its
// rows, columns and edges come in another order and its nodes have other ids: in each view, chosen and given,
// by several methods, for a given number of clusters and for one that is found. A training draws at random by the
// numbers of nodes, so that a few nodes between groups may come to the other.
func TestOrderDoesNotMatter(t *testing.T) {
	isolate(t)
	const given = " --clusters 3"
	for name, g := range clearGraphs() {
		other, newID := g.permuted(rand.New(rand.NewPCG(8, 0)), true)
		folder := t.TempDir()
		commands := []string{given, " --clusters auto", given + " --view both", given + " --view age" + trained, given + " --layers 2" + trained, given + " --method SSGC"}
		if g.nodes != nil {
			commands = append(commands, given+" --view features", given+" --method K-means")
		}
		if g.edges != nil {
			commands = append(commands, given+" --view edges", " --method Leiden")
		}
		for _, flags := range commands {
			var records [2]run.Record
			var clusters [2]map[string]string
			for k, tables := range []userGraph{g, other} {
				out := filepath.Join(folder, fmt.Sprint(k)+strings.ReplaceAll(flags, " ", "_"))
				place := t.TempDir()
				records[k] = fit(t, append(tables.write(t, place), strings.Fields(flags+" --no-map --no-views --out "+out)...)...)
				clusters[k] = clustersIn(t, filepath.Join(out, "nodes.csv"))
			}
			if first, second := records[0], records[1]; first.NClusters != second.NClusters || first.View != second.View {
				t.Errorf("%s%s: %d clusters in view %s, in another order %d in view %s", name, flags, first.NClusters, first.View, second.NClusters, second.View)
			}
			least := 1.
			splits := records[0].NClusters > groups // where the groups are divided further, chance decides where
			if strings.HasSuffix(flags, trained) || splits {
				least = afterChance
			}
			if ari := samePartition(t, clusters[0], clusters[1], newID); ari < least {
				t.Errorf("%s%s: ARI %.3f with the clusters in another order, want %v", name, flags, ari, least)
			}
		}
	}
}

// split returns the graph of all but the first nodes, and these as new ones, with all edges that they have.
func (g userGraph) split(count int) (old, added userGraph) {
	isNew := map[string]bool{}
	for _, row := range g.nodes[1 : 1+count] {
		isNew[row[0]] = true
	}
	old = userGraph{nodes: slices.Concat(g.nodes[:1], g.nodes[1+count:]), flags: g.flags}
	added.nodes = g.nodes[:1+count]
	if g.edges == nil {
		return old, added
	}
	old.edges, added.edges = g.edges[:1:1], g.edges[:1:1]
	for _, row := range g.edges[1:] {
		if isNew[row[0]] || isNew[row[1]] {
			added.edges = append(added.edges, row)
		} else {
			old.edges = append(old.edges, row)
		}
	}
	return old, added
}

// TestNewNodesInAnotherOrder: a model finds the same clusters and embeddings of new nodes, whatever the order of
// their rows, columns and edges is. compare finds that no node moved between the runs on two orders, and
// report has the same descriptions of clusters in both.
func TestNewNodesInAnotherOrder(t *testing.T) {
	isolate(t)
	for _, name := range []string{"a table", "equal rows", "nodes and edges"} {
		old, added := clearGraphs()[name].split(24)
		rnd := rand.New(rand.NewPCG(8, 0))
		const renamed = true
		otherOld, _ := old.permuted(rnd, !renamed)
		otherAdded, sameIDs := added.permuted(rnd, !renamed)
		folder := t.TempDir()
		var descriptions [2][]string
		for k, g := range []userGraph{old, otherOld} {
			out := filepath.Join(folder, fmt.Sprint("run", k))
			record := fit(t, append(g.write(t, t.TempDir()), strings.Fields("--clusters 3 --view age --no-map --out "+out+trained)...)...)
			for _, c := range record.Clusters {
				words := strings.Split(c.Name, ", ")
				slices.Sort(words) // equally good ones come in the order of the columns
				descriptions[k] = append(descriptions[k], strings.Join(words, ", "))
			}
			slices.Sort(descriptions[k])
			succeeds(t, "report", out)
		}
		if !slices.Equal(descriptions[0], descriptions[1]) {
			t.Errorf("%s: clusters %q, in another order %q", name, descriptions[0], descriptions[1])
		}
		if c := asJSON[comparison](t, "compare", filepath.Join(folder, "run0"), filepath.Join(folder, "run1")); c.ARI < afterChance {
			t.Errorf("%s: ARI %v, %d nodes moved between two orders", name, c.ARI, c.Moved)
		}
		var clusters [2]map[string]string
		var rows [2]map[string][]string
		for k, g := range []userGraph{added, otherAdded} {
			flags := append(g.write(t, t.TempDir()), "--model", filepath.Join(folder, "run0", "model.npz"), "--out")
			table, embedding := filepath.Join(folder, fmt.Sprint("new", k, ".csv")), filepath.Join(folder, fmt.Sprint("rows", k, ".csv"))
			succeeds(t, append([]string{"predict"}, append(flags, table)...)...)
			succeeds(t, append([]string{"embed"}, append(flags, embedding)...)...)
			clusters[k], rows[k] = clustersIn(t, table), map[string][]string{}
			for _, row := range testutil.Value(csv.NewReader(strings.NewReader(string(read(t, embedding)))).ReadAll()).OrFatal(t)[1:] {
				rows[k][row[0]] = row[1:]
			}
		}
		if ari := samePartition(t, clusters[0], clusters[1], sameIDs); ari < 1 {
			t.Errorf("%s: ARI %.3f of the clusters of new nodes in another order", name, ari)
		}
		for id, row := range rows[0] {
			for c, text := range row {
				first, second := testutil.Value(strconv.ParseFloat(text, 64)).OrFatal(t), testutil.Value(strconv.ParseFloat(rows[1][id][c], 64)).OrFatal(t)
				const rounding = 1e-4 // of sums in another order
				if !near(first, second, rounding) {
					t.Fatalf("%s: embedding of %s has %v, in another order %v", name, id, first, second)
				}
			}
		}
	}
}
