package experiment

import (
	"runtime/metrics"

	"github.com/agekit/age/agekit/graph"
)

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
