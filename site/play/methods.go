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
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/method"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/pairs"
	"gonum.org/v1/gonum/blas/blas32"
)

// planted makes a planted graph the page's graph. Its words are few, so that small graphs
// have enough of each.
func (p *Player) planted(ctx context.Context, r Request) (Reply, error) {
	c := dataset.PlantedConfig{Nodes: 300, Classes: 4, MeanDegree: 4, Homophily: 0.8, Features: 200, Words: 12, Topic: 0.3, Seed: 1}
	if err := arguments(r, &c); err != nil {
		return Reply{}, err
	}
	// 0 would mean the generator's default.
	c.Homophily, c.Topic = max(c.Homophily, 1e-9), max(c.Topic, 1e-9)
	g, err := dataset.Planted(ctx, c)
	if err != nil {
		return Reply{}, err
	}
	p.use(g)
	return Reply{describe(g), graphNumbers(g)}, nil
}

// asked is a method to run on the page's graph.
type asked struct {
	// Method is "AGE" or one of method.Names.
	Method string
	// Layers, Dims and Epochs are settings of those that have them. Default 3, 32 and 60.
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
	Modularity     float64
	HomophilyFound float64 // share of the edges whose ends are in the same cluster
}

// method runs a method on the page's graph, which never reads its labels.
func (p *Player) method(ctx context.Context, r Request) (Reply, error) {
	a := asked{Layers: 3, Dims: 32, Epochs: 60}
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
	found.ACC, found.NMI, found.ARI, found.Modularity = scores.ACC, scores.NMI, scores.ARI, scores.Modularity
	found.Dims, found.Seconds = z.Cols, time.Since(began).Seconds()
	inside, all := 0, 0
	for i := range p.g.N() {
		for j := range p.g.Adjacency.Each(i) {
			all++
			if clusters[i] == clusters[j] {
				inside++
			}
		}
	}
	if all > 0 {
		found.HomophilyFound = float64(inside) / float64(all)
	}
	numbers := map[string][]float32{"clusters": float32s(metric.Match(p.g, clusters))}
	if z.Rows > 0 {
		numbers["rows"] = packed(z)
	}
	return Reply{found, numbers}, nil
}

// fit runs a method and says what it sees.
func (p *Player) fit(ctx context.Context, a asked, found *Found) ([]int, blas32.General, error) {
	filter := laplacian.Filter{K: 2.0 / 3, Layers: a.Layers}
	if a.Method == "AGE" {
		found.Features, found.Edges, found.Trained = true, true, true
		o := training()
		o.Filter, o.Dims, o.Epochs, o.Clusters, o.Seed = filter, a.Dims, a.Epochs, a.Clusters, a.Seed
		if p.g.N() <= 1000 {
			o.Ranking = pairs.Exact
		}
		result, err := encoder.Fit(ctx, p.g, onGraph(o, p.g))
		if err != nil {
			return nil, blas32.General{}, err
		}
		return result.Labels, result.Embedding, nil
	}
	info, ok := method.Find(a.Method)
	if !ok {
		return nil, blas32.General{}, fmt.Errorf("unknown method %q: want AGE, %s", a.Method, strings.Join(method.Names(), ", "))
	}
	found.Features, found.Edges, found.Trained = info.Features, info.Edges, info.Trained
	s := method.Settings{Filter: filter}
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
	if info.Number {
		out.Clusters = community.Join(p.g.Adjacency, out.Clusters, nil, a.Clusters)
	}
	return out.Clusters, out.Embedding, nil
}
