package dataset

import (
	"bytes"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/agekit/age/agekit/graph"
)

// Each target asks for an error or a result that holds what its reader
// promises; more seeds lie in testdata/fuzz.

func FuzzPickledMatrix(f *testing.F) {
	_, contents := tiny()
	f.Add(contents[fileAllX])
	f.Add(contents[fileTX])
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := readPickledMatrix(data)
		if err != nil {
			return
		}
		checkMatrix(t, m)
	})
}

// checkMatrix allows NaN, which later checks find.
func checkMatrix(t *testing.T, m *graph.CSR) {
	t.Helper()
	pattern := *m
	pattern.Values = nil
	if err := pattern.Validate(); err != nil || (m.Values != nil && len(m.Values) != len(m.Indices)) {
		t.Errorf("%d values for %d columns, %v", len(m.Values), len(m.Indices), err)
	}
}

func FuzzPickledOneHot(f *testing.F) {
	_, contents := tiny()
	f.Add(contents[fileAllY])
	f.Fuzz(func(t *testing.T, data []byte) {
		labels, classes, err := readPickledOneHot(data)
		if err != nil {
			return
		}
		for i, c := range labels {
			if c < 0 || c >= classes {
				t.Errorf("label %d is %d of %d", i, c, classes)
			}
		}
	})
}

func FuzzPickledGraph(f *testing.F) {
	_, contents := tiny()
	f.Add(contents[fileGraph])
	f.Fuzz(func(t *testing.T, data []byte) {
		u, v, _, err := readPickledGraph(data)
		if err != nil {
			return
		}
		if len(u) != len(v) || len(u) > len(data) {
			t.Errorf("%d and %d ends from %d bytes", len(u), len(v), len(data))
		}
	})
}

func FuzzTestIndex(f *testing.F) {
	f.Add([]byte("4\n5\n2\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		index, err := readTestIndex(data, "test.index")
		for _, i := range index {
			if err == nil && (i < 0 || i > math.MaxInt32) {
				t.Errorf("node %d", i)
			}
		}
	})
}

func FuzzWiki(f *testing.F) {
	f.Add([]byte("0\t9\n1\t3\n2\t9\n"), []byte("1\t0\n2\t2\n"), []byte("0\t1\t0.5\n0\t0\t1e-3\n2\t1\t4\n"))
	f.Fuzz(func(t *testing.T, groups, pairs, triples []byte) {
		g, err := readWiki([]string{"graph.txt", "group.txt", "tfidf.txt"}, [][]byte{pairs, groups, triples})
		if err != nil || g.N() == 0 {
			return
		}
		if err := g.Validate(); err != nil {
			t.Error(err)
		}
		for _, v := range g.Features.Sparse.Values {
			if v > 1 {
				t.Errorf("scaled value %v", v)
			}
		}
	})
}

func FuzzEdges(f *testing.F) {
	f.Add([]byte("# u v w\n0\t1\t0.5\n\n3 3 1e3\r\n"))
	f.Add([]byte("0\t1\n2 1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		const n = 5
		u, v, w, err := readEdges(t.Context(), bytes.NewReader(data), "edges.tsv", n)
		if err != nil {
			return
		}
		if _, err := graph.Adjacency(n, u, v, w); err != nil {
			t.Error(err)
		}
	})
}

func FuzzCSV(f *testing.F) {
	f.Add([]byte("a,b\n1,2\n 3 , 4e-2\r\n"))
	f.Add([]byte("1,NaN\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := readCSV(t.Context(), bytes.NewReader(data), "x.csv")
		if err != nil {
			return
		}
		if len(m.Data) != m.Rows*m.Cols {
			t.Errorf("%d values for %d×%d", len(m.Data), m.Rows, m.Cols)
		}
		for k, v := range m.Data {
			if err := checkFeature(0, k, v); err != nil {
				t.Error(err)
			}
		}
		if x := compact(m); x.Sparse != nil {
			checkMatrix(t, x.Sparse)
		}
	})
}

func FuzzLabels(f *testing.F) {
	f.Add([]byte("3\n-1\n3\n"))
	f.Add([]byte("b\na\n# none\n\nb\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		labels, names, err := readLabels(t.Context(), bytes.NewReader(data), "labels.txt")
		if err != nil {
			return
		}
		used := make([]bool, len(names))
		for _, c := range labels {
			used[c] = true
		}
		for c, ok := range used {
			if !ok {
				t.Errorf("class %d of %q has no node", c, names)
			}
		}
	})
}

func FuzzNPY(f *testing.F) {
	f.Add(npyBytes(mat.NewDense(2, 2, []float64{1, 2, 3, 4})))
	f.Add(npyRaw("<f4", "True", "(1, 2)", bytesOf32(1, 2)))
	f.Add(npyBytes([]int16{1, -2}))
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := readNPYFeatures(data)
		if err != nil {
			return
		}
		if n, cols := x.Dims(); len(x.ToDense().Data) != n*cols {
			t.Errorf("%d values for %d×%d", len(x.ToDense().Data), n, cols)
		}
	})
}

func FuzzNPZ(f *testing.F) {
	f.Add(npzBytes(savedCSR()))
	f.Add(npzBytes(map[string][]byte{
		"adj_data": npyBytes([]float32{1, 1}), "adj_indices": npyBytes([]int64{1, 0}),
		"adj_indptr": npyBytes([]int64{0, 1, 2}), "adj_shape": npyBytes([]int64{2, 2}),
		"attr_matrix": npyBytes(mat.NewDense(2, 1, []float64{1, 2})), "labels": npyBytes([]int8{7, -1}),
	}))
	f.Fuzz(func(t *testing.T, data []byte) {
		if x, err := readNPZFeatures(data); err == nil {
			checkMatrix(t, x.Sparse)
		}
		if g, err := readNPZGraph(data); err == nil {
			if err := g.Validate(); err != nil {
				t.Error(err)
			}
		}
	})
}

// FuzzNPZArrays damages the arrays of an archive that is whole.
func FuzzNPZArrays(f *testing.F) {
	m := savedCSR()
	f.Add(m["data"], m["indices"], m["indptr"], m["shape"])
	square := npyBytes([]int64{2, 2})
	f.Add(npyBytes([]float32{1, 1}), npyBytes([]uint8{1, 0}), npyBytes([]int64{0, 1, 2}), square)
	f.Fuzz(func(t *testing.T, data, indices, indptr, shape []byte) {
		m := map[string][]byte{"data": data, "indices": indices, "indptr": indptr, "shape": shape, "format": []byte("csr"),
			"adj_data": data, "adj_indices": indices, "adj_indptr": indptr, "adj_shape": shape,
			"attr_data": data, "attr_indices": indices, "attr_indptr": indptr, "attr_shape": shape, "labels": indices}
		archive := npzBytes(m)
		if x, err := readNPZFeatures(archive); err == nil {
			checkMatrix(t, x.Sparse)
		}
		if g, err := readNPZGraph(archive); err == nil {
			if err := g.Validate(); err != nil {
				t.Error(err)
			}
		}
	})
}
