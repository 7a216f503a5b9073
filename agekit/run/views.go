package run

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/explain"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/recipe"
	"github.com/agekit/age/agekit/views"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/rng"
)

// shownFeatures is the number of features that describe by what a view groups the nodes.
const shownFeatures = 3

// sourceOf returns where the edges and the features of the data d come from. What d does not say is found
// from the graph: whether there are two kinds of nodes, and whether the edges were made from the features.
func sourceOf(ctx context.Context, d *input.Data) (s views.Source, err error) {
	s = views.Source{Nearest: d.Nearest > 0, Structural: input.OfStructure(d.Graph)}
	if s.Kinds = d.Kinds; s.Kinds == nil && !s.Nearest {
		s.Kinds = graph.TwoKinds(d.Graph.Adjacency)
	}
	if !s.Nearest && !s.Structural && s.Kinds == nil {
		s.Nearest, err = views.MadeFromFeatures(ctx, d.Graph)
	}
	return s, err
}

// newFinder returns the finder of the views of the data d, whose edges and features come from s.
func newFinder(d *input.Data, s views.Source, seed uint64) *views.Finder {
	scaled := 0 // leading columns of features, made from a table
	if d.Recipe != nil {
		scaled = d.Recipe.Width()
	}
	return views.NewFinder(d.Graph, s, scaled, seed)
}

// untrained finds the clusters in the view p.view, which needs no training, and sets r.Result as if it
// were a training. The embedding is the features, smoothed as for [views.Both], or as they are for
// [views.Features]. untrained sets the clusters, dimensions and epochs in p.training.
func (r *Run) untrained(ctx context.Context, f *views.Finder, p *plan) error {
	g, k := r.Data.Graph, p.clusters.Most
	labels, err := f.Clusters(ctx, p.view, k)
	if err != nil {
		return fmt.Errorf("view %s: %w", p.view, err)
	}
	layers := views.Layers
	if p.view == views.Features {
		layers = 0
	}
	o := p.training
	o.Filter = laplacian.Filter{K: laplacian.InverseLambdaMax, Layers: layers}
	if g.Edges() == 0 { // the filter's k makes no difference, so λmax need not be computed
		o.K = 2. / 3
	}
	prepared, err := encoder.Prepare(ctx, g, o)
	if err != nil {
		return err
	}
	defer prepared.Close()
	t, err := prepared.Untrained()
	if err != nil {
		return err
	}
	t.Labels, t.Clusterings, t.Ranking, t.Scaling = labels, 1, o.Ranking, o.Scaling
	if t.DaviesBouldin, err = cluster.DaviesBouldinGram(ctx, t.Embedding, labels); err != nil {
		return err
	}
	p.training.Clusters, p.training.Dims, p.training.Epochs = k, t.Embedding.Cols, 0
	r.Result = t
	return nil
}

// addViews adds to r.Views the view that is the result and, if o.Views is true, the graph's other views,
// divided into k clusters, too. The clusters of a view have the numbers of the result's clusters with
// which they share the most nodes. A view that cannot be computed is left out, with a line in the log.
func (r *Run) addViews(ctx context.Context, o *Options, f *views.Finder, k int) error {
	var names []views.Name
	if o.Views {
		var err error
		if names, err = f.Names(ctx); ctx.Err() != nil {
			return err
		}
		if err != nil { // such as eigenvectors that do not fit into memory
			o.Training.Linef("the view %s is left out: %v", views.Unlike.Title(), err)
		}
	}
	if r.View != "" && !slices.Contains(names, r.View) {
		names = append(names, r.View)
	}
	for _, name := range names {
		if name != r.View && k > encoder.MostClusters(r.N) { // more than a view can have
			continue
		}
		labels := r.Labels
		var err error
		if name != r.View {
			o.stage("comparing with the view %s", name)
			if labels, err = f.Clusters(ctx, name, k); ctx.Err() != nil {
				return fmt.Errorf("stopped in the view %s; run it again: %w", name, ctx.Err())
			}
			if err != nil { // such as eigenvectors that do not converge
				o.Training.Linef("the view %s is left out: %v", name, err)
				continue
			}
			numbers := numbersLike(r.Labels, labels, slices.Max(labels)+1)
			for i, c := range labels {
				labels[i] = numbers[c]
			}
		}
		v, err := r.describe(ctx, f, name, labels, k)
		if err != nil {
			return err
		}
		r.Views = append(r.Views, *v)
	}
	return nil
}

// describe returns the description of the named view, whose clusters are labels, of the k that were asked
// for: its scores, measures and stability, and whether there is little to find in it.
func (r *Run) describe(ctx context.Context, f *views.Finder, name views.Name, labels []int, k int) (v *explain.View, err error) {
	g := r.Data.Graph
	s := metric.Score(g, labels)
	v = &explain.View{Name: name, Column: recipe.ClusterByPrefix + name.Title(), Clusters: cluster.Count(labels), ACC: s.ACC, NMI: s.NMI, ARI: s.ARI, Labels: labels}
	if v.GroupsBy, v.Measures, err = measure(ctx, r.Data, labels); err != nil {
		return nil, err
	}
	if v.Stability, err = f.Stability(ctx, name, labels, k); err != nil {
		return nil, err
	}
	v.Little, err = f.Little(ctx, name, labels)
	return v, err
}

// measure returns the names of the features in which the clusters, labels, differ most, and the measures
// of the clusters.
func measure(ctx context.Context, d *input.Data, labels []int) (groupsBy []string, m explain.Measures, err error) {
	g := d.Graph
	groupsBy, m.Explained, err = explain.GroupsBy(ctx, d, labels, shownFeatures)
	inside, total := 0., 0. // the weight of the edges within clusters, and of all
	for i, c := range labels {
		for j, w := range g.Adjacency.Each(i) {
			total += float64(w)
			if labels[j] == c {
				inside += float64(w)
			}
		}
	}
	if total > 0 {
		m.Inside = inside / total
	}
	m.Modularity = metric.Modularity(g.Adjacency, labels)
	m.MeanConductance = metric.MeanConductance(g.Adjacency, labels)
	return groupsBy, m, err
}

// addLevels adds to r.Levels the clusters in the view of the result for half and for twice the useful
// number, as far as these numbers differ from it.
func (r *Run) addLevels(ctx context.Context, f *views.Finder) error {
	for _, k := range r.Number.Levels()[1:] { // the first is the useful one
		var labels []int
		var err error
		if r.View == views.AGE {
			labels, err = r.embeddingClusters(ctx, k)
		} else {
			labels, err = f.Clusters(ctx, r.View, k)
		}
		if err != nil {
			return fmt.Errorf("%d clusters: %w", k, err)
		}
		r.Levels = append(r.Levels, Level{Clusters: k, Labels: labels})
	}
	return nil
}

// Level is a division of the nodes into a coarser or finer number of clusters than the useful one.
type Level struct {
	Clusters int
	Labels   []int // the cluster of each node
}

// levelColumns is the number of columns to which an embedding that is not in memory is reduced before it is
// divided into the clusters of a level.
const levelColumns = 32

// embeddingClusters returns the cluster of each node when k-means divides the rows of the embedding,
// scaled to length 1, into k clusters.
func (r *Run) embeddingClusters(ctx context.Context, k int) ([]int, error) {
	z, err := inMemory(ctx, r.rows(), levelColumns, rng.New(r.Seed, rng.LevelColumns))
	if err != nil {
		return nil, err
	}
	return views.KMeans(ctx, linalg.Normalize(z), k, rng.New(r.Seed, rng.LevelKMeans))
}

// NumberText returns sentences that say which useful number of clusters was found, from what, such as
// "edges", and which coarser and finer numbers there are. It returns "" if the number was given.
func (r *Record) NumberText() string {
	n := r.Number
	if n == nil {
		return ""
	}
	text := fmt.Sprintf("%d is a useful number of clusters, not the number: the %s have as many communities of some size.", n.Useful, n.From)
	var others []string
	for _, k := range n.Levels()[1:] { // the first level is n.Useful itself
		what := "coarser"
		if k > n.Useful {
			what = "finer"
		}
		others = append(others, fmt.Sprintf("%d (%s)", k, what))
	}
	if others != nil {
		text += " See also " + english.OxfordWordSeries(others, "and") + "."
	}
	return text
}

// checkView returns an error if the options ask for a view that the graph g does not have, or that does
// not go together with the method or the settings in p.
func (o *Options) checkView(g *graph.Graph, p plan) error {
	switch {
	case o.View == "":
		return nil
	case p.method != nil:
		return message.Errorf("%s is %s: %s is another method", optionView, o.View, p.method.Name())
	case p.given && o.View != views.AGE:
		return message.Errorf("%s is %s: the settings that are given are those of %s", optionView, o.View, views.AGE)
	}
	return views.Check(g, p.source, o.View)
}

const optionView message.Option = "view"

// compare sets r.Agreement, r.Little and r.Summary, which say what the views tell together and what is odd
// about the clusters. kinds are the two kinds of nodes, or nil.
func (r *Run) compare(kinds *graph.Kinds) {
	c := explain.Compare(r.View, r.Views, kinds)
	r.Agreement, r.Little = c.Agreement, c.Little
	r.Summary = strings.Join(append(c.Sentences, explain.Oddities(r.Labels, r.Data.Graph)...), " ")
}
