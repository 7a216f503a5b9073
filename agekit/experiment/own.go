package experiment

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/agekit/age/agekit/auto"
	"github.com/agekit/age/agekit/baseline"
	"github.com/agekit/age/agekit/encoder/gomlx"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/paper"
	"github.com/agekit/age/agekit/run"
)

// own treats data sets as graphs of one's own: AGE with settings that are chosen
// without labels, beside simple methods, and new nodes.
var own = Item{
	Name: "own", Title: "Beyond the paper: settings chosen without labels", Datasets: []string{"cora", "citeseer", "wiki", "debian"},
	runs: func(s Selection) []Run {
		var runs []Run
		for _, d := range s.Datasets {
			runs = append(runs, s.own(d)...)
		}
		return runs
	},
	render: renderOwn,
}

// own returns the runs on a data set: of fewer seeds than those of other items, since
// each trains a dozen encoders.
func (s Selection) own(dataset string) []Run {
	most := 5
	if dataset == "debian" {
		most = 3
	}
	s.Seeds = min(s.Seeds, most)
	return s.seeds(Run{Task: ownTask, Dataset: dataset})
}

const (
	// chosenName is AGE among the simple methods of baseline.RunSimple.
	chosenName = "AGE, settings chosen"
	// later marks the scores of the nodes that came after the training, and full
	// those of the same nodes in the training with all.
	later, full = "later", "full"
	// laterShare is the share of the nodes that come later.
	laterShare = 0.2
)

// ownGraph runs AGE with chosen settings and simple methods on g. Then it trains
// again without a fifth of the nodes, and finds the clusters of these afterwards.
// The scores of a method are named "method: score".
func ownGraph(ctx context.Context, g *graph.Graph, r Run, o baseline.Options) (*outcome, error) {
	out := statistics(g)
	bare := baseline.WithoutLabels(g)
	all, err := r.choose(ctx, bare, g.Classes, o)
	if err != nil {
		return nil, err
	}
	out.backend, out.release = all.Backend, all.Discard
	out.scores["layers"], out.scores["trained"] = float64(all.Layers), 0
	if all.Trained() {
		out.scores["trained"] = 1
	}
	out.add(chosenName, metric.Score(g, all.Labels))
	for _, s := range all.Simple {
		out.add(s.Name, metric.Score(g, s.Labels))
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
	z, err := trained.Model.Encoder.Embed(ctx, bare)
	if err != nil {
		return nil, err
	}
	found, _ := trained.Model.Assign(z)
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
	e, _ := paper.Settings(r.Dataset)
	e.Backend, e.Checkpoints, e.Epochs = gomlx.On(o.Backend), o.Checkpoints, r.epochs(e.Epochs)
	return run.Fit(ctx, &input.Data{Graph: g}, &run.Options{Clusters: auto.Exactly(clusters), Seed: r.Seed, Training: e, Simple: true})
}

func (o *outcome) add(method string, s metric.Scores) {
	scores := map[string]float64{}
	addScores(scores, s)
	for name, v := range scores {
		o.scores[method+": "+name] = v
	}
}

// split divides n nodes at random into those that are known and those that come
// later, both in order.
func split(n int, rnd *rand.Rand) (known, late []int) {
	order := rnd.Perm(n)
	late, known = order[:int(laterShare*float64(n))], order[int(laterShare*float64(n)):]
	slices.Sort(late)
	slices.Sort(known)
	return known, late
}

// accuracyOf returns the accuracy of some nodes, when clusters are matched to classes
// by all nodes with a class.
func accuracyOf(nodes, labels, clusters []int) float64 {
	c := metric.NewConfusion(metric.Known(labels, clusters))
	class := map[int]int{} // of a cluster
	for row, column := range c.Assigned {
		if column >= 0 {
			class[c.Clusters[column]] = c.Classes[row]
		}
	}
	right, of := 0., 0.
	for _, i := range nodes {
		if labels[i] == graph.Unknown {
			continue
		}
		of++
		if own, ok := class[clusters[i]]; ok && own == labels[i] {
			right++
		}
	}
	return right / of
}

// renderOwn makes a table for each data set.
func renderOwn(_ Item, s Selection, from source) (*Output, error) {
	out := &Output{
		Data:  [][]string{{"dataset", "method", "score", "seeds", "mean", "deviation", "best"}},
		Notes: []string{"AGE chooses its settings without labels (docs/choosing-settings.md). k-means gets 256 random projections of the features where they are many."},
	}
	for _, d := range s.shown() {
		runs := s.own(d)
		_, memory := from.alone(runs)
		if from.seconds(runs).count == 0 {
			continue
		}
		table := Table{
			Caption: fmt.Sprintf("%s: %s nodes, %s edges, %s features, %s classes; mean ± standard deviation over seeds", displayName(d),
				from.numbers(runs, "nodes"), from.numbers(runs, "edges"), from.numbers(runs, "features"), from.numbers(runs, "classes")),
			Header: append([]string{"", "seeds"}, fieldScores...),
		}
		for _, m := range []string{"k-means of the features", "k-means of the smoothed features", "Leiden", chosenName} {
			row := []string{m}
			for _, score := range fieldScores {
				sum := from.summarize(runs, m+": "+score)
				if len(row) == 1 {
					row = append(row, strconv.Itoa(sum.count))
				}
				row = append(row, sum.text(3))
				out.addData(sum, d, m, score)
			}
			table.Rows = append(table.Rows, row)
		}
		out.Tables = append(out.Tables, table)
		notes := []string{fmt.Sprintf("%s: t %s.", displayName(d), from.numbers(runs, "layers"))}
		if a, b := from.summarize(runs, later), from.summarize(runs, full); a.count > 0 {
			notes = append(notes, fmt.Sprintf("New nodes: a fifth of them, which come after the training and get the nearest cluster, have ACC %s; in a training with all nodes, the same ones have %s.", a.text(3), b.text(3)))
			out.addData(a, d, chosenName, "ACC of later nodes")
			out.addData(b, d, chosenName, "ACC of the same nodes in the full run")
		}
		if memory.count > 0 {
			notes = append(notes, fmt.Sprintf("At most %s MB of Go objects at a time, beside the graph.", fixed(memory.best, 0)))
		}
		out.Notes = append(out.Notes, strings.Join(notes, " "))
	}
	return out, nil
}

// numbers lists the distinct values of a score that is a whole number, in order.
func (s source) numbers(runs []Run, score string) string {
	var values []int
	for _, record := range s.records(runs) {
		values = append(values, int(record.Scores[score]))
	}
	slices.Sort(values)
	var words []string
	for _, v := range slices.Compact(values) {
		words = append(words, strconv.Itoa(v))
	}
	return strings.Join(words, " or ")
}
