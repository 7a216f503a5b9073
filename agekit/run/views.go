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
	"github.com/agekit/age/agekit/views"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/rng"
)

// shownFeatures is the number of features that a view groups by.
const shownFeatures = 3

// sourceOf says where the edges and the features of the data come from.
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

// newFinder returns what finds the views of the data.
func newFinder(d *input.Data, s views.Source, seed uint64) *views.Finder {
	scaled := 0
	if d.Recipe != nil {
		scaled = d.Recipe.Width()
	}
	return views.NewFinder(d.Graph, s, scaled, seed)
}

// untrained finds the clusters of a view without training. The embedding is the features,
// smoothed as [views.Both] has them, or as they are for [views.Features].
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
	if g.Edges() == 0 { // where k makes no difference
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

// see computes the views: the one that is the result, and the others if they are wanted, with
// as many clusters. Clusters that overlap most with one of the result have its number.
func (r *Run) see(ctx context.Context, o *Options, f *views.Finder, k int) error {
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
		if name != r.View && k > encoder.MostClusters(r.N) {
			continue
		}
		labels := r.Labels
		var err error
		if name != r.View {
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

// describe measures the clusters of a view.
func (r *Run) describe(ctx context.Context, f *views.Finder, name views.Name, labels []int, k int) (v *explain.View, err error) {
	g := r.Data.Graph
	s := metric.Score(g, labels)
	v = &explain.View{Name: name, Column: "cluster by " + name.Title(), Clusters: cluster.Count(labels), ACC: s.ACC, NMI: s.NMI, ARI: s.ARI, Labels: labels}
	if v.GroupsBy, v.Measures, err = measure(ctx, r.Data, labels); err != nil {
		return nil, err
	}
	if v.Stability, err = f.Stability(ctx, name, labels, k); err != nil {
		return nil, err
	}
	v.Little, err = f.Little(ctx, name, labels)
	return v, err
}

// measure returns the features by which clusters of the nodes differ most, and their measures.
func measure(ctx context.Context, d *input.Data, labels []int) (groupsBy []string, m explain.Measures, err error) {
	g := d.Graph
	groupsBy, m.Explained, err = explain.GroupsBy(ctx, d, labels, shownFeatures)
	inside, total := 0., 0.
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

// levels finds the clusters of half and twice as many as the useful number.
func (r *Run) levels(ctx context.Context, f *views.Finder) error {
	for _, k := range r.Number.Levels()[1:] {
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
		r.Levels = append(r.Levels, Level{k, labels})
	}
	return nil
}

// Level has the clusters of another number of them.
type Level struct {
	Clusters int
	Labels   []int // the cluster of each node
}

// levelColumns is the number of columns that represent an embedding that is not in memory.
const levelColumns = 32

// embeddingClusters divides the rows of the embedding, in length 1, into k clusters.
func (r *Run) embeddingClusters(ctx context.Context, k int) ([]int, error) {
	z, err := inMemory(ctx, r.rows(), levelColumns, rng.New(r.Seed, rng.LevelColumns))
	if err != nil {
		return nil, err
	}
	return views.KMeans(ctx, linalg.Normalize(z), k, rng.New(r.Seed, rng.LevelKMeans))
}

// NumberText says which number of clusters was found, and from what; "" if it was given.
func (r *Record) NumberText() string {
	n := r.Number
	if n == nil {
		return ""
	}
	text := fmt.Sprintf("%d is a useful number of clusters, not the number: the %s have as many communities of some size.", n.Useful, n.From)
	var others []string
	for _, k := range n.Levels()[1:] {
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

// checkView returns an error if a graph does not have the view that is asked for.
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

// compare says what the views tell together, and what is odd about the clusters.
func (r *Run) compare(kinds *graph.Kinds) {
	c := explain.Compare(r.View, r.Views, kinds)
	r.Agreement, r.Little = c.Agreement, c.Little
	r.Summary = strings.Join(append(c.Sentences, explain.Oddities(r.Labels, r.Data.Graph)...), " ")
}
