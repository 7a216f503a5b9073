package play

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/agekit/age/agekit/community"
	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/method"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/pairs"
	"gonum.org/v1/gonum/blas/blas32"
)

// planted generates a planted graph and makes it the page's graph. The request's arguments are the fields of
// dataset.PlantedConfig; the defaults, below, have few words, so that small graphs have enough of each.
// The reply is that of open.
func (p *Player) planted(ctx context.Context, r Request) (Reply, error) {
	c := dataset.PlantedConfig{Nodes: 300, Classes: 4, MeanDegree: 4, Homophily: 0.8, Features: 200, Words: 12, Topic: 0.3, Seed: 1}
	if err := arguments(r, &c); err != nil {
		return Reply{}, err
	}
	const nearZero = 1e-9 // 0 would mean the generator's default
	c.Homophily = max(c.Homophily, nearZero)
	c.Topic = max(c.Topic, nearZero)
	g, err := dataset.Planted(ctx, c)
	if err != nil {
		return Reply{}, err
	}
	p.use(&input.Data{Graph: g})
	return Reply{describe(g), graphNumbers(g)}, nil
}

// methodAsked is a method to run on the page's graph.
type methodAsked struct {
	// Method is "AGE" or one of method.Names.
	Method string
	// Layers, Dims and Epochs are settings, with the defaults 3, 32 and 60, of the methods that have them.
	Layers, Dims, Epochs int
	Clusters             int // default: the number of classes
	Seed                 uint64
}

// Found is what a method found.
type Found struct {
	Method   string
	Features bool // the method sees the features
	Edges    bool // the method sees the edges
	Trained  bool
	Dims     int // of its embedding; 0 without one
	Seconds  float64
	// ACC, NMI and ARI are nil without labels.
	ACC, NMI, ARI  *float64
	Chance         float64 // the ACC of random clusters, by chanceAccuracy; 0 without labels
	Modularity     float64
	HomophilyFound float64 // share of the edges whose ends are in the same cluster
}

// method runs a method on the page's graph. The method does not see the graph's labels, which only its scores
// need. The reply has in "clusters" the cluster of each node, numbered as the class that it matches, and in
// "rows" the embedding, if there is one.
func (p *Player) method(ctx context.Context, r Request) (Reply, error) {
	a := methodAsked{Layers: 3, Dims: 32, Epochs: 60}
	if err := arguments(r, &a); err != nil {
		return Reply{}, err
	}
	if err := p.needsGraph(r); err != nil {
		return Reply{}, err
	}
	a.Clusters = cmp.Or(a.Clusters, p.g.Classes)
	began := time.Now()
	found := Found{Method: a.Method}
	clusters, z, err := p.fit(ctx, a, &found)
	if err != nil {
		return Reply{}, err
	}
	scores := metric.Score(p.g, clusters)
	found.ACC, found.NMI, found.ARI = scores.ACC, scores.NMI, scores.ARI
	if found.ACC != nil {
		found.Chance = chanceAccuracy(p.g)
	}
	found.Modularity = scores.Modularity
	found.HomophilyFound = shareInside(p.g, clusters)
	found.Dims = z.Cols
	found.Seconds = time.Since(began).Seconds()
	numbers := map[string][]float32{"clusters": float32s(metric.Match(p.g, clusters))}
	if z.Rows > 0 {
		numbers["rows"] = packed(z)
	}
	return Reply{found, numbers}, nil
}

// shareInside returns the share of the edges whose ends are in the same cluster; 0 without edges.
func shareInside(g *graph.Graph, clusters []int) float64 {
	inside, all := 0, 0
	for i := range g.N() {
		for j := range g.Adjacency.Each(i) {
			all++
			if clusters[i] == clusters[j] {
				inside++
			}
		}
	}
	if all == 0 {
		return 0
	}
	return float64(inside) / float64(all)
}

// paperK is the paper's k for its graphs.
const paperK = 2.0 / 3

// fit runs the method that is asked for on the page's graph, and returns the cluster of each node and the
// embedding, which has no rows if the method has none. It sets in found what the method sees (Features,
// Edges) and whether it is Trained.
func (p *Player) fit(ctx context.Context, a methodAsked, found *Found) ([]int, blas32.General, error) {
	if a.Method == "AGE" {
		found.Features, found.Edges, found.Trained = true, true, true
		return p.fitAGE(ctx, a)
	}
	info, ok := method.Find(a.Method)
	if !ok {
		return nil, blas32.General{}, fmt.Errorf("unknown method %q: want AGE, %s", a.Method, strings.Join(method.Names(), ", "))
	}
	found.Features, found.Edges, found.Trained = info.Features, info.Edges, info.Trained
	s := method.Settings{Filter: laplacian.Filter{K: paperK, Layers: a.Layers}}
	if info.Trained {
		s.Epochs = a.Epochs
	}
	if info.Name == "LS+RA" {
		s.Fields = map[string]any{"dims": a.Dims}
	}
	m, err := method.New(info.Name, s)
	if err != nil {
		return nil, blas32.General{}, err
	}
	out, err := method.Cluster(ctx, m, p.g, method.Options{Clusters: a.Clusters, Seed: a.Seed})
	if err != nil {
		return nil, blas32.General{}, err
	}
	if info.Number { // the method chooses the number of clusters: join some until there are a.Clusters
		out.Clusters = community.Join(p.g.Adjacency, out.Clusters, nil, a.Clusters)
	}
	return out.Clusters, out.Embedding, nil
}

// fitAGE trains AGE on the page's graph and returns the cluster of each node and the embedding.
func (p *Player) fitAGE(ctx context.Context, a methodAsked) ([]int, blas32.General, error) {
	o := defaultOptions()
	o.Filter = laplacian.Filter{K: paperK, Layers: a.Layers}
	o.Dims, o.Epochs, o.Clusters, o.Seed = a.Dims, a.Epochs, a.Clusters, a.Seed
	const mostExact = 1000 // nodes whose pairs can all be ranked while the page waits
	if p.g.N() <= mostExact {
		o.Ranking = pairs.Exact
	}
	result, err := encoder.Fit(ctx, p.g, onGraph(o, p.g))
	if err != nil {
		return nil, blas32.General{}, err
	}
	return result.Labels, result.Embedding, nil
}
