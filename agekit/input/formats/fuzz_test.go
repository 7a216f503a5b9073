package formats

import (
	"bytes"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/inputtest"
	"github.com/agekit/age/internal/npy"
)

// Each target requires an error or a result that satisfies what its reader
// promises; more seeds are in testdata/fuzz.

// checkMatrix checks that the places of a matrix are valid and its values as many; they may be NaN,
// which later checks reject.
func checkMatrix(t *testing.T, m *graph.CSR) {
	t.Helper()
	pattern := *m
	pattern.Values = nil
	if err := pattern.Validate(); err != nil || (m.Values != nil && len(m.Values) != len(m.Indices)) {
		t.Errorf("%d values for %d columns, %v", len(m.Values), len(m.Indices), err)
	}
}

// FuzzCSV: any text is refused as features, or gives valid ones.
func FuzzCSV(f *testing.F) {
	f.Add([]byte("a,b\n1,2\n 3 , 4e-2\r\n"))
	f.Add([]byte("1,NaN\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var g graph.Graph
		if err := ReadFeatures(t.Context(), inputtest.WriteText(t, "x.csv", string(data)), &g); err == nil {
			checkFeatures(t, g.Features)
		}
	})
}

// checkFeatures checks that features that a reader has accepted are finite, not all 0, and sparse where
// they should be.
func checkFeatures(t *testing.T, x graph.Features) {
	t.Helper()
	n, f := x.Dims()
	if n == 0 {
		return
	}
	filled := 0
	for k, v := range x.ToDense().Data {
		if err := checkFeature(k/f, k%f, v); err != nil {
			t.Error(err)
		}
		if v != 0 {
			filled++
		}
	}
	if filled == 0 || (x.Sparse != nil) != graph.StoreSparse(filled, n, f) {
		t.Errorf("%d of %d×%d values are not 0, sparse %v", filled, n, f, x.Sparse != nil)
	}
	if x.Sparse != nil {
		checkMatrix(t, x.Sparse)
	}
}

// FuzzNPY: any bytes are refused as an array of features, or give valid ones, which are those of the
// array read as a matrix.
func FuzzNPY(f *testing.F) {
	f.Add(inputtest.NPY(mat.NewDense(2, 2, []float64{1, 2, 3, 4})))
	f.Add(inputtest.RawNPY("<f4", "True", "(1, 2)", inputtest.Float32s(1, 2)))
	f.Add(inputtest.NPY([]int16{1, -2}))
	f.Fuzz(func(t *testing.T, data []byte) {
		open := func() *npy.Array {
			a, err := npy.Open(bytes.NewReader(data), int64(len(data)))
			if err != nil {
				t.Skip()
			}
			return a
		}
		x, err := arrayFeatures(t.Context(), open())
		if err != nil {
			return
		}
		checkFeatures(t, x)
		m, err := readMatrix(data)
		if err != nil || !slices.Equal(m.Data, x.ToDense().Data) {
			t.Errorf("features %v, matrix %v (%v)", x.ToDense(), m, err)
		}
	})
}

// checkArchive reads an archive both as a feature matrix and as a graph, and checks what its readers accept.
func checkArchive(t *testing.T, data []byte) {
	t.Helper()
	a, err := npy.OpenArchive(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return
	}
	if x, err := a.Sparse(""); err == nil {
		checkMatrix(t, x)
	}
	g := &graph.Graph{}
	if err := archiveGraph(t.Context(), a, g); err != nil {
		return
	}
	if err := g.Adjacency.Validate(); err != nil {
		t.Error(err)
	}
	if x := g.Features.Sparse; x != nil {
		checkMatrix(t, x)
	}
	for i, c := range g.Labels {
		if c < 0 || c >= g.Classes {
			t.Errorf("label %d is %d of %d", i, c, g.Classes)
		}
	}
}

// FuzzNPZ: any bytes are refused as an archive, or give a valid matrix and graph.
func FuzzNPZ(f *testing.F) {
	f.Add(inputtest.NPZ(inputtest.SavedCSR()))
	f.Add(inputtest.NPZ(map[string][]byte{
		"adj_data": inputtest.NPY([]float32{1, 1}), "adj_indices": inputtest.NPY([]int64{1, 0}),
		"adj_indptr": inputtest.NPY([]int64{0, 1, 2}), "adj_shape": inputtest.NPY([]int64{2, 2}),
		"attr_matrix": inputtest.NPY(mat.NewDense(2, 1, []float64{1, 2})), "labels": inputtest.NPY([]int8{7, -1}),
	}))
	f.Fuzz(func(t *testing.T, data []byte) {
		checkArchive(t, data)
	})
}

// FuzzNPZArrays corrupts the arrays of an otherwise intact archive.
func FuzzNPZArrays(f *testing.F) {
	m := inputtest.SavedCSR()
	f.Add(m["data"], m["indices"], m["indptr"], m["shape"])
	square := inputtest.NPY([]int64{2, 2})
	f.Add(inputtest.NPY([]float32{1, 1}), inputtest.NPY([]uint8{1, 0}), inputtest.NPY([]int64{0, 1, 2}), square)
	f.Fuzz(func(t *testing.T, data, indices, indptr, shape []byte) {
		m := map[string][]byte{"data": data, "indices": indices, "indptr": indptr, "shape": shape, "format": []byte("csr"),
			"adj_data": data, "adj_indices": indices, "adj_indptr": indptr, "adj_shape": shape,
			"attr_data": data, "attr_indices": indices, "attr_indptr": indptr, "attr_shape": shape, "labels": indices}
		checkArchive(t, inputtest.NPZ(m))
	})
}
