package experiment

import (
	"context"
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/agekit/age/agekit/graph"
	"golang.org/x/sync/semaphore"
)

// memory is what runs side by side share. A run that needs more than there is
// runs alone.
type memory struct {
	free *semaphore.Weighted
	size int64
}

// newMemory returns three quarters of the memory that is free now. Where that
// is not known (only Linux tells it in a file) there is no limit.
func newMemory() *memory {
	size := int64(math.MaxInt64)
	info, _ := os.ReadFile("/proc/meminfo")
	for line := range strings.Lines(string(info)) {
		var kilobytes int64
		if n, _ := fmt.Sscanf(line, "MemAvailable: %d kB", &kilobytes); n == 1 {
			size = kilobytes * 1024 / 4 * 3
			break
		}
	}
	return &memory{semaphore.NewWeighted(size), size}
}

// take waits until so many bytes are free, and returns the function that
// gives them back.
func (m *memory) take(ctx context.Context, bytes int64) (free func(), err error) {
	bytes = min(bytes, m.size)
	if err := m.free.Acquire(ctx, bytes); err != nil {
		return nil, err
	}
	return func() { m.free.Release(bytes) }, nil
}

// need estimates the bytes that a run on g takes, on the high side: some dense
// copies of the features and of embeddings, and what the garbage collector
// lets pile up. (Trainings measured: Cora 0.2 GB, Citeseer 0.5, Wiki 0.7; here
// they are 0.3, 0.7 and 0.7.)
func need(g *graph.Graph) int64 {
	_, f := g.Features.Dims()
	return 100<<20 + int64(g.N())*(48*int64(f)+16<<10)
}
