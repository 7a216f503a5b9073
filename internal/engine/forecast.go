package engine

import (
	"math"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/internal/cost"
	"github.com/agekit/age/internal/linalg"
)

// Job is what decides about the time and the memory of a run.
type Job struct {
	Nodes, Edges, Features, Layers int           // Layers of the filter
	Members, Dims, Clusters        int           // Dims of one member
	Training                       cost.Estimate // of all members
	Workers                        int
	Memory                         int64 // of a worker in bytes, as in Engine
}

// Forecast is what a part of a run takes.
type Forecast struct {
	Name  string
	Tasks int // 0: this process does it
	Work  cost.Estimate
	// Memory is what a worker holds, and Written what all write, in bytes.
	Memory, Written float64
}

// Stages returns the forecasts of the parts of a run in their order: of the stages, which tasks do, and
// between them of what this process does.
func (j Job) Stages() []Forecast {
	n, f := float64(j.Nodes), float64(j.Features)
	tile := taskColumns(j.Nodes, j.Features, j.Workers, j.Memory)
	blocks := (j.Features + tile - 1) / tile
	fetches := float64(j.Layers) * float64(2*j.Edges+j.Nodes) * float64(blocks)
	var smooth cost.Estimate
	smooth.Add(cost.Fetch, fetches)
	smooth.Add(cost.FetchColumn, fetches*float64(tile))
	smooth.Add(cost.FetchDoubling, fetches*max(0, math.Log2(4*n*float64(tile)/cost.CacheBytes)))
	smooth.Add(cost.FeatureNumber, n*f)
	all := []Forecast{
		{Name: "smooth", Tasks: blocks, Work: smooth, Memory: 8 * n * float64(tile), Written: 4 * n * f},
		{Name: "training", Work: j.Training},
	}
	d := float64(j.Dims * j.Members)
	rows := cost.Embedding(n, f, d)
	columns := float64(linalg.WholePanels(j.Clusters))
	_, tasks := linalg.PassRanges(j.Nodes)
	// pass adds a pass over the rows to all. It takes the work more beside the computation of the rows,
	// and memory bytes of a worker beside the weights. All workers together write written bytes.
	pass := func(kind linalg.PassKind, more cost.Estimate, memory, written float64) {
		all = append(all, Forecast{Name: string(kind), Tasks: tasks, Work: rows.Plus(more), Memory: 4*d*f + memory, Written: written})
	}
	sums := func(groups float64) {
		pass(linalg.Sums, cost.Estimate{}, 8*groups*d, 8*groups*d*float64(tasks))
	}
	gram := func() {
		added := cost.Of(cost.GramAdded, float64(tasks)*d*d)
		pass(linalg.PassGram, cost.GramMatrix(n, d).Plus(added), 8*d*d, 8*d*d*float64(tasks))
	}
	product := func() {
		pass(linalg.Product, cost.Of(cost.Product, n*d*columns), 8*d*columns, 8*n*columns)
	}
	k := float64(j.Clusters)
	// Spectral clustering
	sums(1)
	pass(linalg.Degrees, cost.Of(cost.Degree, n*d), 0, 8*n)
	gram()
	product()
	all = append(all, Forecast{Name: "k-means", Work: cost.KMeans(n, cluster.SampledRows, k), Memory: 8 * n * (k + 6)})
	// Davies–Bouldin index
	sums(k)
	sums(1)
	gram()
	pass(linalg.Lengths, cost.Lengths(n, d), 8*d*d, 8*n)
	// Centers, and the explanation, by rows of length 1
	rows.Add(cost.UnitEntry, n*d)
	sums(k)
	sums(k)
	product()
	judged := cost.Embedding(n, f, d).Plus(cost.Of(cost.JudgedEdge, float64(j.Edges)))
	all = append(all, Forecast{Name: "files", Work: judged, Written: 4 * n * d})
	for i, part := range all {
		if part.Tasks > 0 {
			all[i].Work.Add(cost.Task, float64(part.Tasks))
		}
	}
	return all
}

// Seconds returns the time of a part in seconds: with a number of workers if it has tasks, and otherwise
// on the cores of this process. rate is that of a core ([cost.Rate]). A task takes one core, although
// those of smoothing use more.
func (f Forecast) Seconds(workers, cores int, rate float64) float64 {
	if f.Tasks == 0 {
		return f.Work.Seconds(rate, cores)
	}
	rounds := math.Ceil(float64(f.Tasks) / float64(workers)) // tasks that a worker does one after the other
	return f.Work.Times(rounds/float64(f.Tasks)).Seconds(rate, 1)
}
