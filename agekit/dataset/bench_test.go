package dataset_test

import (
	"testing"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/testutil"
)

// BenchmarkLoad loads each graph of testutil.BenchGraphs by its name.
func BenchmarkLoad(b *testing.B) {
	testutil.BenchGraphs(b, func(b *testing.B, g *graph.Graph) func() error {
		return func() error {
			_, err := dataset.Load(b.Context(), g.Name, dataset.Options{Offline: true})
			return err
		}
	})
}

// BenchmarkPlanted generates graphs of three sizes with 7 edges (a mean degree of 14) and 18 words
// (the default) per node.
func BenchmarkPlanted(b *testing.B) {
	nodes := [3]int{10_000, 100_000, 1_000_000}
	testutil.BenchSizes(b, nodes, func(b *testing.B, n int) func() error {
		return func() error {
			_, err := dataset.Planted(b.Context(), dataset.PlantedConfig{Nodes: n, Classes: 10, MeanDegree: 14, Features: 128})
			return err
		}
	})
}
