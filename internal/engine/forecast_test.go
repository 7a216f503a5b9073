package engine

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
)

// TestExamples: the table of large graphs in docs/scale.md is what the costs give.
func TestExamples(t *testing.T) {
	text := testutil.Value(os.ReadFile("../../docs/scale.md")).OrFatal(t)
	const rate, features = 4e10, 64
	for _, e := range []struct {
		name                       string
		nodes, workers, cores, own int
	}{{"10⁷", 1e7, 2, 1, 2}, {"10⁸", 1e8, 4, 4, 16}, {"10⁹", 1e9, 4, 16, 64}} {
		o := encoder.Options{Config: encoder.Config{Clusters: 10, Epochs: 400, Dims: 128}}.WithDefaults()
		c := o.For(e.nodes, features)
		tasks := e.workers * e.cores
		job := Job{
			Nodes: e.nodes, Edges: 7 * e.nodes, Features: features, Layers: 8, Members: c.Members, Dims: c.Dims, Clusters: c.Clusters,
			Training: c.TrainingCost(c.Sample, features), Workers: tasks, Memory: laplacian.NarrowTile(e.nodes),
		}
		n := float64(e.nodes)
		work, seconds, disk := 0., 0., n*(16+4*features)+8*float64(job.Edges) // of the graph's folder
		for i, part := range job.Stages() {
			work, disk = work+part.Work, disk+part.Written
			at := tasks
			if i == 0 { // smoothing, for which a worker has all of its cores
				part.Work, at = part.Work/float64(e.cores), e.workers
			}
			seconds += part.Seconds(at, e.own, rate)
		}
		row := fmt.Sprintf("| %s | %d × %d | %s | %s | %s | %.1f | %.1f |", e.name, e.workers, e.cores, size(disk), size(float64(job.Memory)), size(n*float64(48+8*c.Clusters)), work/rate/3600, seconds/3600)
		if !strings.Contains(string(text), row) {
			t.Errorf("docs/scale.md: want %s", row)
		}
	}
}

func size(bytes float64) string {
	v, unit := bytes/1e9, "GB"
	if v >= 1000 {
		v, unit = v/1000, "TB"
	}
	if v >= 10 {
		return fmt.Sprintf("%.0f %s", v, unit)
	}
	return fmt.Sprintf("%.1f %s", v, unit)
}

// BenchmarkCosts measures the costs of the passes of tasks, of which each core makes one at a
// time, next to the constants. The machine should do nothing else. A constant that is far off
// on several machines is fitted anew by the stages that docs/scale.md compares.
func BenchmarkCosts(b *testing.B) {
	const count, d, clusters = 4096, 500, 7
	cores, rate := runtime.GOMAXPROCS(0), linalg.Rate()
	z, rnd := linalg.New(count, d), rand.New(rand.NewPCG(1, 0))
	for i := range z.Data {
		z.Data[i] = rnd.Float32()
	}
	row, factor := linalg.NewMatrix[float64](1, d), linalg.NewMatrix[float64](d, d)
	columns := linalg.WholePanels(clusters)
	for _, pass := range []struct {
		name                      string
		constant, perEntry, other float64 // other: what else an entry costs
		pass                      linalg.Pass
		width                     int
	}{
		{"Lengths", lengthsCost, d / 2, linalg.CopiedEntry, linalg.Pass{Kind: linalg.Lengths, Of: make([]float64, count), Matrix: row, Factor: factor}, 1},
		{"Degree", degreeCost, 1, 0, linalg.Pass{Kind: linalg.Degrees, Matrix: row}, 1},
		{"Product", productCost, float64(columns), 0, linalg.Pass{Kind: linalg.Product, Matrix: linalg.NewMatrix[float64](d, columns)}, columns},
	} {
		part := pass.pass.Prepare()
		sums := make([]linalg.Matrix[float64], cores)
		for core := range sums {
			sums[core] = linalg.NewMatrix[float64](count, pass.width)
		}
		b.Run(pass.name, func(b *testing.B) {
			for b.Loop() {
				linalg.Parallel(cores, 1, func(core, _ int) { part(linalg.InMemory(z), sums[core], 0, count) })
			}
			perEntry := b.Elapsed().Seconds() / float64(b.N) * rate / (count * d)
			b.ReportMetric((perEntry-pass.other)/pass.perEntry, "measured")
			b.ReportMetric(pass.constant, "constant")
		})
	}
}
