package encoder

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"time"

	"github.com/agekit/age/agekit/encoder/step"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/mapped"
	"github.com/agekit/age/internal/progress"
	"github.com/agekit/age/internal/simd"
	"github.com/agekit/age/internal/system"
	"gonum.org/v1/gonum/blas/blas32"
)

// Input is a graph with its smoothed features, from [Prepare] or, smoothed in another
// way, from the caller. Several trainings may use it.
type Input struct {
	// Graph is G = (V, E, X). Its labels are never used.
	Graph *graph.Graph
	// Operator is L̃sym, and Filter is H = I − k·L̃sym with its layers t and a number
	// K. Without Operator, a step multiplies Smoothed even where filtering sparse
	// features is faster.
	Operator *laplacian.Operator
	Filter   laplacian.Filter
	// LambdaMax is λmax of L̃sym; 0 if it is unknown.
	LambdaMax float64
	// Unit is the power of two that divides X, because W and b start at the same scale: if X̃
	// were much smaller or larger than 1, one of the two would decide Z = X̃W + b. Default 1.
	// That of [Prepare] is [graph.FeatureUnit], or less with AllPairs if the mean row of X̃ would
	// be shorter than 1.
	Unit float64
	// Smoothed is X̃ = Hᵗ(X/Unit), n×f.
	Smoothed blas32.General

	engine  Engine          // made X̃; nil: this process
	remote  linalg.Source   // X̃ if the engine made it: Smoothed has no numbers then
	took    float64         // seconds that Prepare took
	scratch *mapped.Scratch // the file that holds Smoothed; nil if it is in memory
}

// leastBound is below the bound 2/λmax of k for every graph, because λmax is below 2 with self loops.
const leastBound = 1

// Prepare computes λmax, unless the graph is so large that the training is on a sample and k
// needs no check, resolves k if it is [laplacian.InverseLambdaMax], and smooths
// g's features divided by their unit. It uses the filter, Checkpoints, ScratchAbove and
// Progress, which receives warnings of features or edge weights of very different size.
// Close the result in the end: it may hold a scratch file.
//
// It returns an error for an invalid filter, for k above 2/λmax, for k = 1/λmax on a
// graph without edges, for features that are all 0, and when ctx is done.
func Prepare(ctx context.Context, g *graph.Graph, o Options) (*Input, error) {
	start := time.Now()
	o = o.WithDefaults()
	if n, cols := g.Features.Dims(); graph.LargestFeature(g.Features) == 0 {
		return nil, fmt.Errorf("all features are 0 (%d nodes, %d features): want at least one that is not", n, cols)
	}
	op := laplacian.New(g.Adjacency)
	lambda, large := 0., o.ForGraph(g).Sample < g.N() // large: the training is on a sample
	if !large || o.K == laplacian.InverseLambdaMax || o.K > leastBound {
		var err error
		if lambda, err = laplacian.LambdaMax(ctx, op); err != nil {
			return nil, err
		}
	}
	f, err := o.Filter.Resolve(lambda)
	if err != nil {
		return nil, err
	}
	for _, line := range graph.UnitWarnings(g) {
		o.Report(Event{Event: progress.Event{Line: line, Notable: true}})
	}
	input := &Input{Graph: g, Operator: op, Filter: f, LambdaMax: lambda, Unit: graph.FeatureUnit(g.Features), Smoothed: linalg.Narrow(g.Features.Dims())}
	x := &input.Smoothed
	if o.Engine != nil && large {
		input.engine = o.Engine
		input.remote, err = o.Engine.Smooth(ctx, f, input.Unit, x.Rows, x.Cols)
		input.took = time.Since(start).Seconds()
		return input, err
	}
	if x.Data, input.scratch, err = o.numbers("the smoothed features", x.Rows*x.Stride); err != nil {
		return nil, err
	}
	if err := f.SmoothTo(ctx, *x, op, g.Features, input.Unit); err != nil {
		input.Close()
		return nil, err
	}
	if o.BatchSize == AllPairs && !large {
		input.enlarge()
	}
	if large {
		debug.FreeOSMemory() // the filter's tiles: the collector alone would keep their pages for a while
	}
	input.took = time.Since(start).Seconds()
	return input, nil
}

// enlarge scales X̃ by the power of two that brings the mean length of its rows from below 1 to a
// length from 1 to 2, and divides the unit by that power. Rows that are not shorter stay. As W and
// b start at the same scale, b would otherwise vary more than X̃W, and the first embedding, by
// which pairs are selected after a few steps, would hardly depend on the features. Trainings of
// thousands of steps outgrow that.
func (input *Input) enlarge() {
	x, sum := input.Smoothed, 0.
	for i := range x.Rows {
		sum += math.Sqrt(linalg.SumOfSquares(x.Data[i*x.Stride:][:x.Cols]))
	}
	_, exponent := math.Frexp(sum / float64(x.Rows)) // the mean length is in [2^(exponent−1), 2^exponent)
	if exponent > 0 {
		return
	}
	factor := math.Ldexp(1, 1-exponent)
	simd.ShiftScale(x.Data, x.Data, 0, float32(factor))
	input.Unit /= factor
}

// Close frees the scratch file, if there is one. Smoothed is invalid afterward.
func (input *Input) Close() {
	if input.scratch != nil {
		input.scratch.Close()
		input.scratch, input.Smoothed.Data = nil, nil
	}
}

// rows returns the rows of X̃, in memory or from the engine.
func (input *Input) rows() linalg.Source {
	if input.remote != nil {
		return input.remote
	}
	return linalg.InMemory(input.Smoothed)
}

// model returns the input from which a backend makes models.
func (input *Input) model() *step.Input {
	return &step.Input{Smoothed: input.Smoothed, Features: input.Graph.Features, Unit: cmp.Or(input.Unit, 1), Operator: input.Operator, Filter: input.Filter}
}

// scratch returns the folder for scratch files: that of the checkpoints, or else the system's.
func (o Options) scratch() string {
	if o.Checkpoints != nil {
		return o.Checkpoints.Dir
	}
	return os.TempDir()
}

// numbers returns count zeros: in memory, with a nil file, or, above ScratchAbove or if too little
// memory is free, in a scratch file, which the caller must close. what names the numbers in the
// log.
func (o Options) numbers(what string, count int) ([]float32, *mapped.Scratch, error) {
	bytes := 4 * int64(count)
	if bytes <= cmp.Or(o.ScratchAbove, system.TotalMemory()/4) && system.CheckMemory(what, float64(bytes)) == nil {
		return make([]float32, count), nil, nil
	}
	dir := o.scratch()
	s, err := mapped.NewScratch(dir, count)
	if err != nil {
		return nil, nil, err
	}
	o.Linef("%s take %.0f MB, in a scratch file in %s", what, float64(bytes)/1e6, dir)
	return s.Numbers, s, nil
}
