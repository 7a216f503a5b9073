package experiment

import (
	"context"
	"runtime/metrics"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/limit"
	"golang.org/x/sync/semaphore"
)

// memory is the budget that concurrent runs share. A run that needs more than
// all of it runs alone.
type memory struct {
	free *semaphore.Weighted
	size int64
}

// newMemory returns three quarters of the memory that is free now.
func newMemory() (*memory, error) {
	free, err := limit.Free()
	size := max(1, free/4*3)
	return &memory{semaphore.NewWeighted(size), size}, err
}

// take waits until that many bytes are free and returns the function that
// gives them back.
func (m *memory) take(ctx context.Context, bytes int64) (free func(), err error) {
	bytes = min(bytes, m.size)
	if err := m.free.Acquire(ctx, bytes); err != nil {
		return nil, err
	}
	return func() { m.free.Release(bytes) }, nil
}

// need estimates, on the high side, the bytes that a run on g takes: several
// dense copies of the features and of embeddings, and the garbage that
// accumulates between collections. (Measured trainings: Cora 0.2 GB, Citeseer
// 0.5, Wiki 0.7; the estimates are 0.3, 0.7 and 0.7.)
func need(g *graph.Graph) int64 {
	_, f := g.Features.Dims()
	return 100<<20 + int64(g.N())*(48*int64(f)+16<<10)
}

// objectBytes returns the memory that Go objects take.
func objectBytes() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
