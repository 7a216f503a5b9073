package play

import (
	"context"
	"errors"
	"fmt"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/rng"
	"gonum.org/v1/gonum/mat"
)

// mostFiltered is the largest graph whose eigenvectors the page computes.
const mostFiltered = 400

// filtering is a small graph with all its patterns.
type filtering struct {
	op      *laplacian.Operator
	values  []float64
	vectors *mat.Dense
}

// FilterGraph describes the eigenvalues of L̃sym.
type FilterGraph struct {
	Values    []float64
	LambdaMax float64
}

func (p *Player) filterStart(_ context.Context, r Request) (Reply, error) {
	if err := p.needsGraph(r); err != nil {
		return Reply{}, err
	}
	if p.g.N() > mostFiltered {
		return Reply{}, fmt.Errorf("the graph has %d nodes: want at most %d, to compute all its eigenvectors", p.g.N(), mostFiltered)
	}
	f := &filtering{op: laplacian.New(p.g.Adjacency)}
	var all mat.EigenSym
	if !all.Factorize(f.op.Dense(), true) {
		return Reply{}, errors.New("the eigenvalues of L̃sym did not converge")
	}
	f.values, f.vectors = all.Values(nil), new(mat.Dense)
	all.VectorsTo(f.vectors)
	p.filter = f
	return Reply{FilterGraph{f.values, f.values[len(f.values)-1]}, nil}, nil
}

// filterAsked is a signal and a filter.
type filterAsked struct {
	// Signal is "eigenvector", "node", "class" or "noise", and Index says which, or is the
	// seed of the noise.
	Signal string
	Index  int
	K      float64
	Layers int
}

// Filtered is a signal before and after.
type Filtered struct {
	RayleighBefore, RayleighAfter float64
	Norm                          float64 // ‖Hᵗx‖ / ‖x‖
	// Amplitude is |1 − kλ|ᵗ at 201 places from λ = 0 to 2.
	Amplitude []float64
	AtMax     float64 // the amplitude at λmax
	LowPass   bool    // k ≤ 1/λmax: the amplitude falls all the way to λmax
}

func (p *Player) filterApply(_ context.Context, r Request) (Reply, error) {
	var a filterAsked
	if err := arguments(r, &a); err != nil {
		return Reply{}, err
	}
	f := p.filter
	if f == nil {
		return Reply{}, fmt.Errorf("%s: start the filter first", r.Name)
	}
	filter := laplacian.Filter{K: a.K, Layers: a.Layers}
	if err := filter.Check(); err != nil {
		return Reply{}, err
	}
	x, err := f.signal(p.g, a)
	if err != nil {
		return Reply{}, err
	}
	y := filter.SmoothSignal(f.op, x)
	before, after := mat.NewVecDense(len(x), x), mat.NewVecDense(len(y), y)
	top := f.values[len(f.values)-1]
	out := Filtered{RayleighBefore: f.op.RayleighQuotient(x), RayleighAfter: f.op.RayleighQuotient(y), Norm: mat.Norm(after, 2) / mat.Norm(before, 2),
		AtMax: filter.Amplitude(top), LowPass: a.K*top <= 1+1e-9}
	for s := range 201 {
		out.Amplitude = append(out.Amplitude, filter.Amplitude(float64(s)/100))
	}
	coefficients := func(v *mat.VecDense) []float32 {
		var c mat.VecDense
		c.MulVec(f.vectors.T(), v)
		return float32s(c.RawVector().Data)
	}
	return Reply{out, map[string][]float32{"before": float32s(x), "after": float32s(y), "spectrumBefore": coefficients(before), "spectrumAfter": coefficients(after)}}, nil
}

// signal returns the signal that is asked for, of length 1.
func (f *filtering) signal(g *graph.Graph, a filterAsked) ([]float64, error) {
	n := g.N()
	x := make([]float64, n)
	inside := func(count int) error {
		if a.Index < 0 || a.Index >= count {
			return fmt.Errorf("%s %d: want 0 to %d", a.Signal, a.Index, count-1)
		}
		return nil
	}
	switch a.Signal {
	case "eigenvector":
		if err := inside(n); err != nil {
			return nil, err
		}
		mat.Col(x, a.Index, f.vectors)
	case "node":
		if err := inside(n); err != nil {
			return nil, err
		}
		x[a.Index] = 1
	case "class":
		if err := inside(g.Classes); err != nil {
			return nil, err
		}
		for i, c := range g.Labels {
			if c == a.Index {
				x[i] = 1
			}
		}
	case "noise":
		rnd := rng.New(uint64(a.Index), rng.Only)
		for i := range x {
			x[i] = rnd.NormFloat64()
		}
	default:
		return nil, fmt.Errorf("signal %q: want eigenvector, node, class or noise", a.Signal)
	}
	v := mat.NewVecDense(n, x)
	if norm := mat.Norm(v, 2); norm > 0 {
		v.ScaleVec(1/norm, v)
	}
	return x, nil
}
