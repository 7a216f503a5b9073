package formats

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sbinet/npyio/npy"
	"gonum.org/v1/gonum/mat"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/system"
)

// TestMapNPY checks that a matrix that is mapped equals the one that is read, and that files that are
// small, damaged, or hold other values than float32 by rows are read, not mapped. Mapping is told from
// reading by the memory: there is none to be had, and only reading needs some, so that it is an error.
func TestMapNPY(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.npy")
	// write writes an array to the file, with the text from in it replaced by the text to.
	write := func(from, to string, numbers any) {
		var b bytes.Buffer
		if err := npy.Write(&b, numbers); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, bytes.Replace(b.Bytes(), []byte(from), []byte(to), 1), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	// readFile reads the file, and maps it if it is larger than above bytes.
	readFile := func(above int64) (graph.Features, error) {
		t.Helper()
		f, err := table.OpenFile(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var g graph.Graph
		defer func(size int64) { mapAbove = size }(mapAbove)
		mapAbove = above
		err = readNPY(t.Context(), f, &g)
		return g.Features, err
	}
	numbers := [3][2]float32{{1, 2.5}, {0, 4}, {1e-30, 6}}
	want := []float32{1, 2.5, 0, 4, 1e-30, 6}
	write("", "", numbers)
	x, err := readFile(1 << 20)
	if err != nil || x.Dense == nil || !slices.Equal(x.Dense.Data, want) {
		t.Errorf("read %+v (%v)", x.Dense, err)
	}
	t.Setenv(system.MemoryVariable, "1B")
	x, err = readFile(0)
	if err != nil || x.Dense == nil || x.Dense.Rows != 3 || x.Dense.Stride != 2 || !slices.Equal(x.Dense.Data, want) {
		t.Fatalf("mapped %+v (%v)", x.Dense, err)
	}
	notMapped := func(what string, above int64, message string) {
		t.Helper()
		if x, err := readFile(above); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: %+v (%v), want that it is read", what, x, err)
		}
	}
	const memory = "of memory, want at most the 1 B that are free"
	notMapped("a small file", 1<<20, memory)
	write("False, 'shape': (3, 2), }", "True, 'shape': (3, 2), } ", numbers)
	notMapped("column-major", 0, memory)
	write("(3, 2)", "(3, 3)", numbers)
	notMapped("truncated", 0, "24 bytes of values for shape (3, 3)")
	write("NUMPY", "NUMPI", numbers)
	notMapped("another format", 0, "not a .npy array")
	write("", "", mat.NewDense(2, 2, []float64{1, 2, 3, 4}))
	notMapped("float64", 0, memory)
	write("", "", [1][3]float32{})
	if _, err := readFile(0); err == nil || !strings.HasSuffix(err.Error(), "x.npy: "+errZeros.Error()) {
		t.Errorf("zeros: error %v", err)
	}
}
