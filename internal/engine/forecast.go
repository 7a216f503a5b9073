package engine

import (
	"math"

	"github.com/agekit/age/internal/dense"
	"github.com/agekit/age/internal/passes"
	"github.com/agekit/age/internal/simd"
)

// Job is what decides about the time and the memory of a run.
type Job struct {
	Nodes, Edges, Features, Layers int
	Members, Dims, Clusters        int // Dims of one member
	// Training is what training costs, in multiply-adds of a dense product.
	Training float64
	Workers  int
	Memory   int64 // of a worker, as in Engine
}

// Forecast is what a part of a run takes.
type Forecast struct {
	Name  string
	Tasks int // 0: this process does it
	// Work is in multiply-adds of a dense float32 product.
	Work float64
	// Memory is what a worker holds, and Written what all write, in bytes.
	Memory, Written float64
}

// The costs of operations, in multiply-adds of a dense float32 product of one core. They are
// estimates from a few runs, not fitted to stages of several sizes.
const (
	nearLine  = 150  // of an entry of H with 16 columns, while the columns fit into a cache
	farLine   = 2600 // of one whose row comes from memory
	cached    = 16e6 // bytes of columns that fit into a cache
	embedOne  = 1.5  // of a multiply-add of an embedding
	entryCost = 40   // of an entry of the embedding in any pass: it is scaled and looked at
	gramOne   = 1.2  // of a multiply-add of a Gram matrix or of lengths
	wideOne   = 4    // of one in float64
	meansOne  = 3400 // of a distance of k-means, with its runs and iterations
	taskCost  = 1.5e9
)

// Stages returns the parts of a run in their order.
func (j Job) Stages() []Forecast {
	n, f := float64(j.Nodes), float64(j.Features)
	width := Width(j.Nodes, j.Features, j.Workers, j.Memory)
	lines := float64(j.Layers) * float64(2*j.Edges+j.Nodes) * math.Ceil(f/simd.NarrowWidth)
	missed := max(0, 1-cached/(4*n*float64(width)))
	all := []Forecast{
		{"smooth", (j.Features + width - 1) / width, lines * (nearLine + missed*farLine), 8 * n * float64(width), 4 * n * f},
		{"training", 0, j.Training, 0, 0},
	}
	d := float64(j.Dims * j.Members)
	embed := n * d * (f*embedOne + entryCost)
	columns := float64(dense.WholePanels(j.Clusters))
	_, tasks := passes.Ranges(j.Nodes)
	pass := func(kind passes.Kind, more, memory, written float64) {
		all = append(all, Forecast{string(kind), tasks, embed + more, 4*d*f + memory, written})
	}
	sums := func(groups float64) { pass(passes.Sums, n*d, 8*groups*d, 8*groups*d*float64(tasks)) }
	gram := func() { pass(passes.Gram, n*d*d/2*gramOne, 8*d*d, 8*d*d*float64(tasks)) }
	product := func() { pass(passes.Product, n*d*columns*wideOne, 8*d*columns, 8*n*columns) }
	k := float64(j.Clusters)
	// Spectral clustering
	sums(1)
	pass(passes.Degrees, n*d*wideOne, 0, 8*n)
	gram()
	product()
	all = append(all, Forecast{"k-means", 0, n * k * k * meansOne, 8 * n * (2*columns + 8), 0})
	// Davies–Bouldin index
	sums(k)
	sums(1)
	gram()
	pass(passes.Lengths, n*d*d/2*gramOne, 8*d*d, 8*n)
	product()
	// Centers, and the explanation
	sums(k)
	sums(k)
	product()
	all = append(all, Forecast{"files", 0, embed, 0, 4 * n * d})
	for i, part := range all {
		if part.Tasks > 0 {
			all[i].Work += float64(part.Tasks) * taskCost
		}
	}
	return all
}

// Seconds returns the time of a part with some workers, if a core does so many
// multiply-adds a second. A task takes one core: of the stages, only smoothing uses more.
func (f Forecast) Seconds(workers, cores int, rate float64) float64 {
	if f.Tasks == 0 {
		return f.Work / rate / float64(cores)
	}
	rounds := math.Ceil(float64(f.Tasks) / float64(workers))
	return f.Work / float64(f.Tasks) * rounds / rate
}
