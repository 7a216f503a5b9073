package lab

import (
	"cmp"
	"errors"
	"slices"

	"github.com/agekit/age/agekit"
	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/cell"
	"github.com/agekit/age/internal/store"
	"gonum.org/v1/gonum/blas/blas32"
)

// Raw returns the stage before smoothing: the features as they are.
func Raw(g *graph.Graph) (agekit.Stage, error) {
	return stage(g, "raw features", g.Features.ToDense())
}

// Smoothed returns the stage after smoothing with the paper's settings, before
// training.
func Smoothed(g *graph.Graph) (agekit.Stage, error) {
	f := agekit.Settings(g).Filter
	rows, err := agekit.Smooth(g, f.K, f.Layers)
	if err != nil {
		return agekit.Stage{}, err
	}
	return stage(g, "smoothed features", rows)
}

// Trained returns the last stage: the embeddings after training with the paper's
// settings and seed 1, as in notebook 3.
func Trained(g *graph.Graph) (agekit.Stage, error) {
	c := agekit.Settings(g)
	c.Seed = 1
	r, err := agekit.Train(g, c)
	if err != nil {
		return agekit.Stage{}, err
	}
	return agekit.Stage{Name: "trained embeddings", Rows: r.Embedding, Clusters: r.Labels}, nil
}

// stage returns the stage with the given name and rows, and the clusters of the rows, as many as
// g has classes. The clusters are stored. A graph without classes is an error.
func stage(g *graph.Graph, name string, rows blas32.General) (agekit.Stage, error) {
	if g.Classes == 0 {
		return agekit.Stage{}, errors.New("the graph has no classes, so the number of clusters is unknown")
	}
	key := store.NewKey("clusters of a stage", cluster.Version, rows, g.Classes)
	clusters, _, err := store.Cached(cell.Store(), key, func() ([]int, error) { return agekit.Cluster(rows, g.Classes) })
	return agekit.Stage{Name: name, Rows: rows, Clusters: clusters}, err
}

// WrongByConfidence divides the nodes of known class, from the least to the most confident,
// into a number of equal parts. For each part it returns the share of nodes whose cluster
// does not match their class. clusters and confidence have one entry per node; only the
// share uses labels, not the confidence.
func WrongByConfidence(g *graph.Graph, clusters []int, confidence []float64, parts int) []float64 {
	matched := metric.Match(g, clusters)
	var order []int
	for i, class := range g.Labels {
		if class != graph.Unknown {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(confidence[i], confidence[j]) })
	shares := make([]float64, parts) // of wrong nodes
	for p := range parts {
		part := order[p*len(order)/parts : (p+1)*len(order)/parts]
		for _, i := range part {
			if matched[i] != g.Labels[i] {
				shares[p] += 1 / float64(len(part))
			}
		}
	}
	return shares
}
