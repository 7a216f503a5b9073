package method

import (
	"cmp"
	"context"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/message"
)

// ssgc is simple spectral graph convolution (Zhu and Koniusz, ICLR 2021): the mean of
// the features smoothed 1 to K times, without training,
//
//	X̃ = 1/K Σₜ ((1−α)TᵗX + αX),  T = D̃^-½(A+I)D̃^-½,  t = 1, …, K.
//
// The embedding is X̃. Published mode does as PyAGC 1.1.2: k-means of the rows of X̃,
// scaled to length 1, with its K for Cora. (The authors' own clustering leaves out α
// and the self loops, and chooses K as [agc] chooses t.)
type ssgc struct {
	Layers    int     `json:"layers"`    // K; default 16, of the paper, published 12
	Alpha     float64 `json:"alpha"`     // α, the weight of the features themselves; default 0.05
	Published bool    `json:"published"` // published mode
}

// newSSGC returns the method's settings: those of s that apply, and defaults for the others.
func newSSGC(s Settings) ssgc {
	layers := 16
	if s.Published {
		layers = 12
	}
	return ssgc{Layers: cmp.Or(s.Layers, layers), Alpha: 0.05, Published: s.Published}
}

// fit implements [fitter].
func (m ssgc) fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	if err := checkWithin("layers", m.Layers, 1, laplacian.MaxLayers); err != nil {
		return nil, err
	}
	if !(m.Alpha > 0 && m.Alpha <= 1) {
		return nil, message.Errorf("%s is %v: want more than 0 and at most 1", message.Option("alpha"), m.Alpha)
	}
	const matrices = 4 // of the features' size at a time: a copy, X, and series' sum and next
	x, err := denseFeatures(g.Features, matrices)
	if err != nil {
		return nil, err
	}
	weights := make([]float64, m.Layers+1) // of TᵗX
	weights[0] = m.Alpha
	for t := 1; t <= m.Layers; t++ {
		weights[t] = (1 - m.Alpha) / float64(m.Layers)
	}
	z, err := series(ctx, laplacian.New(g.Adjacency).FilterMatrix(1), x, weights)
	if err != nil {
		return nil, err
	}
	out := &Output{Embedding: z}
	if m.Published {
		const starts = 0 // the default
		out.Clusters, err = o.kMeans(ctx, linalg.Normalize(z), starts)
	}
	return out, err
}
