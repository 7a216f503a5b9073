package format

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sbinet/npyio/npy"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"

	"github.com/agekit/age/agekit/graph"
)

// TestMapNPY checks that a mapped matrix equals one that is read, and that
// files that are not row-major float32, are too small, or are truncated are
// left to the reader.
func TestMapNPY(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.npy")
	write := func(head, tail string, numbers any) {
		var b bytes.Buffer
		if err := npy.Write(&b, numbers); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, bytes.Replace(b.Bytes(), []byte(head), []byte(tail), 1), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	mapFile := func(above int64) (blas32.General, bool) {
		t.Helper()
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		return mapNPY(f, info.Size(), above)
	}
	numbers := [3][2]float32{{1, 2.5}, {0, 4}, {1e-30, 6}}
	write("", "", numbers)
	m, ok := mapFile(0)
	if !ok || m.Rows != 3 || m.Cols != 2 || m.Stride != 2 || !slices.Equal(m.Data, []float32{1, 2.5, 0, 4, 1e-30, 6}) {
		t.Fatalf("%+v, %v", m, ok)
	}
	var g graph.Graph
	err := read(t.Context(), name, "features", func(f Format) ReadFunc { return f.Features }, &g) // too small to be mapped
	if x := g.Features.Dense; err != nil || x == nil || !slices.Equal(x.Data, m.Data) {
		t.Errorf("read: %+v (%v)", x, err)
	}
	notMapped := func(what string, above int64) {
		t.Helper()
		if m, ok := mapFile(above); ok {
			t.Errorf("%s: %+v, want it left to the reader", what, m)
		}
	}
	notMapped("a small file", 1<<20)
	write("'fortran_order': False", "'fortran_order': True ", numbers)
	notMapped("column-major", 0)
	write("(3, 2)", "(3, 3)", numbers)
	notMapped("truncated", 0)
	write("NUMPY", "NUMPI", numbers)
	notMapped("another format", 0)
	write("", "", mat.NewDense(2, 2, []float64{1, 2, 3, 4}))
	notMapped("float64", 0)
}
