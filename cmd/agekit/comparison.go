package main

import (
	"fmt"
	"maps"
	"slices"

	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/agekit/table"
)

// compareVersion is that of docs/compare.schema.json: it grows when a field goes away or
// changes its meaning.
const compareVersion = 1

// comparison says how a second run differs from a first one, as `agekit compare --json` does.
type comparison struct {
	SchemaVersion int `json:"schema_version"` // [compareVersion]
	// Settings are those that differ, and what the graphs differ in.
	Settings []pairOfRuns `json:"settings"`
	// Scores are those that either run has.
	Scores []pairOfRuns `json:"scores"`
	// Both is the number of nodes that both runs have, by their ids; the others are in
	// the first or the second one only.
	Both       int `json:"nodes_in_both"`
	OnlyFirst  int `json:"nodes_only_in_first"`
	OnlySecond int `json:"nodes_only_in_second"`
	// ARI and NMI compare the clusters of the nodes that both have.
	ARI float64 `json:"ari"`
	NMI float64 `json:"nmi"`
	// Overlaps[i][j] is the number of nodes in cluster First[i] of the first run and Second[j]
	// of the second. Clusters are matched one to one so that the most nodes overlap:
	// Matched[i] is the cluster of the second run that is First[i], −1 if none is.
	First    []int   `json:"clusters_of_first"`
	Second   []int   `json:"clusters_of_second"`
	Overlaps [][]int `json:"overlaps"`
	Matched  []int   `json:"matched"`
	// Moved is the number of nodes whose two clusters are not matched.
	Moved int `json:"moved"`
	moves []move
}

// pairOfRuns is a setting or a score of two runs; nil in one that does not have it.
type pairOfRuns struct {
	Name   string `json:"name"`
	First  any    `json:"first"`
	Second any    `json:"second"`
}

type move struct {
	id            string
	first, second int
}

// compareRuns compares two runs. Nodes are matched by their ids, or by their numbers if they
// have none. It returns an error if no node is in both.
func compareRuns(first, second *run.Run) (*comparison, error) {
	c := &comparison{SchemaVersion: compareVersion, Scores: joinByName(listedScores(first), listedScores(second))}
	c.Settings = slices.DeleteFunc(joinByName(listedSettings(first), listedSettings(second)), func(p pairOfRuns) bool { return p.First == p.Second })
	firstIDs, firstClusters, err := clustersByID(first)
	if err != nil {
		return nil, err
	}
	secondIDs, secondClusters, err := clustersByID(second)
	if err != nil {
		return nil, err
	}
	position := make(map[string]int, len(secondIDs)) // in the second run, by id
	for i, id := range secondIDs {
		position[id] = i
	}
	var shared []move // nodes in both
	var a, b []int    // their clusters
	for i, id := range firstIDs {
		if j, ok := position[id]; ok {
			shared = append(shared, move{id, firstClusters[i], secondClusters[j]})
			a = append(a, firstClusters[i])
			b = append(b, secondClusters[j])
		}
	}
	c.Both = len(shared)
	c.OnlyFirst = len(firstIDs) - len(shared)
	c.OnlySecond = len(secondIDs) - len(shared)
	if c.Both == 0 {
		return nil, fmt.Errorf("no node is in both runs: the first has ids such as %q, the second such as %q", firstIDs[0], secondIDs[0])
	}
	c.ARI = metric.ARI(a, b)
	c.NMI = metric.NMI(a, b)
	overlaps := metric.NewConfusion(a, b)
	c.First = overlaps.Classes
	c.Second = overlaps.Clusters
	c.Overlaps = overlaps.Counts
	matched := map[int]int{} // cluster of the second run by cluster of the first
	for i, j := range overlaps.Assigned {
		c.Matched = append(c.Matched, -1)
		if j >= 0 {
			c.Matched[i] = c.Second[j]
		}
		matched[c.First[i]] = c.Matched[i]
	}
	c.moves = slices.DeleteFunc(shared, func(m move) bool { return matched[m.first] == m.second })
	c.Moved = len(c.moves)
	return c, nil
}

// table returns a table of the nodes that moved: their ids and both clusters, the second
// also by the number of the cluster of the first run that it is.
func (c *comparison) table() *table.Table {
	was := map[int]int{}
	for i, second := range c.Matched {
		was[second] = c.First[i]
	}
	t := &table.Table{Rows: len(c.moves)}
	var ids, matched []string
	var first, second []int
	for _, m := range c.moves {
		ids = append(ids, m.id)
		first = append(first, m.first)
		second = append(second, m.second)
		name := "" // of a cluster that is none of the first run's
		if k, ok := was[m.second]; ok {
			name = fmt.Sprint(k)
		}
		matched = append(matched, name)
	}
	t.Columns = []table.Column{
		table.NewWords("id", ids), table.NewNumbers("cluster_of_first", first), table.NewNumbers("cluster_of_second", second), table.NewWords("matched_to", matched),
	}
	return t
}

// clustersByID returns the ids and the clusters of a run's nodes.
func clustersByID(r *run.Run) (ids []string, clusters []int, err error) {
	t := r.Nodes()
	var columns [2]int
	for i, name := range []string{r.Columns.ID, r.Columns.Cluster} {
		if columns[i], err = t.Find(name); err != nil {
			return nil, nil, err
		}
	}
	cluster := t.Columns[columns[1]]
	if cluster.Numbers == nil {
		return nil, nil, fmt.Errorf("%s: column %q: want numbers of clusters", t.Path, cluster.Name)
	}
	for row := range t.Rows {
		id, _ := t.Columns[columns[0]].Text(row)
		ids = append(ids, id)
		clusters = append(clusters, int(cluster.Numbers[row]))
	}
	return ids, clusters, nil
}

// joinByName returns what two runs have, by name: first what the first one has.
func joinByName(first, second []pairOfRuns) []pairOfRuns {
	for _, p := range second {
		k := slices.IndexFunc(first, func(q pairOfRuns) bool { return q.Name == p.Name })
		if k < 0 {
			k = len(first)
			first = append(first, pairOfRuns{Name: p.Name})
		}
		first[k].Second = p.First
	}
	return first
}

// listedSettings returns what decides the result, in First: what the record says, and the other
// flags that were given.
func listedSettings(r *run.Run) []pairOfRuns {
	pairs := []pairOfRuns{
		{"dataset", r.Dataset, nil}, {"nodes", r.N, nil}, {"edges", r.Edges, nil}, {"features", r.Features, nil},
		{"method", r.Method, nil}, {"mode", r.Mode, nil}, {"clusters", len(r.Clusters), nil}, {"seed", r.Seed, nil}, {"backend", r.Machine.Backend, nil}, {"version", r.Version, nil},
	}
	if t := r.Training; t != nil {
		pairs = append(pairs, []pairOfRuns{
			{"view", r.View.Title(), nil}, {"layers", t.Layers, nil}, {"k", t.K, nil}, {"trainings", len(t.Curves), nil},
			{"epochs", t.Epochs, nil}, {"loss", t.Loss, nil}, {"scaling", t.Scaling, nil}, {"ranking", t.Ranking, nil},
		}...)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Settings)) {
		if !slices.Contains([]string{"seed", "layers", "k", "epochs", "loss", "scaling", "ranking", "clusters", "method", "dataset", "backend"}, name) {
			pairs = append(pairs, pairOfRuns{"--" + name, fmt.Sprint(r.Settings[name]), nil})
		}
	}
	return pairs
}

// listedScores returns the scores of a run, in First.
func listedScores(r *run.Run) (pairs []pairOfRuns) {
	if r.ACC != nil {
		pairs = []pairOfRuns{{"ACC", *r.ACC, nil}, {"NMI", *r.NMI, nil}, {"ARI", *r.ARI, nil}, {"F1", *r.F1, nil}}
	}
	m := r.Measures
	pairs = append(pairs, []pairOfRuns{
		{"edges inside", m.Inside, nil}, {"variance of the features between clusters", m.Explained, nil},
		{"modularity", r.Modularity, nil}, {"conductance", r.Conductance, nil}, {"mean conductance", m.MeanConductance, nil},
	}...)
	if r.Training != nil {
		pairs = append(pairs, pairOfRuns{"Davies–Bouldin index", r.DBI, nil})
	}
	return pairs
}
