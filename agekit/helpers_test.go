package agekit

import (
	"math"
	"sync"
	"testing"

	"github.com/agekit/age/agekit/graph"
)

// must returns value, or panics with the error.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

var cora = sync.OnceValue(func() *graph.Graph { return must(Load("cora")) })

// near fails the test if got is not within the tolerance of want; NaN is not.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %.5g, want %v ± %v", what, got, want, tolerance)
	}
}
