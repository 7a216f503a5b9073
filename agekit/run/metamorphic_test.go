package run

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/agekit/settings"
	"github.com/agekit/age/agekit/views"
	"github.com/agekit/age/internal/testutil"
)

// records are the records of two CSV tables: of nodes, whose first column has the ids, and of edges, with both ends and
// a weight. The first record of each has the columns' names.
type records struct {
	nodes, edges [][]string
	clusters     int            // the number of clusters to find
	truth        map[string]int // the group of each id; nil if it is not known
}

// draw draws a graph of n nodes in k groups, which differ in a number, a category, their words and their edges, whose
// weights are larger within groups.
func draw(seed uint64, n, k int) records {
	rnd := rand.New(rand.NewPCG(seed, 0))
	t := records{clusters: k, truth: map[string]int{}, nodes: [][]string{{"id", "size", "kind", "about", "since"}}, edges: [][]string{{"source", "target", "weight"}}}
	words := strings.Fields("apple basket candle dinner engine forest garden hammer island jacket")
	for i := range n {
		group, word := i%k, func() string { return words[rnd.IntN(len(words))] }
		if rnd.IntN(2) == 0 {
			word = func() string { return words[i%k] }
		}
		t.truth[fmt.Sprintf("n%d", i)] = group
		t.nodes = append(t.nodes, []string{
			fmt.Sprintf("n%d", i), fmt.Sprintf("%.2f", float64(3*group)+rnd.NormFloat64()), []string{"p", "q", "r"}[(group+rnd.IntN(2)*rnd.IntN(3))%3],
			word() + " " + word() + " " + word() + " " + word(), fmt.Sprintf("20%02d-%02d-15", 10+rnd.IntN(10), 1+rnd.IntN(12)),
		})
	}
	seen := map[[2]int]bool{}
	for range 20 * n {
		i, j := rnd.IntN(n), rnd.IntN(n)
		inside := i%k == j%k
		if i >= j || seen[[2]int{i, j}] || !inside && rnd.Float64() > 0.05 {
			continue
		}
		seen[[2]int{i, j}] = true
		weight := 1 + rnd.Float64()
		if inside {
			weight++
		}
		t.edges = append(t.edges, []string{fmt.Sprintf("n%d", i), fmt.Sprintf("n%d", j), strconv.FormatFloat(weight, 'g', 6, 64)})
	}
	return t
}

// readCSV returns the records of a CSV file.
func readCSV(t *testing.T, path string) [][]string {
	t.Helper()
	f := testutil.Value(os.Open(path)).OrFatal(t)
	defer f.Close()
	return testutil.Value(csv.NewReader(f).ReadAll()).OrFatal(t)
}

// penguins returns the example of docs/your-data.md without its classes, the species; all weights are 1.
func penguins(t *testing.T) records {
	folder := filepath.Join("..", "..", "assets", "examples")
	p := records{clusters: 3, nodes: readCSV(t, filepath.Join(folder, "penguins.csv")), edges: readCSV(t, filepath.Join(folder, "penguins-edges.csv"))}
	species := slices.Index(p.nodes[0], "species")
	for r := range p.nodes {
		p.nodes[r] = slices.Delete(p.nodes[r], species, species+1)
	}
	for r := range p.edges {
		p.edges[r] = append(p.edges[r][:2:2], "1")
	}
	p.edges[0][2] = "weight"
	return p
}

// clone returns a copy of t whose tables can be changed.
func (t records) clone() records {
	c := t
	c.nodes, c.edges = nil, nil
	for _, r := range t.nodes {
		c.nodes = append(c.nodes, slices.Clone(r))
	}
	for _, r := range t.edges {
		c.edges = append(c.edges, slices.Clone(r))
	}
	return c
}

// found returns the cluster of each id in a run on the tables. Its settings are chosen by the size of the graph if chosen
// is true, and given otherwise.
func (c records) found(t *testing.T, chosen bool) map[string]int {
	t.Helper()
	dir := t.TempDir()
	write := func(name string, records [][]string) string {
		var b strings.Builder
		testutil.NoError(t, csv.NewWriter(&b).WriteAll(records))
		path := filepath.Join(dir, name)
		testutil.NoError(t, os.WriteFile(path, []byte(b.String()), 0o666))
		return path
	}
	d := testutil.Value(input.Open(t.Context(), input.Source{Nodes: write("n.csv", c.nodes), Edges: write("e.csv", c.edges), ID: "id"})).OrFatal(t)
	// A few epochs show as well as many that a change makes no difference.
	o := &Options{Settings: settings.Settings{Clusters: views.Exactly(c.clusters), Auto: &chosen, Config: encoder.Config{Dims: 32, Epochs: 60, Seed: 1}}}
	if !chosen {
		o.Filter = laplacian.Filter{K: 0.5, Layers: 3}
		o.Config = encoder.Config{Dims: 16, Epochs: 20, Thresholds: pairs.Thresholds{PosStart: 0.1, PosEnd: 0.05, NegStart: 0.4, NegEnd: 0.5}, Seed: 1}
	}
	r := testutil.Value(Fit(t.Context(), d, o)).OrFatal(t)
	clusters := map[string]int{}
	for i, id := range d.Graph.NodeNames {
		clusters[id] = r.Labels[i]
	}
	return clusters
}

// TestMetamorphic: if data is changed to other data that means the same (see changes), the clusters stay: exactly where
// the computation can be the same, and otherwise with an ARI of 0.95 or more. The groups of all graphs are clear; in others,
// the order of the nodes, on which random choices depend, might decide.
func TestMetamorphic(t *testing.T) {
	graphs := map[string]records{
		"three groups": draw(1, 60, 3), "penguins": penguins(t), "two groups": draw(2, 120, 2), "five groups": draw(3, 300, 5), "four groups": draw(4, 240, 4),
	}
	for name, c := range graphs {
		for _, chosen := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, chosen %v", name, chosen), func(t *testing.T) { c.inOtherWords(t, chosen) })
		}
	}
}

// inOtherWords compares the clusters of the tables with those after each of the changes, and with the true groups.
func (c records) inOtherWords(t *testing.T, chosen bool) {
	want := c.found(t, chosen)
	if chosen && c.truth != nil {
		if ari := agreement(c.truth, want, nil); ari < 0.9 {
			t.Errorf("ARI %.3f", ari)
		}
	}
	for change, test := range changes() {
		// A short training with given settings says nothing about what rounding decides.
		if !chosen && test.least < 1 {
			continue
		}
		changed := c.clone()
		ids := test.change(&changed, rand.New(rand.NewPCG(7, 0)))
		if ari := agreement(want, changed.found(t, chosen), ids); ari < test.least {
			t.Errorf("%s: ARI %.3f, want %v", change, ari, test.least)
		}
	}
}

// agreement returns the ARI of two clusterings of the same nodes, by ids. ids has for an id in a the id of the node in b,
// unless that is the same.
func agreement(a, b map[string]int, ids map[string]string) float64 {
	var first, second []int
	for id, c := range a {
		first, second = append(first, c), append(second, b[cmp.Or(ids[id], id)])
	}
	return metric.ARI(first, second)
}

// change is a way to say the same in other words.
type change struct {
	// change changes the tables, and returns the new id of each old one; nil if the ids stay.
	change func(c *records, rnd *rand.Rand) (ids map[string]string)
	least  float64 // the ARI of the clusters before and after, at least
}

// changes returns the changes that say the same in other words, by their names.
func changes() map[string]change {
	shuffle := func(records [][]string, rnd *rand.Rand) {
		rows := records[1:]
		rnd.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	}
	times := func(records [][]string, column string, factor float64) {
		k := slices.Index(records[0], column)
		for _, r := range records[1:] {
			if v, err := strconv.ParseFloat(r[k], 64); err == nil {
				r[k] = strconv.FormatFloat(factor*v, 'g', -1, 64)
			}
		}
	}
	return map[string]change{
		"rows of nodes in another order": {func(c *records, rnd *rand.Rand) map[string]string { shuffle(c.nodes, rnd); return nil }, 0.95},
		"edges in another order":         {func(c *records, rnd *rand.Rand) map[string]string { shuffle(c.edges, rnd); return nil }, 1},
		"edges turned round": {func(c *records, _ *rand.Rand) map[string]string {
			for _, r := range c.edges[1:] {
				r[0], r[1] = r[1], r[0]
			}
			return nil
		}, 1},
		"other ids": {func(c *records, rnd *rand.Rand) map[string]string {
			ids := map[string]string{}
			for i, number := range rnd.Perm(len(c.nodes) - 1) {
				ids[c.nodes[1+i][0]] = fmt.Sprintf("#%d, \"x\"", number)
				c.nodes[1+i][0] = ids[c.nodes[1+i][0]]
			}
			for _, r := range c.edges[1:] {
				r[0], r[1] = ids[r[0]], ids[r[1]]
			}
			return ids
		}, 1},
		"columns in another order": {func(c *records, _ *rand.Rand) map[string]string {
			for _, r := range c.nodes {
				slices.Reverse(r)
			}
			return nil
		}, 0.95},
		"weights times 1024": {func(c *records, _ *rand.Rand) map[string]string { times(c.edges, "weight", 1024); return nil }, 1},
		"weights times 0.02": {func(c *records, _ *rand.Rand) map[string]string { times(c.edges, "weight", 0.02); return nil }, 0.95},
		"a number in another unit": {func(c *records, _ *rand.Rand) map[string]string {
			for _, name := range []string{"size", "body_mass_g"} {
				if slices.Contains(c.nodes[0], name) {
					times(c.nodes, name, 1000)
				}
			}
			return nil
		}, 0.95},
		"a column of noise": {func(c *records, rnd *rand.Rand) map[string]string {
			c.nodes[0] = append(c.nodes[0], "noise")
			for r := range c.nodes[1:] {
				c.nodes[1+r] = append(c.nodes[1+r], fmt.Sprintf("%.3f", rnd.NormFloat64()))
			}
			return nil
		}, 0.95},
	}
}
