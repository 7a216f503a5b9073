package agekit

import (
	"math"
	"sync"
	"testing"

	"github.com/agekit/age/agekit/graph"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

var cora = sync.OnceValue(func() *graph.Graph { return must(Load("cora")) })

// near reports a value that is not within the tolerance.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %.5g, want %v ± %v", what, got, want, tolerance)
	}
}
