package cluster

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
	"pgregory.net/rapid"
)

// near reports whether got is want up to the tolerance, which is relative if want is above 1.
func near(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*max(1, math.Abs(want))
}

// plainIndex returns the Davies–Bouldin index of the rows of x in float64.
func plainIndex(t rapid.TB, x linalg.Matrix[float64], labels []int) float64 {
	index, err := daviesBouldin(context.Background(), x, labels, false)
	if err != nil {
		t.Fatal(err)
	}
	return index
}

// TestDaviesBouldinAgainstScikitLearn compares the index of 24 labeled sets of rows with the values of
// scikit-learn's davies_bouldin_score (testdata/daviesbouldin.json): to 1e-9 for rows in float64, and
// to 1e-6 for DaviesBouldin, whose rows are float32.
func TestDaviesBouldinAgainstScikitLearn(t *testing.T) {
	var golden struct {
		Cases []struct {
			X    [][]float64 // rows
			Pred []int       // labels
			DBI  float64     // index
		}
	}
	data := testutil.Value(os.ReadFile("testdata/daviesbouldin.json")).OrFatal(t)
	testutil.NoError(t, json.Unmarshal(data, &golden))
	if len(golden.Cases) != 24 {
		t.Fatalf("%d cases, want 24", len(golden.Cases))
	}
	for i, c := range golden.Cases {
		x := linalg.NewMatrix[float64](len(c.X), len(c.X[0]))
		single := blas32.General{Rows: x.Rows, Cols: x.Cols, Stride: x.Cols, Data: make([]float32, len(x.Data))}
		for r, row := range c.X {
			copy(x.Row(r), row)
		}
		for p, v := range x.Data {
			single.Data[p] = float32(v)
		}
		if got := plainIndex(t, x, c.Pred); !near(got, c.DBI, 1e-9) {
			t.Errorf("case %d: index %.12g, want %.12g", i, got, c.DBI)
		}
		got, err := DaviesBouldin(t.Context(), single, c.Pred)
		if err != nil || !near(got, c.DBI, 1e-6) {
			t.Errorf("case %d in float32: index %.12g (%v), want %.12g", i, got, err, c.DBI)
		}
	}
}

// TestDaviesBouldinGramByDefinition compares the index of ZZᵀ, which does not form that matrix, with the
// plain index of the rows of ZZᵀ, to 1e-11. The shapes have more rows than columns and fewer, because
// the two are computed in different ways.
func TestDaviesBouldinGramByDefinition(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 9))
	for _, shape := range [][2]int{{4, 3}, {60, 7}, {60, 59}, {150, 70}, {7, 60}, {50, 90}, {300, 33}} {
		n, d := shape[0], shape[1]
		z, labels := randomMatrix[float64](rnd, n, d, d+2), make([]int, n)
		for i := range labels {
			labels[i] = i % 3 * 10 // any integers will do
		}
		square := linalg.NewMatrix[float64](n, n)
		for i := range n {
			for j := range n {
				for c, v := range z.Row(i) {
					square.Row(i)[j] += v * z.Row(j)[c]
				}
			}
		}
		want := plainIndex(t, square, labels)
		got, err := daviesBouldin(t.Context(), z, labels, true)
		if err != nil || !near(got, want, 1e-11) {
			t.Errorf("%d×%d: index %.14g (%v), want %.14g", n, d, got, err, want)
		}
	}
}

// TestDaviesBouldinInvariance checks a property on random rows: the index stays the same when the clusters
// are renamed, and all rows are shifted, scaled and put in the reverse order.
func TestDaviesBouldinInvariance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := points(t)
		n := x.Rows
		labels := rapid.SliceOfN(rapid.IntRange(0, 4), n, n).Draw(t, "labels")
		if _, counts := number(labels); len(counts) < 2 || len(counts) >= n {
			t.Skip("too few or too many clusters")
		}
		shift := rapid.Float64Range(-5, 5).Draw(t, "shift")
		unit := rapid.Float64Range(0.1, 10).Draw(t, "unit")
		original, moved := linalg.NewMatrix[float64](n, x.Cols), linalg.NewMatrix[float64](n, x.Cols)
		renamed := make([]int, n)
		for i := range n {
			for j, v := range linalg.From32(x).Row(i) {
				original.Row(i)[j] = float64(v)
				moved.Row(n - 1 - i)[j] = unit * (float64(v) + shift)
			}
			renamed[n-1-i] = 100 - 7*labels[i]
		}
		want, got := plainIndex(t, original, labels), plainIndex(t, moved, renamed)
		// Where two means nearly coincide, the index is huge, or omits the pair if they coincide in all
		// digits: rounding decides, and the indices cannot be compared.
		const huge = 1e6
		if want < huge && got < huge && !near(got, want, 1e-6) {
			t.Fatalf("index %v, want %v", got, want)
		}
	})
}

// TestDaviesBouldinClosedForm compares with the index computed by hand: two pairs of points at ±1 around 0
// and h = 8 have σ = 1 each, so that the index is 2/h. Clusters without spread have the index 0.
func TestDaviesBouldinClosedForm(t *testing.T) {
	x := linalg.Matrix[float64]{Rows: 4, Cols: 1, Data: []float64{-1, 1, 7, 9}, Stride: 1}
	if got := plainIndex(t, x, []int{0, 0, 1, 1}); got != 0.25 {
		t.Errorf("index %v, want 0.25", got)
	}
	x.Data = []float64{3, 3, 8, 8}
	if got := plainIndex(t, x, []int{0, 0, 1, 1}); got != 0 {
		t.Errorf("index without spread %v, want 0", got)
	}
}

// TestDaviesBouldinInFloat32 compares the index by DaviesBouldinRows, from float32 products, with that from
// float64 products, to a relative 1e-6: for rows whose differences are small compared with their
// lengths, for widths that fill no tile, and for rows in a subspace.
func TestDaviesBouldinInFloat32(t *testing.T) {
	for _, c := range []struct {
		d, rank int     // number of columns, and dimension of the subspace that contains the rows
		spread  float64 // of the rows around their common mean
	}{
		{d: 150, rank: 150, spread: 0.3},
		{d: 130, rank: 130, spread: 0.01},
		{d: 70, rank: 40, spread: 0.3},
		{d: 20, rank: 1, spread: 0.1},
	} {
		const n, k = 3000, 5
		rnd := rand.New(rand.NewPCG(uint64(c.d), 1))
		directions := randomMatrix[float64](rnd, c.rank, c.d, c.d)
		z, labels := linalg.NewMatrix[float32](n, c.d), make([]int, n)
		for i := range n {
			labels[i] = i % k
			for r := range c.rank {
				// All rows share a large mean, as embeddings do.
				weight := 1 + c.spread*(math.Sin(float64(labels[i]*(r+1)))+0.5*rnd.NormFloat64())
				for j, v := range directions.Row(r) {
					z.Row(i)[j] += float32(weight * v)
				}
			}
		}
		want := testutil.Value(daviesBouldin(t.Context(), z, labels, true)).OrFatal(t)
		rows := linalg.LocalRows(linalg.InMemory{Rows: n, Cols: c.d, Stride: z.Stride, Data: z.Data})
		got := testutil.Value(DaviesBouldinRows(t.Context(), rows, labels)).OrFatal(t)
		t.Logf("%+v: %.10g, in float64 %.10g: %.1e relative", c, got, want, got/want-1)
		if math.Abs(got/want-1) > 1e-6 {
			t.Errorf("%+v: index %v, in float64 %v", c, got, want)
		}
	}
}
