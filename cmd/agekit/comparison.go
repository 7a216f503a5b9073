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
	Moved int    `json:"moved"`
	moves []move // of these nodes
}

// pairOfRuns is the value of a setting or a score in two runs; nil for a run that does not have it.
type pairOfRuns struct {
	Name   string `json:"name"`
	First  any    `json:"first"`
	Second any    `json:"second"`
}

// move is a node with its clusters in the first and in the second run.
type move struct {
	id            string
	first, second int
}

// compareRuns returns how the second run differs from the first. The same node is recognized by its id, or
// by its number if nodes have no ids. It returns an error if no node is in both runs.
func compareRuns(first, second *run.Run) (*comparison, error) {
	c := &comparison{
		SchemaVersion: compareVersion,
		Settings:      joinByName(listedSettings(first), listedSettings(second)),
		Scores:        joinByName(listedScores(first), listedScores(second)),
	}
	c.Settings = slices.DeleteFunc(c.Settings, func(p pairOfRuns) bool { return p.First == p.Second })
	firstIDs, firstClusters, err := clustersByID(first)
	if err != nil {
		return nil, err
	}
	secondIDs, secondClusters, err := clustersByID(second)
	if err != nil {
		return nil, err
	}
	position := make(map[string]int, len(secondIDs)) // of a node in the second run, by id
	for i, id := range secondIDs {
		position[id] = i
	}
	var shared []move // the nodes in both runs
	var a, b []int    // their clusters in the first run, and in the second
	for i, id := range firstIDs {
		if j, ok := position[id]; ok {
			shared = append(shared, move{id: id, first: firstClusters[i], second: secondClusters[j]})
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
	overlaps := metric.NewConfusion(a, b) // with the first run's clusters as classes
	c.First = overlaps.Classes
	c.Second = overlaps.Clusters
	c.Overlaps = overlaps.Counts
	matched := map[int]int{}              // cluster of the second run by cluster of the first
	for i, j := range overlaps.Assigned { // c.First[i] and c.Second[j] are matched
		second := -1 // none
		if j >= 0 {
			second = c.Second[j]
		}
		c.Matched = append(c.Matched, second)
		matched[c.First[i]] = second
	}
	c.moves = slices.DeleteFunc(shared, func(m move) bool { return matched[m.first] == m.second })
	c.Moved = len(c.moves)
	return c, nil
}

// table returns a table with a row for each node that moved: its id, its clusters in the first and in the
// second run, and the cluster of the first run that its second cluster is matched to, "" if there is none.
func (c *comparison) table() *table.Table {
	matchedFirst := map[int]int{} // cluster of the first run by cluster of the second
	for i, second := range c.Matched {
		matchedFirst[second] = c.First[i]
	}
	t := &table.Table{Rows: len(c.moves)}
	var ids, matched []string
	var first, second []int
	for _, m := range c.moves {
		ids = append(ids, m.id)
		first = append(first, m.first)
		second = append(second, m.second)
		name := ""
		if k, ok := matchedFirst[m.second]; ok {
			name = fmt.Sprint(k)
		}
		matched = append(matched, name)
	}
	t.Columns = []table.Column{
		table.NewWords("id", ids),
		table.NewNumbers("cluster_of_first", first),
		table.NewNumbers("cluster_of_second", second),
		table.NewWords("matched_to", matched),
	}
	return t
}

// clustersByID returns the ids and the clusters of a run's nodes, in their order: ids[i] is in clusters[i].
func clustersByID(r *run.Run) (ids []string, clusters []int, err error) {
	t := r.Nodes()
	idColumn, err := t.Find(r.Columns.ID)
	if err != nil {
		return nil, nil, err
	}
	clusterColumn, err := t.Find(r.Columns.Cluster)
	if err != nil {
		return nil, nil, err
	}
	cluster := t.Columns[clusterColumn]
	if cluster.Numbers == nil {
		return nil, nil, fmt.Errorf("%s: column %q: want numbers of clusters", t.Path, cluster.Name)
	}
	for row := range t.Rows {
		id, _ := t.Columns[idColumn].Text(row)
		ids = append(ids, id)
		clusters = append(clusters, int(cluster.Numbers[row]))
	}
	return ids, clusters, nil
}

// named is a setting or a score of one run.
type named struct {
	name  string
	value any
}

// joinByName returns a pair for each name that a value of either run has: first the names of the first
// run, in its order, then those that only the second run has, in its order.
func joinByName(first, second []named) (pairs []pairOfRuns) {
	for _, v := range first {
		pairs = append(pairs, pairOfRuns{Name: v.name, First: v.value})
	}
	for _, v := range second {
		k := slices.IndexFunc(pairs, func(p pairOfRuns) bool { return p.Name == v.name })
		if k < 0 {
			k = len(pairs)
			pairs = append(pairs, pairOfRuns{Name: v.name})
		}
		pairs[k].Second = v.value
	}
	return pairs
}

// inRecord are the flags of agekit fit whose value is also in a field of its own in the record, even if
// the flag was not given. listedSettings lists the fields and leaves out these flags.
var inRecord = []string{"dataset", "method", "clusters", "seed", "backend", "layers", "k", "epochs", "loss", "scaling", "ranking"}

// listedSettings returns what decides the result of a run: fields of its record, and the flags that were
// given but for those inRecord.
func listedSettings(r *run.Run) []named {
	all := []named{
		{"dataset", r.Dataset},
		{"nodes", r.N},
		{"edges", r.Edges},
		{"features", r.Features},
		{"method", r.Method},
		{"mode", r.Mode},
		{"clusters", r.NClusters},
		{"seed", r.Seed},
		{"backend", r.Machine.Backend},
		{"version", r.Version},
	}
	if t := r.Training; t != nil {
		all = append(all,
			named{"view", r.View.Title()},
			named{"layers", t.Layers},
			named{"k", t.K},
			named{"trainings", len(t.Curves)},
			named{"epochs", t.Epochs},
			named{"loss", t.Loss},
			named{"scaling", t.Scaling},
			named{"ranking", t.Ranking},
		)
	}
	for _, flag := range slices.Sorted(maps.Keys(r.Settings)) {
		if !slices.Contains(inRecord, flag) {
			all = append(all, named{"--" + flag, fmt.Sprint(r.Settings[flag])})
		}
	}
	return all
}

// orNone returns the value of a score, or nil for one that there is not.
func orNone(score *float64) any {
	if score == nil {
		return nil
	}
	return *score
}

// listedScores returns the scores of a run: by labels if there are any, by the graph, and AGE's own.
func listedScores(r *run.Run) (all []named) {
	if r.ACC != nil || r.NMI != nil || r.ARI != nil || r.F1 != nil {
		all = []named{{"ACC", orNone(r.ACC)}, {"NMI", orNone(r.NMI)}, {"ARI", orNone(r.ARI)}, {"F1", orNone(r.F1)}}
	}
	all = append(all,
		named{"edges inside", r.Measures.Inside},
		named{"variance of the features between clusters", r.Measures.Explained},
		named{"modularity", r.Modularity},
		named{"conductance", r.Conductance},
		named{"mean conductance", r.Measures.MeanConductance},
	)
	if r.Training != nil {
		all = append(all, named{"Davies–Bouldin index", r.DBI})
	}
	return all
}
