package experiment

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/agekit/age/agekit/baseline"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/encoder/gomlx"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/agekit/settings"
	"github.com/agekit/age/agekit/views"
)

// own treats data sets as graphs of one's own: AGE with settings that are chosen
// without labels, beside simple methods, and new nodes.
var own = Item{
	Name: "own", Title: "Beyond the paper: settings chosen without labels", Datasets: []string{"cora", "citeseer", "wiki", "debian"},
	runs: func(s Selection) []Run {
		var runs []Run
		for _, d := range s.Datasets {
			runs = append(runs, s.forOwn(d).seeds(Run{Task: ownTask, Dataset: d})...)
		}
		return runs
	},
	render: renderOwn,
}

// forOwn returns s with fewer seeds than other items have, since each run trains a dozen
// encoders.
func (s Selection) forOwn(dataset string) Selection {
	most := 5
	if dataset == "debian" {
		most = 3
	}
	s.Seeds = min(s.Seeds, most)
	return s
}

const (
	// chosenName is AGE among the simple methods of a run.
	chosenName = "AGE, settings chosen"
	// later marks the scores of the nodes that came after the training, and full
	// those of the same nodes in the training with all.
	later, full = "later", "full"
	// laterShare is the share of the nodes that come later.
	laterShare = 0.2
)

// viewNames are the names of the views in the stored results.
var viewNames = map[views.Name]string{
	views.Features: "k-means of the features",
	views.Both:     "k-means of the smoothed features",
	views.Edges:    "Leiden",
}

// ownGraph runs AGE with chosen settings and simple methods on g. Then it trains again
// without a fifth of the nodes, and finds their clusters afterwards. Scores have names
// such as "method: score".
func ownGraph(ctx context.Context, g *graph.Graph, r Run, o baseline.Options) (*outcome, error) {
	out := statistics(g)
	bare := *g
	bare.Labels, bare.ClassNames = nil, nil
	all, err := r.choose(ctx, &bare, g.Classes, o)
	if err != nil {
		return nil, err
	}
	out.backend, out.release = all.Backend, all.Discard
	out.scores["layers"], out.scores["trained"] = float64(all.Layers), 0
	if all.Trained() {
		out.scores["trained"] = 1
	}
	addScores(out.scores, chosenName+": ", metric.Score(g, all.Labels))
	for _, v := range all.Views {
		if name := viewNames[v.Name]; name != "" {
			addScores(out.scores, name+": ", metric.Score(g, v.Labels))
		}
	}
	if r.Quick {
		return out, nil
	}
	known, late := split(g.N(), r.random("later nodes"))
	trained, err := r.choose(ctx, bare.Subgraph(known), g.Classes, o)
	if err != nil {
		return nil, fmt.Errorf("without a fifth of the nodes: %w", err)
	}
	out.release = func() error { return errors.Join(all.Discard(), trained.Discard()) }
	z, err := trained.Model.Encoder.Embed(ctx, &bare)
	if err != nil {
		return nil, err
	}
	found, _, _ := run.AssignClusters(z, trained.Model.Centers)
	for i, node := range known { // they keep their clusters
		found[node] = trained.Labels[i]
	}
	if g.Labels != nil {
		out.scores[later] = accuracyOf(late, g.Labels, found)
		out.scores[full] = accuracyOf(late, g.Labels, all.Labels)
	}
	return out, nil
}

// choose runs AGE with settings that it chooses, beside simple methods.
func (r Run) choose(ctx context.Context, g *graph.Graph, clusters int, o baseline.Options) (*run.Run, error) {
	e, _ := encoder.PaperOptions(r.Dataset)
	e.Backend, e.Checkpoints, e.Epochs = gomlx.On(o.Backend), o.Checkpoints, r.epochs(e.Epochs)
	s := settings.Settings{Clusters: views.Exactly(clusters), View: views.AGE, Auto: new(true), Config: encoder.Config{Epochs: e.Epochs, Seed: r.Seed}}
	return run.Fit(ctx, &input.Data{Graph: g}, &run.Options{Settings: s, Training: e, Views: true})
}

// split divides n nodes at random into known and later ones, both in order.
func split(n int, rnd *rand.Rand) (known, late []int) {
	order := rnd.Perm(n)
	late, known = order[:int(laterShare*float64(n))], order[int(laterShare*float64(n)):]
	slices.Sort(late)
	slices.Sort(known)
	return known, late
}

// accuracyOf returns the share of some nodes whose cluster is matched to their class, where
// all nodes decide which cluster is which class. Nodes of unknown class do not count.
func accuracyOf(nodes, labels, clusters []int) float64 {
	c := metric.NewConfusion(metric.Known(labels, clusters))
	class := map[int]int{} // of a cluster
	for row, column := range c.Assigned {
		if column >= 0 {
			class[c.Clusters[column]] = c.Classes[row]
		}
	}
	right, known := 0., 0.
	for _, i := range nodes {
		if labels[i] == graph.Unknown {
			continue
		}
		known++
		if matched, ok := class[clusters[i]]; ok && matched == labels[i] {
			right++
		}
	}
	return right / known
}

// renderOwn makes a table for each data set.
func renderOwn(_ Item, s source) (*Output, error) {
	out := &Output{
		Data:  [][]string{{"dataset", "method", "score", "seeds", "mean", "deviation", "best"}},
		Notes: []string{"AGE chose its settings without labels, by an earlier rule that searched; docs/views.md has today's. Where there are many features, k-means runs on 256 random projections of them."},
	}
	for _, d := range s.Datasets {
		one := s
		one.Selection = s.forOwn(d)
		f := one.find(Run{Task: ownTask, Dataset: d})
		if len(f) == 0 {
			continue
		}
		table := table{
			Caption: fmt.Sprintf("%s: %s nodes, %s edges, %s features, %s classes; mean ± standard deviation over seeds",
				DatasetTitle(d), f.numbers("nodes"), f.numbers("edges"), f.numbers("features"), f.numbers("classes")),
			Header: append([]string{"", "seeds"}, fieldScores...),
		}
		for _, m := range []string{"k-means of the features", "k-means of the smoothed features", "Leiden", chosenName} {
			row := []string{m, strconv.Itoa(f.score(m + ": " + fieldScores[0]).count)}
			for _, score := range fieldScores {
				sum := f.score(m + ": " + score)
				row = append(row, sum.text())
				out.addData(sum, d, m, score)
			}
			table.Rows = append(table.Rows, row)
		}
		out.Tables = append(out.Tables, table)
		note := fmt.Sprintf("%s: t %s.", DatasetTitle(d), f.numbers("layers"))
		if a, b := f.score(later), f.score(full); a.count > 0 {
			note += fmt.Sprintf(" New nodes: a fifth of the nodes come after the training and get the nearest cluster, with ACC %s; in a training with all nodes, the same ones have %s.", a.text(), b.text())
			out.addData(a, d, chosenName, "ACC of later nodes")
			out.addData(b, d, chosenName, "ACC of the same nodes in the full run")
		}
		if _, memory := f.alone(); memory.count > 0 {
			note += fmt.Sprintf(" At most %s MB of Go objects at a time, beside the graph.", fixed(memory.best, 0))
		}
		out.Notes = append(out.Notes, note)
	}
	return out, nil
}

// numbers lists the distinct values of a score that is a whole number, in order.
func (f found) numbers(score string) string {
	var values []int
	for _, record := range f {
		values = append(values, int(record.Scores[score]))
	}
	slices.Sort(values)
	var words []string
	for _, v := range slices.Compact(values) {
		words = append(words, strconv.Itoa(v))
	}
	return strings.Join(words, " or ")
}
