package auto

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/option"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/stat"
)

// Range is the numbers of clusters from Least to Most. The zero value is no number.
type Range struct{ Least, Most int }

// Any returns the range that "auto" means, 2 to 20.
func Any() Range { return Range{2, 20} }

// Exactly returns the range of one number.
func Exactly(k int) Range { return Range{k, k} }

// UnmarshalText parses "7", "4..20" or "auto".
func (r *Range) UnmarshalText(text []byte) error {
	if string(text) == "auto" {
		*r = Any()
		return nil
	}
	low, high, isRange := strings.Cut(string(text), "..")
	if !isRange {
		high = low
	}
	var errs [2]error
	r.Least, errs[0] = strconv.Atoi(low)
	r.Most, errs[1] = strconv.Atoi(high)
	if errs[0] != nil || errs[1] != nil || r.Least < 2 || r.Most < r.Least {
		return fmt.Errorf("%s: want a number, 2 or more, a range such as 4..20, or auto", text)
	}
	return nil
}

// String returns the form that UnmarshalText parses.
func (r Range) String() string {
	if r.Most > r.Least {
		return fmt.Sprintf("%d..%d", r.Least, r.Most)
	}
	return strconv.Itoa(r.Least)
}

// countLayers is the number of filter layers of the features that count clusters.
const countLayers = 4

// Number is a number of clusters with measures of the clusters.
type Number struct {
	Clusters int `json:"clusters"`
	// Communities says that the clusters are communities of the edges, joined, and not
	// those of the smoothed features, which gain less for held-out edges.
	Communities bool `json:"communities,omitempty"`
	// EdgeShare is (I − k(k−1)/2m)/(ln k)^0.85, for k clusters, m edges and the
	// [metric.EdgeInformation] I: the mutual information of the clusters at both ends of an
	// edge, at most ln k, less the free parameters per edge (Akaike's criterion), which is its
	// expectation for random clusters. The highest decides. For communities, which follow
	// from the edges, I is the gain per held-out edge, and nothing is subtracted.
	EdgeShare float64 `json:"edge_share"`
	// Highest is the share of 200 resamples of the edges, or of the parts that were
	// held out, in which EdgeShare is higher than for all other numbers. It says how much
	// chance there is in the edges, and nothing about other ways to find clusters.
	Highest float64 `json:"highest"`
	// Level says that EdgeShare is the highest, or would be with 1 for coarse clusters or ½
	// for fine ones in place of 0.85.
	Level bool `json:"level"`
	// Labels are the clusters of the nodes at a level that is not the chosen number, refined
	// as the result is; nil at other numbers, and in a report that was read from a file.
	Labels []int `json:"-"`
	// Gap is λ_k − λ_k+1 of the similarities; a large one suggests k clusters.
	Gap float64 `json:"eigengap"`
	// Modularity, higher is better, and the smoothed features' Davies–Bouldin index,
	// lower is better, or 0 if undefined.
	Modularity    float64 `json:"modularity"`
	DaviesBouldin float64 `json:"davies_bouldin"`
}

// measureNumbers returns the measures of each number of clusters of a graph in a range (step 1 of
// [Fit]). The normalization of EdgeShare makes numbers comparable: more clusters can always
// have more information.
func measureNumbers(ctx context.Context, g *graph.Graph, r Range, seed uint64) ([]Number, error) {
	switch {
	case r.Least < 2 || r.Most < r.Least || r.Most > g.N()/2:
		return nil, option.Errorf("%s is %d..%d: want 2 or more, at most %d (half the number of nodes), the smaller number first", option.Name("clusters"), r.Least, r.Most, g.N()/2)
	case g.Edges() == 0:
		return nil, errors.New("the graph has no edges, which decide the number of clusters: want one number of clusters")
	}
	z, err := similarityVectors(ctx, g)
	if err != nil {
		return nil, err
	}
	found, err := cluster.SpectralRange(ctx, cluster.Gram(z), r.Least, r.Most, cluster.SpectralOptions{}, rand.New(rand.NewPCG(seed, 0)))
	if err != nil {
		return nil, err
	}
	var clusterings [][]int
	for _, f := range found {
		clusterings = append(clusterings, f.Labels)
	}
	numbers := describeNumbers(ctx, g, z, r.Least, clusterings, found[0].Eigenvalues)
	measureShares(numbers, g.Adjacency, clusterings, rand.New(rand.NewPCG(seed, 1)))
	chosen := numbers[(&SearchReport{Numbers: numbers}).ChosenNumber()].Clusters
	communities, shares, err := measureCommunities(ctx, g, r, chosen, seed)
	if err != nil {
		return nil, err
	}
	if communities != nil {
		clusterings = communities
		numbers = describeNumbers(ctx, g, z, r.Least, communities, found[0].Eigenvalues)
		for i := range numbers {
			numbers[i].Communities = true
			numbers[i].EdgeShare = stat.Mean(shares[i], nil)
		}
		setHighest(numbers, shares)
		setLevels(numbers)
	}
	result := (&SearchReport{Numbers: numbers}).ChosenNumber()
	for i := range numbers {
		if numbers[i].Level && i != result {
			numbers[i].Labels = clusterings[i]
		}
	}
	return numbers, ctx.Err()
}

// similarityVectors returns vectors of the smoothed features whose products are not negative.
func similarityVectors(ctx context.Context, g *graph.Graph) (blas32.General, error) {
	in, err := encoder.Prepare(ctx, g, encoder.Options{Filter: laplacian.Filter{K: laplacian.InverseLambdaMax, Layers: countLayers}})
	if err != nil {
		return blas32.General{}, err
	}
	defer in.Close()
	return linalg.NonNegative(linalg.Normalize(in.Smoothed)), nil
}

// describeNumbers returns the measures of clusterings of the nodes, from least clusters on, without
// the shares.
func describeNumbers(ctx context.Context, g *graph.Graph, z blas32.General, least int, clusterings [][]int, eigenvalues []float64) (numbers []Number) {
	for i, clusters := range clusterings {
		n := Number{Clusters: least + i, Modularity: metric.Modularity(g.Adjacency, clusters)}
		if n.Clusters < len(eigenvalues) {
			n.Gap = eigenvalues[n.Clusters-1] - eigenvalues[n.Clusters]
		}
		n.DaviesBouldin, _ = cluster.DaviesBouldin(ctx, z, clusters) // clusters that are too few have none
		numbers = append(numbers, n)
	}
	return numbers
}
