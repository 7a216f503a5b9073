package engine

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/testutil"
)

// TestExamples: the table of large graphs in docs/scale.md has the rows that Job.Stages gives, for the
// machines in the table, 64 features, 14 neighbors a node and cores of 4·10¹⁰ units of cost a second.
func TestExamples(t *testing.T) {
	text := testutil.Value(os.ReadFile("../../docs/scale.md")).OrFatal(t)
	const rate, features = 4e10, 64
	for _, e := range []struct {
		name           string
		nodes          int
		workers, cores int // machines, and the cores of each
		driverCores    int // of the machine that starts the run
	}{
		{name: "10⁷", nodes: 1e7, workers: 2, cores: 1, driverCores: 2},
		{name: "10⁸", nodes: 1e8, workers: 4, cores: 4, driverCores: 16},
		{name: "10⁹", nodes: 1e9, workers: 4, cores: 16, driverCores: 64},
	} {
		o := encoder.Options{Config: encoder.Config{Clusters: 10, Epochs: 400, Dims: 128}}.WithDefaults()
		c := o.For(e.nodes, features)
		tasks := e.workers * e.cores
		job := Job{
			Nodes: e.nodes, Edges: 7 * e.nodes, Features: features, Layers: 8, Members: c.Members, Dims: c.Dims, Clusters: c.Clusters,
			Training: c.Training(c.Sample, features), Workers: tasks, Memory: laplacian.NarrowTile(e.nodes),
		}
		n := float64(e.nodes)
		disk := n*(16+4*features) + 8*float64(job.Edges) // the graph's folder
		driverMemory := n * float64(48+8*c.Clusters)
		coreSeconds, seconds := 0., 0.
		for i, part := range job.Stages() {
			coreSeconds += part.Work.Seconds(rate, 1)
			disk += part.Written
			atOnce := tasks
			if i == 0 { // smoothing, for which a worker has all of its cores
				part.Work = part.Work.Times(1 / float64(e.cores))
				atOnce = e.workers
			}
			seconds += part.Seconds(atOnce, e.driverCores, rate)
		}
		row := fmt.Sprintf("| %s | %d × %d | %s | %s | %s | %.1f | %.1f |", e.name, e.workers, e.cores,
			size(disk), size(float64(job.Memory)), size(driverMemory), coreSeconds/3600, seconds/3600)
		if !strings.Contains(string(text), row) {
			t.Errorf("docs/scale.md: want %s", row)
		}
	}
}

// size returns a number of bytes in GB or TB, with two digits or more.
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
