package engine

import (
	"math"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/internal/cost"
	"github.com/agekit/age/internal/linalg"
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
	// Work is in multiply-adds of one core ([cost.Rate]).
	Work float64
	// Memory is what a worker holds, and Written what all write, in bytes.
	Memory, Written float64
}

// Stages returns the parts of a run in their order.
func (j Job) Stages() []Forecast {
	n, f := float64(j.Nodes), float64(j.Features)
	tile := width(j.Nodes, j.Features, j.Workers, j.Memory)
	blocks := (j.Features + tile - 1) / tile
	fetches := float64(j.Layers) * float64(2*j.Edges+j.Nodes) * float64(blocks)
	far := max(0, math.Log2(4*n*float64(tile)/cost.CacheBytes))
	all := []Forecast{
		{"smooth", blocks, fetches*(cost.Fetch+float64(tile)*cost.FetchColumn+far*cost.FetchDoubling) + cost.Number*n*f, 8 * n * float64(tile), 4 * n * f},
		{"training", 0, j.Training, 0, 0},
	}
	d := float64(j.Dims * j.Members)
	embed, unit := n*d*(f*cost.TaskEmbedding+cost.TaskEntry), 0.
	columns := float64(linalg.WholePanels(j.Clusters))
	_, tasks := linalg.PassRanges(j.Nodes)
	pass := func(kind linalg.PassKind, more, memory, written float64) {
		all = append(all, Forecast{string(kind), tasks, embed + unit + more, 4*d*f + memory, written})
	}
	sums := func(groups float64) { pass(linalg.Sums, 0, 8*groups*d, 8*groups*d*float64(tasks)) }
	gram := func() {
		pass(linalg.PassGram, cost.GramOf(n, d)+float64(tasks)*d*d*cost.AddedNumber, 8*d*d, 8*d*d*float64(tasks))
	}
	product := func() { pass(linalg.Product, n*d*columns*cost.Product, 8*d*columns, 8*n*columns) }
	k := float64(j.Clusters)
	// Spectral clustering
	sums(1)
	pass(linalg.Degrees, n*d*cost.Degree, 0, 8*n)
	gram()
	product()
	// Of more nodes, ten runs see a sample, and one run sees all.
	sampled := min(n, cluster.SampledRows)
	all = append(all, Forecast{"k-means", 0, (sampled + (n-sampled)/10) * k * cost.SampleDistance, 8 * n * (k + 6), 0})
	// Davies–Bouldin index
	sums(k)
	sums(1)
	gram()
	pass(linalg.Lengths, n*d*(d/2*cost.Lengths+cost.CopiedEntry), 8*d*d, 8*n)
	// Centers, and the explanation, by rows of length 1
	unit = n * d * cost.UnitEntry
	sums(k)
	sums(k)
	product()
	all = append(all, Forecast{"files", 0, embed + float64(j.Edges)*cost.JudgedEdge, 0, 4 * n * d})
	for i, part := range all {
		if part.Tasks > 0 {
			all[i].Work += float64(part.Tasks) * cost.Task
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
