package lab

import (
	"fmt"

	"github.com/agekit/age/agekit"
	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/cell"
	"github.com/agekit/age/internal/rng"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// ClassSignal returns the signal that is 1 on the nodes of a class and 0 on all others. It
// panics if g has no labels.
func ClassSignal(g *graph.Graph, class int) figure.Signal {
	if g.Labels == nil {
		panic("lab: the graph has no labels")
	}
	s := figure.Signal{Name: fmt.Sprint("class ", class), X: make([]float64, g.N())}
	if g.ClassNames != nil {
		s.Name = "class " + g.ClassNames[class]
	}
	for i, label := range g.Labels {
		if label == class {
			s.X[i] = 1
		}
	}
	return s
}

// FeatureSignal returns the signal of feature j: the feature's value at each node. On Cora it
// is 1 for the papers that contain word j.
func FeatureSignal(g *graph.Graph, j int) figure.Signal {
	s := figure.Signal{Name: fmt.Sprint("feature ", j), X: make([]float64, g.N())}
	if g.FeatureNames != nil {
		s.Name = "feature " + g.FeatureNames[j]
	}
	for i := range s.X {
		s.X[i] = feature(g, i, j)
	}
	return s
}

// feature returns the value of feature j at node i.
func feature(g *graph.Graph, i, j int) float64 {
	if x := g.Features.Dense; x != nil {
		return float64(x.Data[i*x.Stride+j])
	}
	return float64(g.Features.Sparse.At(i, j))
}

// NoiseSignal returns a signal of independent, normally distributed numbers. The same seed
// always gives the same signal.
func NoiseSignal(g *graph.Graph, seed uint64) figure.Signal {
	s := figure.Signal{Name: "noise", X: make([]float64, g.N())}
	rnd := rng.New(seed, rng.Only)
	for i := range s.X {
		s.X[i] = rnd.NormFloat64()
	}
	return s
}

// Signals returns signals to smooth on a small graph: the feature that the number of nodes
// closest to half of all nodes have, the largest class if there are labels, and noise.
func Signals(g *graph.Graph) []figure.Signal {
	_, f := g.Features.Dims()
	nodesWith := make([]int, f) // the number of nodes with each feature
	for i := range g.N() {
		g.Features.EachInRow(i, func(j int, _ float32) { nodesWith[j]++ })
	}
	best, least := 0, g.N() // the feature, and twice its distance from half of the nodes
	for j, nodes := range nodesWith {
		if twiceFromHalf := max(2*nodes-g.N(), g.N()-2*nodes); twiceFromHalf < least {
			best, least = j, twiceFromHalf
		}
	}
	signals := []figure.Signal{FeatureSignal(g, best)}
	if g.Labels != nil {
		signals = append(signals, ClassSignal(g, LargestClass(g)))
	}
	return append(signals, NoiseSignal(g, 1))
}

// LargestClass returns the class with the most nodes.
func LargestClass(g *graph.Graph) int {
	size := make([]int, g.Classes)
	largest := 0
	for _, label := range g.Labels {
		if label == graph.Unknown {
			continue
		}
		size[label]++
		if size[label] > size[largest] {
			largest = label
		}
	}
	return largest
}

// SmoothSignal returns Hᵗx for one signal x, in float64, where H = I − k·L̃sym and t is the
// number of layers. A k of [agekit.InverseLambdaMax] means 1/λmax. ([agekit.Smooth] smooths
// all features at once.)
func SmoothSignal(g *graph.Graph, x []float64, k float64, layers int) ([]float64, error) {
	op := agekit.Laplacian(g)
	f, err := laplacian.ResolveFilter(cell.Context(), op, laplacian.Filter{K: k, Layers: layers})
	if err != nil {
		return nil, err
	}
	return f.SmoothSignal(op, x), nil
}

// RoughestSignal returns an eigenvector of L̃sym for λmax, of length 1: the signal with the
// largest Rayleigh quotient. It is found by power iteration: a random signal to which L̃sym is
// applied many times becomes such an eigenvector. g must have edges.
func RoughestSignal(g *graph.Graph) []float64 {
	const times = 2000 // enough for the small graphs of the notebooks
	op := agekit.Laplacian(g)
	x, lx := mat.NewVecDense(g.N(), NoiseSignal(g, 2).X), mat.NewVecDense(g.N(), nil)
	for range times {
		op.MulVecTo(lx, false, x)
		x.ScaleVec(1/mat.Norm(lx, 2), lx)
	}
	return x.RawVector().Data
}

// SampleFeatures returns a copy of g with only a number of its features, evenly spaced among
// all: enough for a mean, and faster. If g does not have more features, it returns g itself.
func SampleFeatures(g *graph.Graph, count int) *graph.Graph {
	n, f := g.Features.Dims()
	if count >= f {
		return g
	}
	x := blas32.General{Rows: n, Cols: count, Stride: count, Data: make([]float32, n*count)}
	sample := *g
	sample.Features, sample.FeatureNames = graph.Features{Dense: &x}, nil
	for c := range count {
		j := c * f / count
		for i := range n {
			x.Data[i*count+c] = float32(feature(g, i, j))
		}
		if g.FeatureNames != nil {
			sample.FeatureNames = append(sample.FeatureNames, g.FeatureNames[j])
		}
	}
	return &sample
}
