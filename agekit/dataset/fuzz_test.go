package dataset

import (
	"math"
	"testing"

	"github.com/agekit/age/agekit/graph"
)

// Each target requires an error or a result that satisfies what its reader
// promises; more seeds are in testdata/fuzz.

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

// checkMatrix allows NaN, which later checks reject.
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
		g, err := readWiki([]file{{name: "graph.txt"}, {name: "group.txt"}, {name: "tfidf.txt"}}, [][]byte{pairs, groups, triples})
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
