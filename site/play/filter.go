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

// filtering is what the filter's page needs of a small graph.
type filtering struct {
	op      *laplacian.Operator // L̃sym
	values  []float64           // its eigenvalues, in growing order
	vectors *mat.Dense          // its eigenvectors, the columns in the order of values
}

// FilterGraph has the eigenvalues of L̃sym, in growing order.
type FilterGraph struct {
	Values    []float64
	LambdaMax float64
}

// filterStart computes the eigenvalues and eigenvectors of the page's graph, which filterApply needs. The reply
// has the eigenvalues.
func (p *Player) filterStart(_ context.Context, r Request) (Reply, error) {
	if err := p.needsGraph(r); err != nil {
		return Reply{}, err
	}
	if p.g.N() > mostFiltered {
		return Reply{}, fmt.Errorf("the graph has %d nodes: want at most %d, to compute all its eigenvectors", p.g.N(), mostFiltered)
	}
	op := laplacian.New(p.g.Adjacency)
	var eigen mat.EigenSym
	if !eigen.Factorize(op.Dense(), true) {
		return Reply{}, errors.New("the eigenvalues of L̃sym did not converge")
	}
	values, vectors := eigen.Values(nil), new(mat.Dense)
	eigen.VectorsTo(vectors)
	p.filter = &filtering{op: op, values: values, vectors: vectors}
	return Reply{FilterGraph{Values: values, LambdaMax: values[len(values)-1]}, nil}, nil
}

// filterAsked is a signal and a filter.
type filterAsked struct {
	// Signal is "eigenvector", "node" or "class", and Index says which one, counted from 0; or it is
	// "noise", and Index is the seed.
	Signal string
	Index  int
	K      float64 // of the filter (I − k·L̃sym)ᵗ
	Layers int     // its t
}

// Filtered says what the filter did to a signal x.
type Filtered struct {
	// RayleighBefore and RayleighAfter are the Rayleigh quotients of x and of Hᵗx.
	RayleighBefore, RayleighAfter float64
	Norm                          float64 // ‖Hᵗx‖ / ‖x‖
	// Amplitude is |1 − kλ|ᵗ at 201 values of λ from 0 to 2, 0.01 apart.
	Amplitude []float64
	AtMax     float64 // the amplitude at λmax
	LowPass   bool    // k ≤ 1/λmax: the amplitude falls all the way to λmax
}

// filterApply smooths a signal on the page's graph. The reply has the signal "before" and "after", a number for
// each node, and the coefficients of both, "spectrumBefore" and "spectrumAfter", one for each eigenvector.
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
	lambdaMax := f.values[len(f.values)-1]
	const rounding = 1e-9 // of λmax
	out := Filtered{
		RayleighBefore: f.op.RayleighQuotient(x),
		RayleighAfter:  f.op.RayleighQuotient(y),
		Norm:           mat.Norm(mat.NewVecDense(len(y), y), 2) / mat.Norm(mat.NewVecDense(len(x), x), 2),
		AtMax:          filter.Amplitude(lambdaMax),
		LowPass:        a.K*lambdaMax <= 1+rounding,
	}
	const perUnit = 100 // values of λ, which reaches 2
	for s := range 2*perUnit + 1 {
		lambda := float64(s) / perUnit
		out.Amplitude = append(out.Amplitude, filter.Amplitude(lambda))
	}
	return Reply{out, map[string][]float32{
		"before":         float32s(x),
		"after":          float32s(y),
		"spectrumBefore": f.coefficients(x),
		"spectrumAfter":  f.coefficients(y),
	}}, nil
}

// coefficients returns the scalar products of a signal with the eigenvectors, in the order of their
// eigenvalues, which grow.
func (f *filtering) coefficients(signal []float64) []float32 {
	var c mat.VecDense
	c.MulVec(f.vectors.T(), mat.NewVecDense(len(signal), signal))
	return float32s(c.RawVector().Data)
}

// signal returns the signal on g that a asks for, scaled to length 1. That of a node or a class is the same for
// its nodes and 0 for all others.
func (f *filtering) signal(g *graph.Graph, a filterAsked) ([]float64, error) {
	n := g.N()
	x := make([]float64, n)
	checkIndex := func(count int) error {
		if a.Index < 0 || a.Index >= count {
			return fmt.Errorf("%s %d: want 0 to %d", a.Signal, a.Index, count-1)
		}
		return nil
	}
	switch a.Signal {
	case "eigenvector":
		if err := checkIndex(n); err != nil {
			return nil, err
		}
		mat.Col(x, a.Index, f.vectors)
	case "node":
		if err := checkIndex(n); err != nil {
			return nil, err
		}
		x[a.Index] = 1
	case "class":
		if err := checkIndex(g.Classes); err != nil {
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
	v := mat.NewVecDense(n, x) // shares x
	if norm := mat.Norm(v, 2); norm > 0 {
		v.ScaleVec(1/norm, v)
	}
	return x, nil
}
