package method

import (
	"context"
	"fmt"
	"math"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/linalg"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
)

// agc is adaptive graph convolution (Zhang, Liu, Li and Wu, IJCAI 2019,
// arXiv:1906.01210), which smooths the features as long as that makes clusters more
// compact, without training. With
//
//	Xₜ = GᵗX,  G = ½(I + D̃^-½(A+I)D̃^-½),  t = 1, 2, …,
//
// it clusters the k leading left singular vectors of Xₜ by k-means (10 starts), ten
// times, and measures how far apart the nodes of a cluster are in Xₜ,
//
//	intra(t) = mean over clusters C of 1/|C|² Σ |xᵢ − xⱼ|²,  i, j ∈ C,
//
// as the mean of the ten. It stops at the first t whose intra(t) is above intra(t−1)
// and returns t−1 layers. A run measures t ("t") and intra(t) ("intra").
//
// The embedding is Xₜ. Published mode returns the clusters of the first of the ten
// k-means runs for the chosen t; the authors' code prints the mean scores of the ten.
// Its files of Wiki keep repeated links and links of a page to itself, which a
// [graph.Graph] does not have: with them t is 7 and the scores are the code's, .49, .46
// and .15; without, t is 6.
type agc struct {
	MostLayers int  `json:"most_layers"` // largest t; default 60
	Published  bool `json:"published"`   // published mode
}

// newAGC returns the method's settings: those of s that apply, and defaults for the others.
func newAGC(s Settings) agc {
	s.Epochs = 0 // a number of steps of a training, not of layers; s.MostEpochs bounds both
	return agc{MostLayers: s.epochs(60), Published: s.Published}
}

// fit implements [fitter].
func (m agc) fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	if err := checkWithin("most_layers", m.MostLayers, 1, laplacian.MaxLayers); err != nil {
		return nil, err
	}
	const matrices = 3 // of the features' size at a time: a copy, Xₜ₋₁ and Xₜ
	x, err := denseFeatures(g.Features, matrices)
	if err != nil {
		return nil, err
	}
	out, err := m.chooseLayers(ctx, laplacian.New(g.Adjacency).FilterMatrix(0.5), x, o)
	if err == nil && !m.Published {
		out.Clusters = nil
	}
	return out, err
}

// chooseLayers multiplies x with the filter until t is chosen, and overwrites it. The output has Xₜ,
// the clusters of the first of its k-means runs, and the measures t and intra(t).
func (m agc) chooseLayers(ctx context.Context, filter *graph.CSR, x blas32.General, o Options) (*Output, error) {
	kmeans, spectral := o.random("k-means"), o.random("spectral")
	next := linalg.New(x.Rows, x.Cols) // Xₜ, and x is Xₜ₋₁
	out := &Output{Measures: map[string]float64{"intra": math.Inf(1)}}
	for t := 1; t <= m.MostLayers; t++ {
		mulSparse(next, filter, x)
		_, u, err := linalg.LeadingEigenvectors(ctx, gramOperator(cluster.Gram(next), next), o.Clusters, linalg.LeadingOptions{}, spectral)
		if err != nil {
			return nil, fmt.Errorf("t = %d: %w", t, err)
		}
		const runs = 10
		points := rounded(u)
		var clusters [runs][]int
		for r := range clusters {
			found, err := cluster.KMeans(ctx, points, o.Clusters, cluster.KMeansOptions{}, kmeans)
			if err != nil {
				return nil, fmt.Errorf("t = %d: %w", t, err)
			}
			clusters[r] = found.Labels
		}
		var distances [runs]float64
		linalg.Parallel(runs, 1, func(r, _ int) { distances[r] = meanIntraDistance(next, clusters[r], o.Clusters) })
		mean := 0.0
		for _, d := range distances {
			mean += d / runs
		}
		if mean > out.Measures["intra"] {
			break
		}
		x, next = next, x
		out.Embedding, out.Clusters = x, clusters[0]
		out.Measures["t"], out.Measures["intra"] = float64(t), mean
		o.report(t, m.MostLayers, mean)
	}
	return out, nil
}

// meanIntraDistance returns intra: the mean over the k clusters of the mean squared distance of two
// of the cluster's nodes, which is 2(mean |xᵢ|² − |x̄|²). An empty cluster counts 0.
func meanIntraDistance(x blas32.General, clusters []int, k int) float64 {
	sums := blas64.General{Rows: k, Cols: x.Cols, Stride: x.Cols, Data: make([]float64, k*x.Cols)}
	count, squares := make([]float64, k), make([]float64, k)
	for i, c := range clusters {
		count[c]++
		sum := sums.Data[c*sums.Stride:][:sums.Cols]
		for j, v := range linalg.Row(x, i)[:x.Cols] {
			sum[j] += float64(v)
			squares[c] += float64(v) * float64(v)
		}
	}
	mean := 0.0
	for c := range k {
		if count[c] == 0 {
			continue
		}
		variance := squares[c] / count[c]
		for _, v := range sums.Data[c*sums.Stride:][:sums.Cols] {
			variance -= v / count[c] * v / count[c]
		}
		mean += 2 * variance / float64(k)
	}
	return mean
}
