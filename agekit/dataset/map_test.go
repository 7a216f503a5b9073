package dataset

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sbinet/npyio/npy"
	"gonum.org/v1/gonum/mat"
)

// TestMapNPY: a mapped matrix has the numbers of one that is read; what is no
// float32 in rows, is smaller than asked for, or is cut off is left to the
// reader.
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
	numbers := [3][2]float32{{1, 2.5}, {0, 4}, {1e-30, 6}}
	write("", "", numbers)
	m, err := mapNPY(name, 0)
	if err != nil || m == nil || m.Rows != 3 || m.Cols != 2 || m.Stride != 2 || !slices.Equal(m.Data, []float32{1, 2.5, 0, 4, 1e-30, 6}) {
		t.Fatalf("%+v (%v)", m, err)
	}
	read, err := loadFeatures(t.Context(), name) // too small to be mapped
	if err != nil || read.Dense == nil || !slices.Equal(read.Dense.Data, m.Data) {
		t.Errorf("read: %+v (%v)", read, err)
	}
	notMapped := func(what string, above int64) {
		t.Helper()
		if m, err := mapNPY(name, above); m != nil || err != nil {
			t.Errorf("%s: %+v (%v), want it left to the reader", what, m, err)
		}
	}
	notMapped("a small file", 1<<20)
	write("'fortran_order': False", "'fortran_order': True ", numbers)
	notMapped("in columns", 0)
	write("(3, 2)", "(3, 3)", numbers)
	notMapped("cut off", 0)
	write("NUMPY", "NUMPI", numbers)
	notMapped("another format", 0)
	write("", "", mat.NewDense(2, 2, []float64{1, 2, 3, 4}))
	notMapped("float64", 0)
}
