package formats

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"
	"pgregory.net/rapid"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/inputtest"
	"github.com/agekit/age/internal/npy"
)

// TestArrayFeatures draws a matrix, and reads it from an array, stored by rows or by columns, and from
// a .csv file. Both give the matrix: sparse if less than a quarter of it is not 0, and then as
// [graph.FromDense] makes it, else dense. Shapes are of up to several blocks, and densities around a
// quarter.
func TestArrayFeatures(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n, f := rapid.IntRange(1, 300).Draw(r, "rows"), rapid.IntRange(1, 120).Draw(r, "columns")
		density := rapid.SampledFrom([]float64{0.01, 0.2, 0.25, 0.3, 1}).Draw(r, "density")
		byColumn := rapid.Bool().Draw(r, "by column")
		unit := rapid.Bool().Draw(r, "all values 1") // such a sparse matrix has no values
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 0))
		m := blas32.General{Rows: n, Cols: f, Stride: f, Data: make([]float32, n*f)}
		stored := make([]float32, n*f)
		var csv strings.Builder
		csv.WriteString("header" + strings.Repeat(",x", f-1) + "\n")
		filled := 0
		for i := range n {
			for j := range f {
				v := float32(0)
				if rnd.Float64() < density || i == 0 && j == 0 {
					v = float32(1 + rnd.IntN(9))
					filled++
				}
				if unit {
					v = min(v, 1)
				}
				m.Data[i*f+j] = v
				if byColumn {
					stored[j*n+i] = v
				} else {
					stored[i*f+j] = v
				}
				if j > 0 {
					csv.WriteByte(',')
				}
				fmt.Fprint(&csv, v)
			}
			csv.WriteByte('\n')
		}
		content, err := binary.Append(nil, binary.LittleEndian, stored)
		if err != nil {
			r.Fatal(err)
		}
		a, err := npy.FromBytes("<f4", []int{n, f}, byColumn, content)
		if err != nil {
			r.Fatal(err)
		}
		x, err := arrayFeatures(t.Context(), a)
		if err != nil {
			r.Fatal(err)
		}
		var y graph.Graph
		err = ReadFeatures(t.Context(), inputtest.WriteText(t, "x.csv", csv.String()), &y)
		if err != nil {
			r.Fatal(err)
		}
		want := graph.Features{Dense: &m}
		if 4*filled < n*f {
			want = graph.Features{Sparse: graph.FromDense(m)}
		}
		for name, got := range map[string]graph.Features{"array": x, "csv": y.Features} {
			if (got.Sparse == nil) != (want.Sparse == nil) {
				r.Fatalf("%s: sparse %v with %d of %d×%d", name, got.Sparse != nil, filled, n, f)
			}
			if got.Dense != nil && (got.Dense.Stride != f || !slices.Equal(got.Dense.Data, m.Data)) {
				r.Errorf("%s: dense %d×%d differs", name, got.Dense.Rows, got.Dense.Cols)
			}
			if s := got.Sparse; s != nil && (!slices.Equal(s.Indptr, want.Sparse.Indptr) || !slices.Equal(s.Indices, want.Sparse.Indices) ||
				!slices.Equal(s.Values, want.Sparse.Values) || (s.Values == nil) != (want.Sparse.Values == nil) || s.Rows != n || s.Cols != f) {
				r.Errorf("%s: sparse matrix differs: %+v, want %+v", name, s, want.Sparse)
			}
		}
	})
}

// TestArrayFeaturesRefuse: the error about an infinite value, the fourth of a 2×3 array, names its row
// and column, which depend on whether the array is stored by rows or by columns. An array with a column
// more than allowed is refused.
func TestArrayFeaturesRefuse(t *testing.T) {
	for order, want := range map[string]string{"False": "row 1, column 0 (from 0): value -Inf", "True": "row 1, column 1 (from 0): value -Inf"} {
		file := inputtest.RawNPY("<f4", order, "(2, 3)", inputtest.Float32s(1, 2, 3, float32(math.Inf(-1)), 5, 6))
		a, err := npy.Open(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := arrayFeatures(t.Context(), a); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("fortran %s: error %v, want %q", order, err, want)
		}
	}
	tooWide := inputtest.RawNPY("|i1", "False", "(0, 16777217)", nil)
	a, err := npy.Open(bytes.NewReader(tooWide), int64(len(tooWide)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := arrayFeatures(t.Context(), a); err == nil || err.Error() != "0×16777217 features: want at most 2147483647 rows and 16777216 columns" {
		t.Errorf("error %v, want one about the columns", err)
	}
}
