package graph_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/system"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
	"pgregory.net/rapid"
)

// TestFromArrays compares the matrix of random arrays, with unsorted and repeated columns, with a dense
// matrix to which the test adds every entry. The values are small integers, so that sums are exact.
// FromDense of that matrix gives the same canonical form.
func TestFromArrays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := rapid.IntRange(0, 6).Draw(t, "rows"), rapid.IntRange(1, 6).Draw(t, "columns")
		want := make([]float32, rows*cols)
		indptr := []int{0}
		var indices []int32
		var values []float32
		for i := range rows {
			for range rapid.IntRange(0, 8).Draw(t, "entries") {
				j, v := rapid.IntRange(0, cols-1).Draw(t, "column"), float32(rapid.IntRange(-1, 2).Draw(t, "value"))
				indices, values = append(indices, int32(j)), append(values, v)
				want[i*cols+j] += v
			}
			indptr = append(indptr, len(indices))
		}
		m := testutil.Value(graph.FromArrays([]int64{int64(rows), int64(cols)}, indptr, indices, values)).OrFatal(t)
		if err := m.Validate(); err != nil {
			t.Error(err)
		}
		if got := m.Dense().Data; !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
		d := graph.FromDense(blas32.General{Rows: rows, Cols: cols, Stride: cols, Data: want})
		sameEntries := slices.Equal(d.Indptr, m.Indptr) && slices.Equal(d.Indices, m.Indices) && slices.Equal(d.Values, m.Values)
		if !sameEntries || (d.Values == nil) != (m.Values == nil) {
			t.Errorf("from arrays %+v, from dense %+v", m, d)
		}
	})
}

// TestFromArraysRefuses checks that arrays that are no CSR matrix are an error that says what is wrong.
func TestFromArraysRefuses(t *testing.T) {
	for _, test := range []struct {
		shape   []int64
		indptr  []int
		indices []int32
		want    string
	}{
		{[]int64{2}, []int{0, 0, 0}, nil, "shape has 1 dimensions, want 2"},
		{[]int64{2, 2}, []int{0, 0}, nil, "2 rows, 2 row pointers"},
		{[]int64{-1, 2}, nil, nil, "-1 rows"},
		{[]int64{1, system.MostColumns + 1}, []int{0, 0}, nil, "16777217 columns"},
		{[]int64{1, 2}, []int{0, 2}, []int32{0}, "row pointer runs from 0 to 2, want 0 to 1"},
		{[]int64{2, 2}, []int{0, 2, 1}, []int32{0}, "row 0: row pointer goes from 0 to 2"},
		{[]int64{3, 2}, []int{0, 1, 0, 1}, []int32{0}, "row 1: row pointer goes from 1 to 0"},
		{[]int64{1, 2}, []int{0, 1}, []int32{2}, "row 0: column 2, want 0 to 1"},
		{[]int64{1, 2}, []int{0, 1}, []int32{-1}, "row 0: column -1, want 0 to 1"},
	} {
		testutil.Value(graph.FromArrays(test.shape, test.indptr, test.indices, make([]float32, len(test.indices)))).Fails(t, test.want)
	}
	testutil.Value(graph.FromArrays([]int64{1, 2}, []int{0, 1}, []int32{1}, nil)).Fails(t, "0 values for 1 column indices")
}

// TestMemory checks that sorting a matrix and building an adjacency matrix are errors, which name the
// step and the free memory, if they need more than the 100 bytes that are free.
func TestMemory(t *testing.T) {
	t.Setenv(system.MemoryVariable, "100B")
	for what, do := range map[string]func() error{
		"sorting its columns": func() error {
			_, err := graph.FromArrays([]int64{1, 3}, []int{0, 3}, []int32{2, 1, 0}, []float32{1, 1, 1})
			return err
		},
		"adjacency matrix of 5 nodes and 3 edges": func() error {
			_, err := graph.Adjacency(5, []int32{0, 1, 2}, []int32{1, 2, 3}, nil)
			return err
		},
	} {
		if err := do(); err == nil || !strings.Contains(err.Error(), what) || !strings.Contains(err.Error(), "want at most the 100 B that are free") {
			t.Errorf("%s: error %v", what, err)
		}
	}
}
