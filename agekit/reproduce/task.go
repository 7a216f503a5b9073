package reproduce

import (
	"context"
	"fmt"
	"maps"
	"math"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/method"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/tsne"
	"github.com/agekit/age/internal/rng"
)

// outcome is the result of a task, apart from its time.
type outcome struct {
	backend string
	scores  map[string]float64
	series  map[string][]float64
	release func() error
}

// runTask performs r's task on g.
func runTask(ctx context.Context, g *graph.Graph, r Run, o method.Options) (*outcome, error) {
	switch r.Task {
	case statisticsTask:
		return statistics(g), nil
	case Spectrum:
		return eigenvalues(ctx, g)
	}
	m, err := r.method()
	if err != nil {
		return nil, err
	}
	if r.Task == peekingTask {
		return peek(ctx, m, g, r, o)
	}
	var fitted *method.Output
	var links metric.LinkScores
	if r.Task == Links {
		fitted, links, err = predictLinks(ctx, m, g, r, o)
	} else {
		fitted, err = clusterNodes(ctx, m, g, r, o)
	}
	if err != nil {
		return nil, err
	}
	out := &outcome{backend: fitted.Backend, release: fitted.Release, scores: map[string]float64{}}
	maps.Copy(out.scores, fitted.Measures)
	switch r.Task {
	case Links:
		out.scores["AUC"], out.scores["AP"] = links.AUC, links.AP
	case Clustering:
		addScores(out.scores, metric.Score(g, fitted.Clusters))
	case mapTask:
		out.series, err = planeMap(ctx, g, fitted, r)
	default:
		err = fmt.Errorf("unknown task %q", r.Task)
	}
	return out, err
}

// addScores adds the scores of a clustering by name.
func addScores(scores map[string]float64, s metric.Scores) {
	for name, value := range map[string]*float64{
		"ACC": s.ACC, "NMI": s.NMI, "ARI": s.ARI, "F1": s.F1, "modularity": &s.Modularity, "conductance": &s.Conductance,
	} {
		if value != nil {
			scores[name] = *value
		}
	}
}

// statistics returns the numbers of table 1, and a few more, as scores.
func statistics(g *graph.Graph) *outcome {
	s := g.Stats()
	return &outcome{backend: "native", scores: map[string]float64{
		"nodes": float64(s.Nodes), "listed edges": float64(s.ListedEdges), "edges": float64(s.Edges),
		"features": float64(s.Features), "classes": float64(s.Classes), "isolated": float64(s.Isolated),
		"zero rows": float64(s.ZeroRows), "components": float64(s.Components), "largest degree": float64(s.MaxDegree),
	}}
}

// eigenvalues counts the eigenvalues of L̃sym in 40 bins over [0, 2]: exactly, or for a
// large graph as an estimate, whose score "exact" is 0, with the standard errors of the bins.
func eigenvalues(ctx context.Context, g *graph.Graph) (*outcome, error) {
	op := laplacian.New(g.Adjacency)
	l, err := laplacian.LambdaMax(ctx, op)
	if err != nil {
		return nil, err
	}
	counts, estimated, _, err := laplacian.Distribution(ctx, op, laplacian.MaxOrder, rng.New(0, rng.Only))
	if err != nil {
		return nil, err
	}
	out := &outcome{backend: "native", scores: map[string]float64{"lambda_max": l, "exact": 1}, series: map[string][]float64{"counts": counts}}
	if estimated != nil {
		out.scores["exact"] = 0
		out.series["errors"] = estimated
	}
	return out, nil
}

// planeMap returns the coordinates of the embedding's t-SNE map and the classes to color it
// by, or only the clusters of a method without an embedding.
func planeMap(ctx context.Context, g *graph.Graph, f *method.Output, r Run) (map[string][]float64, error) {
	z := f.Embedding
	if z.Rows == 0 {
		return map[string][]float64{"cluster": asFloats(f.Clusters)}, nil
	}
	o := tsne.Options{}
	if r.Quick {
		o.Iterations = 250
	}
	y, err := tsne.Map(ctx, z, o, rng.New(0, rng.Only))
	if err != nil {
		return nil, err
	}
	series := map[string][]float64{}
	for i := range y.Rows {
		series["x"] = append(series["x"], round3(y.Data[i*y.Stride]))
		series["y"] = append(series["y"], round3(y.Data[i*y.Stride+1]))
	}
	if g.Labels != nil {
		series["class"] = asFloats(g.Labels)
	}
	return series, nil
}

// asFloats returns values as numbers of a record's series.
func asFloats(values []int) []float64 {
	floats := make([]float64, len(values))
	for i, v := range values {
		floats[i] = float64(v)
	}
	return floats
}

// round3 keeps three decimals, which is more than an image shows.
func round3(v float32) float64 { return math.Round(1000*float64(v)) / 1000 }
