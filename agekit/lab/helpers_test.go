package lab

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/agekit/age/agekit"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
)

// storedResults are the project's results, seen from this package's folder.
var storedResults = filepath.Join("..", resultsFile)

func TestMain(m *testing.M) {
	os.Setenv("AGEKIT_RESULTS", storedResults)
	testutil.NotebookMain(m)
}

// must returns value, or panics with the error.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

var cora = sync.OnceValue(func() *graph.Graph { return must(agekit.Load("cora")) })

// small is a graph on which trainings take a moment.
const small = "planted:n=250,f=80,classes=3,degree=6,words=10,topic=0.5"

// fromEdges returns a graph with the given labels, nil for none, and one feature, which is 0.
func fromEdges(t *testing.T, n int, labels []int, edges ...[2]int32) *graph.Graph {
	t.Helper()
	var u, v []int32
	for _, e := range edges {
		u, v = append(u, e[0]), append(v, e[1])
	}
	g := &graph.Graph{
		Name:      "test",
		Adjacency: testutil.Value(graph.Adjacency(n, u, v, nil)).OrFatal(t),
		Features:  graph.Features{Dense: &blas32.General{Rows: n, Cols: 1, Stride: 1, Data: make([]float32, n)}},
		Labels:    labels,
	}
	if labels != nil {
		g.Classes = slices.Max(labels) + 1
	}
	return g
}

// near fails the test if got is not within the tolerance of want; NaN is not.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %.5g, want %v ± %v", what, got, want, tolerance)
	}
}
