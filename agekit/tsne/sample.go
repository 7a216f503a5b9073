package tsne

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas/blas32"
)

const (
	// sampleNeighbors is the number of sampled rows that decide where another row goes.
	sampleNeighbors = 3
	// scatter is the standard deviation of the noise around that place, in units of
	// the median distance between neighboring sampled rows on the map.
	scatter = 0.5
)

// placeOthers returns the places of all rows of x, given the places of a sample of
// them. The sample is in increasing order.
func placeOthers(ctx context.Context, x, sampled, places blas32.General, sample []int, rnd *rand.Rand) (blas32.General, error) {
	near, err := nearest(ctx, places, places, 1)
	if err != nil {
		return blas32.General{}, err
	}
	gaps := make([]float64, len(near))
	for i, n := range near {
		gaps[i] = math.Sqrt(n.value)
	}
	slices.Sort(gaps)
	spread := scatter * gaps[len(gaps)/2]
	k := min(sampleNeighbors, sampled.Rows)
	if near, err = nearest(ctx, x, sampled, k); err != nil {
		return blas32.General{}, err
	}
	y := newGeneral(x.Rows, 2)
	for i, p := 0, 0; i < x.Rows; i++ {
		to := row(y, i)
		if p < len(sample) && sample[p] == i {
			copy(to, places.Data[2*p:][:2])
			p++
			continue
		}
		var sum, sumX, sumY float64
		for _, n := range near[i*k : (i+1)*k] {
			w := 1 / max(n.value, 1e-12)
			sum += w
			sumX += w * float64(places.Data[2*n.index])
			sumY += w * float64(places.Data[2*n.index+1])
		}
		to[0], to[1] = float32(sumX/sum+spread*rnd.NormFloat64()), float32(sumY/sum+spread*rnd.NormFloat64())
	}
	return y, nil
}
