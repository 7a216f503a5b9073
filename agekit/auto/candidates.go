package auto

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/internal/linalg"
)

// What a candidate clusters.
const (
	smoothedFeatures  = "features"           // X̃ = HᵗX
	sharpenedFeatures = "sharpened features" // (I + kL̃)ᵗX, where edges join unlike nodes
	edgesAlone        = "edges"
	unlikeEdges       = "unlike edges" // edges that join unlike nodes
	edgesAndFeatures  = "edges and features"
	trainedEmbedding  = "training"
)

// How a candidate clusters it.
const (
	kMeans   = "k-means"
	byCosine = "k-means by cosine"
	spectral = "spectral"
	leiden   = "Leiden, joined"
)

// Candidate is a way to find clusters that the search tries. Fields that it does not use are 0.
type Candidate struct {
	// Data is what is clustered: "features", smoothed by Layers layers; "sharpened
	// features", the opposite of smoothed; "edges", or "unlike edges" if they join unlike
	// nodes; "edges and features", with Weight; or "training", the embedding of an encoder
	// trained with Layers and Pairs.
	Data   string  `json:"of"`
	Layers int     `json:"layers"`
	Weight float64 `json:"weight,omitempty"`
	Pairs  Pairs   `json:"pairs,omitempty"`
	// Clustering is "k-means" (of the rows), "k-means by cosine" (of the rows scaled to
	// length 1), "spectral", or "Leiden, joined" (communities joined to the
	// number of clusters).
	Clustering string `json:"clustering"`
}

// Name names the candidate, as in "short training, t 4, wide pairs (spectral)".
func (c Candidate) Name() string {
	data := c.Data
	switch c.Data {
	case smoothedFeatures:
		data = "features alone"
		if c.Layers > 0 {
			data = fmt.Sprintf("smoothed features, t %d", c.Layers)
		}
	case sharpenedFeatures:
		data = fmt.Sprintf("sharpened features, t %d", c.Layers)
	case edgesAlone:
		data = "edges alone"
	case unlikeEdges:
		data = "edges of unlike nodes"
	case edgesAndFeatures:
		data = fmt.Sprintf("edges and features, weight %g", c.Weight)
	case trainedEmbedding:
		data = fmt.Sprintf("short training, t %d, %s pairs", c.Layers, c.Pairs)
	}
	return data + " (" + c.Clustering + ")"
}

// trained reports whether an encoder is trained.
func (c Candidate) trained() bool { return c.Data == trainedEmbedding }

// candidates returns the candidates without training, in the order in which they are tried.
// Those for edges that join unlike nodes are among them if edges of the graph do.
func (f *finder) candidates(ctx context.Context) (candidates []Candidate, err error) {
	addSmoothed := func(t int) {
		for _, clustering := range []string{kMeans, byCosine, spectral} {
			if f.plan.many() && clustering == kMeans && t > 2 {
				continue
			}
			candidates = append(candidates, Candidate{Data: smoothedFeatures, Layers: t, Clustering: clustering})
		}
	}
	addSmoothed(0)
	if f.g.Edges() == 0 {
		return candidates, nil
	}
	candidates = append(candidates,
		Candidate{Data: edgesAndFeatures, Weight: 0.3, Clustering: spectral},
		Candidate{Data: edgesAndFeatures, Weight: 1, Clustering: spectral})
	unlike, err := f.unlikeFeatures(ctx)
	if err != nil {
		return nil, err
	}
	if unlike {
		candidates = append(candidates,
			Candidate{Data: sharpenedFeatures, Layers: 1, Clustering: spectral},
			Candidate{Data: sharpenedFeatures, Layers: 4, Clustering: spectral})
	}
	maxLayers := 16
	if f.plan.many() {
		maxLayers = 8
	}
	for t := 1; t <= maxLayers; t *= 2 {
		addSmoothed(t)
	}
	candidates = append(candidates,
		Candidate{Data: edgesAlone, Clustering: leiden},
		Candidate{Data: edgesAlone, Clustering: spectral})
	if unlike, err = f.unlikeEdges(ctx); unlike {
		candidates = append(candidates, Candidate{Data: unlikeEdges, Clustering: spectral})
	}
	return candidates, err
}

// unlikeFeatures reports whether nodes with an edge have less similar features than by
// chance: by the mean cosine of X less its mean, three standard errors below 0.
func (f *finder) unlikeFeatures(ctx context.Context) (bool, error) {
	if f.g.Features.NNZ() == 0 {
		return false, nil
	}
	in, err := f.smooth(ctx, 0)
	if err != nil {
		return false, err
	}
	defer in.Close()
	x := linalg.Normalize(in.Smoothed)
	center(x)
	sum, squares := 0., 0.
	for i := range x.Rows {
		for j := range f.g.Adjacency.Each(i) {
			cosine := float64(blas32.Dot(vector32(x.Data[i*x.Stride:][:x.Cols]), vector32(x.Data[int(j)*x.Stride:][:x.Cols])))
			sum += cosine
			squares += cosine * cosine
		}
	}
	return sum < -3*math.Sqrt(2*squares), nil // each edge counts twice
}

// unlikeEdges reports whether the second largest eigenvalue of N in size is negative, as
// where edges join classes, by a twentieth more than the second largest.
func (f *finder) unlikeEdges(ctx context.Context) (bool, error) {
	n := newNormalized(f.g.Adjacency)
	rnd := f.random(Candidate{})
	values, _, err := linalg.LeadingEigenvectors(ctx, linalg.NewOperator(f.g.N(), n.mul), min(2, f.g.N()), linalg.LeadingOptions{}, rnd)
	if err != nil {
		return false, err
	}
	squares, _, err := linalg.LeadingEigenvectors(ctx, linalg.NewOperator(f.g.N(), n.mulSquare), min(2, f.g.N()), linalg.LeadingOptions{}, rnd)
	if err != nil {
		return false, err
	}
	last := len(values) - 1
	return math.Sqrt(max(0, squares[last])) > 1.05*max(0, values[last]), nil
}
