package tsne

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/agekit/age/internal/linalg"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/spatial/r2"
)

// Version is the version of the maps. It grows when the same input gives another map, so
// that stored ones are not used.
const Version = 3

// Options are the options of [Map]. The zero value of each field is its default.
type Options struct {
	// Perplexity is the effective number of neighbors of a point, more than 1 and less
	// than n−1. 0 means 30, or (n−1)/2 if that is less.
	Perplexity float64
	// Iterations is the number of gradient steps. 0 means 750.
	Iterations int
	// Sample, if it is above 0 and below n, is the number of rows, drawn at random,
	// that are placed by gradient descent. Each other row goes near the mean of the
	// places of the three closest sampled rows, weighted by 1/distance²; noise keeps
	// the dots from covering each other. The time is then proportional to n·Sample
	// instead of n². 0 means all rows.
	Sample int
	// Start holds the places to begin at, n×2, such as those of an earlier map, which the
	// new one then resembles. There is no exaggeration then. Default: the first two
	// principal components.
	Start blas32.General
	// Progress, if set, is called every 25 iterations and after the last one with the
	// number of iterations done and the Kullback–Leibler divergence of the map from the
	// data in nats, without exaggeration.
	Progress func(iteration int, kl float64)
}

const (
	progressEvery = 25 // iterations between two calls of Progress
	// theta is the ratio of a cell's width to its distance from a point, up to which the cell counts as
	// one point. At 0.5 or less, a point is never in such a cell itself.
	theta     = 0.5
	principal = 50 // components that the input is reduced to before the neighbor search
	// earlyExaggeration multiplies the attraction in the first 250 iterations, or the first
	// third if that is less, which lets clusters form before they spread.
	earlyExaggeration = 12
	lowMomentum       = 0.5  // momentum while exaggerating
	highMomentum      = 0.8  // momentum afterward
	initialSpread     = 1e-4 // standard deviation of the first coordinate
	gainUp            = 0.2  // added to a gain while its coordinate keeps its direction
	gainDown          = 0.8  // multiplies the gain when the direction reverses
	smallestGain      = 0.01 // a gain does not fall below it
	fewestPoints      = 4    // rows of the smallest input that has a perplexity in its range
	neighborFactor    = 3    // neighbors kept per unit of perplexity

	// sampleNeighbors is the number of sampled rows that decide where another row goes.
	sampleNeighbors = 3
	// scatter is the standard deviation of the noise around that place, in units of
	// the median distance between neighboring sampled rows on the map.
	scatter = 0.5
)

// Map maps the rows of x (n×f) to points of the plane and returns their coordinates
// (n×2). It minimizes KL(P‖Q) = Σ pᵢⱼ log(pᵢⱼ/qᵢⱼ), where pᵢⱼ = (p(j|i)+p(i|j))/2n is a
// Gaussian kernel around each row, whose width gives its neighbors the requested
// perplexity, and qᵢⱼ ∝ 1/(1+‖yᵢ−yⱼ‖²). The same input, options and seed of rnd give the
// same bytes on any number of cores.
//
// It returns an error if x has fewer than four rows or a value that is not finite, if an
// option is out of range, or if ctx is done.
func Map(ctx context.Context, x blas32.General, opts Options, rnd *rand.Rand) (blas32.General, error) {
	opts, err := opts.withDefaults(x.Rows)
	if err == nil {
		x, err = centered(x)
	}
	if err != nil {
		return blas32.General{}, fmt.Errorf("tsne: %w", err)
	}
	if err := checkStart(opts.Start, x.Rows); err != nil {
		return blas32.General{}, fmt.Errorf("tsne: %w", err)
	}
	if x, err = principalComponents(ctx, x, principal, rnd); err != nil {
		return blas32.General{}, err
	}
	if opts.Sample == 0 || opts.Sample >= x.Rows {
		return place(ctx, x, opts, rnd)
	}
	sample := rnd.Perm(x.Rows)[:opts.Sample]
	slices.Sort(sample)
	sampled := rowsOf(x, sample)
	if opts.Start.Rows > 0 {
		opts.Start = rowsOf(opts.Start, sample)
	}
	y, err := place(ctx, sampled, opts, rnd)
	if err != nil {
		return blas32.General{}, err
	}
	return placeOthers(ctx, x, sampled, y, sample, rnd)
}

// checkStart returns an error if start has places to begin at that are not n places of two finite
// coordinates. No places are no error.
func checkStart(start blas32.General, n int) error {
	if start.Rows == 0 {
		return nil
	}
	if start.Rows != n || start.Cols != 2 {
		return fmt.Errorf("option Start is %d×%d: want %d×2", start.Rows, start.Cols, n)
	}
	for i := range n {
		for _, v := range row(start, i) {
			if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
				return fmt.Errorf("option Start has the place %v in row %d: want finite numbers", v, i)
			}
		}
	}
	return nil
}

// rowsOf returns a new matrix of the rows of x with the numbers in which.
func rowsOf(x blas32.General, which []int) blas32.General {
	some := newGeneral(len(which), x.Cols)
	for p, i := range which {
		copy(row(some, p), row(x, i))
	}
	return some
}

// place returns the places of the rows of x on the map, n×2, after gradient descent. The columns of x are
// its principal components. The descent begins at opts.Start or, without it, at the first two
// components, which give the map a meaningful global arrangement.
func place(ctx context.Context, x blas32.General, opts Options, rnd *rand.Rand) (blas32.General, error) {
	p, err := affinities(ctx, x, opts.Perplexity)
	if err != nil {
		return blas32.General{}, err
	}
	m := newLayout(p, theta, rnd)
	if opts.Start.Rows > 0 {
		for i := range m.points {
			start := row(opts.Start, i)
			m.points[i].Vec = r2.Vec{X: float64(start[0]), Y: float64(start[1])}
		}
	} else {
		m.start(x)
	}
	if err := m.descend(ctx, opts); err != nil {
		return blas32.General{}, err
	}
	y := newGeneral(x.Rows, 2)
	for i := range m.points {
		y.Data[2*i], y.Data[2*i+1] = float32(m.points[i].X), float32(m.points[i].Y)
	}
	return y, nil
}

// placeOthers returns the places of all rows of x, n×2. sampled has the sampled rows, places their places,
// and sample their numbers in x, in increasing order. Each other row is placed at the mean of the places
// of its nearest sampled rows, weighted by 1/distance². Noise of about the gap between sampled rows on the
// map keeps rows with the same neighbors from hiding each other.
func placeOthers(ctx context.Context, x, sampled, places blas32.General, sample []int, rnd *rand.Rand) (blas32.General, error) {
	near, err := linalg.NearestRows(ctx, places, 1)
	if err != nil {
		return blas32.General{}, err
	}
	gaps := make([]float64, len(near)) // distance of each sampled row to the nearest one on the map
	for i, n := range near {
		gaps[i] = math.Sqrt(n.Value)
	}
	slices.Sort(gaps)
	deviation := scatter * gaps[len(gaps)/2] // of the noise, from the median gap
	k := min(sampleNeighbors, sampled.Rows)
	if near, err = linalg.NearestAmong(ctx, x, sampled, k); err != nil {
		return blas32.General{}, err
	}
	y := newGeneral(x.Rows, 2)
	for i, p := 0, 0; i < x.Rows; i++ { // sample[p] is the next row that was sampled
		place := row(y, i)
		if p < len(sample) && sample[p] == i {
			copy(place, places.Data[2*p:][:2])
			p++
			continue
		}
		var sum, sumX, sumY float64
		for _, n := range near[i*k : (i+1)*k] {
			const closest = 1e-12 // squared distance, so that equal rows do not divide by 0
			w := 1 / max(n.Value, closest)
			sum += w
			sumX += w * float64(places.Data[2*n.Index])
			sumY += w * float64(places.Data[2*n.Index+1])
		}
		place[0] = float32(sumX/sum + deviation*rnd.NormFloat64())
		place[1] = float32(sumY/sum + deviation*rnd.NormFloat64())
	}
	return y, nil
}

// withDefaults returns the options with defaults filled in for n rows, and an error that names the first
// option out of range, if any, or says that there are too few rows.
func (o Options) withDefaults(n int) (Options, error) {
	if n < fewestPoints {
		return o, fmt.Errorf("%d points: want at least %d", n, fewestPoints)
	}
	if o.Sample != 0 {
		if o.Sample < fewestPoints {
			return o, fmt.Errorf("option Sample is %d: want at least %d", o.Sample, fewestPoints)
		}
		n = min(n, o.Sample) // the rows that have a perplexity
	}
	const usualPerplexity, usualIterations = 30, 750
	o.Perplexity = cmp.Or(o.Perplexity, min(usualPerplexity, float64(n-1)/2))
	if !(o.Perplexity > 1 && o.Perplexity < float64(n-1)) {
		return o, fmt.Errorf("option Perplexity is %v: want more than 1 and less than n−1 = %d", o.Perplexity, n-1)
	}
	o.Iterations = cmp.Or(o.Iterations, usualIterations)
	if o.Iterations < 0 {
		return o, fmt.Errorf("option Iterations is %d: want a positive number", o.Iterations)
	}
	return o, nil
}

// start sets the points' initial positions to the first two principal components, columns of components,
// scaled so that the first has the standard deviation initialSpread. Noise of a hundredth of that
// lets equal rows start apart, and collinear rows leave their line. If all rows are equal, the positions
// are noise alone.
func (m *layout) start(components blas32.General) {
	var squares float64 // of the first component, which has mean 0
	for i := range components.Rows {
		v := float64(components.Data[i*components.Stride])
		squares += v * v
	}
	scale, noise := 0., initialSpread
	if squares > 0 {
		scale = initialSpread / math.Sqrt(squares/float64(components.Rows))
		noise = initialSpread / 100
	}
	for i := range m.points {
		var place [2]float32 // the second number is 0 if there is one component
		copy(place[:], row(components, i))
		m.points[i].Vec = r2.Vec{
			X: scale*float64(place[0]) + noise*m.rnd.NormFloat64(),
			Y: scale*float64(place[1]) + noise*m.rnd.NormFloat64(),
		}
	}
}

// descend moves the points by gradient descent, with momentum and with a gain for each coordinate that
// grows while the coordinate keeps its direction. Velocities and gains are reset after the
// exaggeration, as in scikit-learn: adapted to the exaggerated gradient, they would throw the points
// far off. It returns an error if ctx is done or the points become infinite.
func (m *layout) descend(ctx context.Context, opts Options) error {
	n := len(m.points)
	velocity, gain := make([]r2.Vec, n), make([]r2.Vec, n)
	const smallestRate = 50
	rate := max(smallestRate, float64(n)/(4*earlyExaggeration)) // scikit-learn's learning rate
	exaggerated := min(250, opts.Iterations/3)                  // iterations with exaggeration
	if opts.Start.Rows > 0 {                                    // clusters have formed already
		exaggerated = 0
	}
	for iteration := 1; iteration <= opts.Iterations; iteration++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if iteration == 1 || iteration == exaggerated+1 {
			for i := range gain {
				velocity[i], gain[i] = r2.Vec{}, r2.Vec{X: 1, Y: 1}
			}
		}
		exaggeration, momentum := 1.0, highMomentum
		if iteration <= exaggerated {
			exaggeration, momentum = earlyExaggeration, lowMomentum
		}
		if err := m.gradient(exaggeration); err != nil {
			return fmt.Errorf("tsne: iteration %d: %w", iteration, err)
		}
		var mean r2.Vec
		for i, g := range m.grad {
			v, scale := &velocity[i], &gain[i]
			scale.X, scale.Y = nextGain(scale.X, g.X, v.X), nextGain(scale.Y, g.Y, v.Y)
			v.X = momentum*v.X - rate*scale.X*g.X
			v.Y = momentum*v.Y - rate*scale.Y*g.Y
			m.points[i].Vec = r2.Add(m.points[i].Vec, *v)
			mean = r2.Add(mean, m.points[i].Vec)
		}
		mean = r2.Scale(1/float64(n), mean) // keep the map around the origin
		for i := range m.points {
			m.points[i].Vec = r2.Sub(m.points[i].Vec, mean)
		}
		if opts.Progress != nil && (iteration%progressEvery == 0 || iteration == opts.Iterations) {
			kl, err := m.divergence()
			if err != nil {
				return fmt.Errorf("tsne: iteration %d: %w", iteration, err)
			}
			opts.Progress(iteration, kl)
		}
	}
	return nil
}

// nextGain returns the next gain of a coordinate, from its gain, gradient and velocity so far. The gain
// grows if the coordinate keeps its direction, which is against the gradient, and shrinks otherwise.
func nextGain(gain, grad, velocity float64) float64 {
	if grad*velocity < 0 {
		return gain + gainUp
	}
	return max(smallestGain, gain*gainDown)
}
