package laplacian

import (
	"context"
	"math/rand/v2"

	"github.com/agekit/age/internal/linalg"
)

type Density = density

// EstimateDensity has the number of probes and steps of [Distribution].
func EstimateDensity(ctx context.Context, op linalg.Operator, rnd *rand.Rand) (*Density, error) {
	return estimateDensity(ctx, op, probes, steps, rnd)
}

// EstimateDensityIn has any number of probes and steps.
var EstimateDensityIn = estimateDensity
