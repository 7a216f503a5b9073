package run

import (
	"fmt"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/testutil"
)

// TestNames: clusters are named by the features that were planted in them, all
// differently; columns that are only numbered name none.
func TestNames(t *testing.T) {
	const n, dims = 180, 8 // with 60, only the numbers would be no chance
	columns := []string{"island = Biscoe", "body_mass_g", "sex = male"}
	for j := range dims {
		columns = append(columns, fmt.Sprint("embedding ", j+1))
	}
	x := blas32.General{Rows: n, Cols: len(columns), Stride: len(columns), Data: make([]float32, n*len(columns))}
	clusters := make([]int, n)
	for i := range n {
		row := x.Data[i*x.Stride:][:x.Cols]
		clusters[i] = i % 4
		noise := float32(i%7)/10 - 0.3
		row[1] = noise + 0.01
		if clusters[i] == 0 {
			row[0] = 1
		}
		switch clusters[i] { // 2 and 3 weigh the same
		case 0:
			row[1] += 3
		case 1:
			row[1] -= 3
		}
		if i%9 == 0 {
			row[2] = 1
		}
		row[3+clusters[i]] = 50 + noise // stronger than all, but an embedding's
	}
	named := &graph.Graph{
		Adjacency: &graph.CSR{Rows: n, Cols: n, Indptr: make([]int, n+1)}, Features: graph.Features{Dense: &x}, FeatureNames: columns,
	}
	names := func(g *graph.Graph) (names []string) {
		e := testutil.Value(explainMatrix(t.Context(), g, x, clusters)).OrFatal(t)
		for _, c := range e.clusters {
			names = append(names, c.Name)
			for _, f := range c.Features {
				if (f.Lift == nil) != (f.Outside == 0 && f.Binary) {
					t.Errorf("feature %+v of cluster %d: want no lift if no other node has it, else one", f, c.Cluster)
				}
			}
		}
		return names
	}
	want := []string{"high body_mass_g, island = Biscoe", "low body_mass_g", "rarely island = Biscoe (2)", "rarely island = Biscoe (3)"}
	if got := names(named); !slices.Equal(got, want) {
		t.Errorf("names %q, want %q", got, want)
	}
	named.FeatureNames = nil
	if got := names(named); slices.ContainsFunc(got, func(name string) bool { return name != "" }) {
		t.Errorf("features without names name clusters %q", got)
	}
}
