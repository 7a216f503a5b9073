package auto

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/rows"
)

// countLayers is the number of filter layers of the features that Count clusters.
const countLayers = 4

// Most is the default of the largest number of clusters that [Count] tries.
const Most = 20

// Number is a number of clusters with measures of the clusters.
type Number struct {
	Clusters int `json:"clusters"`
	// EdgeShare is (I − k(k−1)/2m)/ln k, for k clusters, m edges and the
	// [metric.EdgeInformation] I: the share of what one end's cluster could tell
	// about the other end's. The highest decides. What is subtracted is the number
	// of free parameters for each edge (Akaike's criterion): clusters tell that much
	// by chance.
	EdgeShare float64 `json:"edge_share"`
	// Gap is λ_k − λ_k+1 of the similarities' eigenvalues; a large one suggests k
	// clusters.
	Gap float64 `json:"eigengap"`
	// Modularity, higher is better, and the Davies–Bouldin index of the smoothed
	// features, lower is better; 0 if it is undefined.
	Modularity    float64 `json:"modularity"`
	DaviesBouldin float64 `json:"davies_bouldin"`
}

// Count returns the number of clusters of a graph, from least to most, with the
// measures of every number that it tried. For each k it clusters the features,
// smoothed by four layers, by their cosines ([cluster.SpectralRange]), and it chooses
// the k with the highest EdgeShare. The normalization is what makes numbers
// comparable: more clusters can always tell more about the edges.
//
// It returns an error for a range outside 2…n/2, for a graph without edges or
// without features, and when ctx is done. Labels are not used.
func Count(ctx context.Context, g *graph.Graph, least, most int, seed uint64) (int, []Number, error) {
	switch {
	case least < 2 || most < least || most > g.N()/2:
		return 0, nil, fmt.Errorf("clusters from %d to %d: want 2 or more, at most %d (half the number of nodes), the smaller number first", least, most, g.N()/2)
	case g.Edges() == 0:
		return 0, nil, fmt.Errorf("the graph has no edges, which decide the number of clusters: want --clusters N")
	}
	in, err := encoder.Prepare(ctx, g, encoder.Options{Filter: laplacian.Filter{K: laplacian.InverseLambdaMax, Layers: countLayers}})
	if err != nil {
		return 0, nil, err
	}
	defer in.Close()
	z := rows.NonNegative(rows.Normalize(in.Smoothed))
	found, err := cluster.SpectralRange(ctx, cluster.Gram(z), least, most, cluster.SpectralOptions{}, rand.New(rand.NewPCG(seed, 0)))
	if err != nil {
		return 0, nil, err
	}
	var numbers []Number
	best := 0
	for i, result := range found {
		n, err := measured(ctx, g, z, result, least+i)
		if err != nil {
			return 0, nil, err
		}
		numbers = append(numbers, n)
		if n.EdgeShare > numbers[best].EdgeShare {
			best = i
		}
	}
	return numbers[best].Clusters, numbers, nil
}

func measured(ctx context.Context, g *graph.Graph, z blas32.General, r cluster.SpectralResult, k int) (Number, error) {
	n := Number{
		Clusters: k, Modularity: metric.Modularity(g.Adjacency, r.Labels),
		EdgeShare: (metric.EdgeInformation(g.Adjacency, r.Labels) - float64(k*(k-1))/float64(2*g.Edges())) / math.Log(float64(k)),
	}
	if k < len(r.Eigenvalues) {
		n.Gap = r.Eigenvalues[k-1] - r.Eigenvalues[k]
	}
	var err error
	if n.DaviesBouldin, err = cluster.DaviesBouldin(ctx, z, r.Labels); ctx.Err() != nil {
		return n, err
	}
	return n, nil // clusters that are too few for the index have none
}
