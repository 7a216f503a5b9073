package npy

import (
	"bytes"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	npyio "github.com/sbinet/npyio/npz"
	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/graph"
)

// TestArchive writes a matrix with padding, a number and a text to an archive. npyio's own reader and
// [OpenArchive] find the values that were written, without the padding, and the same arrays give the
// same bytes. An array that is missing, has other dimensions or is damaged is an error that names it.
func TestArchive(t *testing.T) {
	w := blas32.General{Rows: 2, Cols: 2, Stride: 3, Data: []float32{1, -2.5, 99, 1e-30, 4, 99}} // 99: padding
	write := func() []byte {
		var b bytes.Buffer
		if err := WriteArchive(&b, NamedArray{"W", w}, NamedArray{"k", []float64{2. / 3}}, NamedArray{"about", []byte("t=8")}); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	data := write()
	if !bytes.Equal(data, write()) {
		t.Error("the same arrays give different bytes")
	}
	values := []float32{1, -2.5, 1e-30, 4} // of W

	theirs, err := npyio.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"W.npy", "k.npy", "about.npy"}; !slices.Equal(theirs.Keys(), want) {
		t.Errorf("members %v, want %v", theirs.Keys(), want)
	}
	if h := theirs.Header("W.npy").Descr; h.Type != "<f4" || h.Fortran || !slices.Equal(h.Shape, []int{2, 2}) {
		t.Errorf("W is %+v", h)
	}
	var got []float32
	if err := theirs.Read("W.npy", &got); err != nil || !slices.Equal(got, values) {
		t.Errorf("npyio reads W as %v (%v), want %v", got, err, values)
	}

	a, err := OpenArchive(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if m, err := a.Matrix("W"); err != nil || m.Rows != 2 || m.Cols != 2 || m.Stride != 2 || !slices.Equal(m.Data, values) {
		t.Errorf("W is %+v (%v)", m, err)
	}
	if k, err := ArchiveValues[float64](a, "k", 1); err != nil || !slices.Equal(k, []float64{2. / 3}) {
		t.Errorf("k is %v (%v)", k, err)
	}
	if about, err := a.Text("about"); err != nil || about != "t=8" {
		t.Errorf("about is %v (%v)", about, err)
	}
	if about, err := ArchiveValues[int64](a, "about", -1); err != nil || !slices.Equal(about, []int64{'t', '=', '8'}) {
		t.Errorf("about is %v (%v)", about, err)
	}
	if want := []string{"W", "about", "k"}; !slices.Equal(a.Names(), want) {
		t.Errorf("names %v, want %v", a.Names(), want)
	}
	for name, want := range map[string]string{"k": "array k: array of shape (1,): want rows × columns", "b": "has no array b"} {
		if _, err := a.Matrix(name); err == nil || err.Error() != want {
			t.Errorf("matrix %s: error %v, want %q", name, err, want)
		}
	}
	if err := WriteArchive(io.Discard, NamedArray{"f", t}); err == nil || !strings.HasPrefix(err.Error(), "array f: ") {
		t.Errorf("a value that is not an array: %v", err)
	}

	data[bytes.Index(data, []byte("\x93NUMPY"))+130] ^= 1 // within W, whose header has 128 bytes
	damaged, err := OpenArchive(bytes.NewReader(data), int64(len(data)))
	if err == nil {
		_, err = damaged.Matrix("W")
	}
	if err == nil || err.Error() != "array W: damaged: its checksum does not match" {
		t.Errorf("damaged: error %v, want one about the checksum", err)
	}
}

// TestSparseParts writes a sparse matrix with values, one whose values are all 1, and a list of
// integers. npyio reads what was written, for lengths around that of a block, and [OpenArchive] reads
// the matrix without its entry of 0. Writing allocates at most 2 MB, and so takes no copy of the
// arrays.
func TestSparseParts(t *testing.T) {
	for _, n := range []int{0, 1, onesBlock - 1, onesBlock, 1 << 20} {
		m := &graph.CSR{Rows: n, Cols: n, Indptr: make([]int, n+1), Indices: make([]int32, n), Values: make([]float32, n)}
		for i := range n {
			m.Indptr[i+1] = i + 1
			m.Indices[i] = int32(n - 1 - i) // on the other diagonal
			m.Values[i] = float32(i) / 2
		}
		ofOnes := *m
		ofOnes.Values = nil
		arrays := []NamedArray{{"a_", m}, {"b_", &ofOnes}, {"c", m.Indptr}}
		var b bytes.Buffer
		if err := WriteArchive(&b, arrays...); err != nil {
			t.Fatal(err)
		}
		theirs, err := npyio.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
		if err != nil {
			t.Fatal(err)
		}
		var values, ones []float32
		var indices []int32
		var indptr, shape, integers []int64
		for name, target := range map[string]any{
			"a_data": &values, "a_indices": &indices, "a_indptr": &indptr, "a_shape": &shape,
			"b_data": &ones, "c": &integers,
		} {
			if err := theirs.Read(name+".npy", target); err != nil && n > 0 { // npyio reads no empty arrays
				t.Fatalf("%d: npyio reads %s: %v", n, name, err)
			}
		}
		if n > 0 {
			var rowPointers []int64
			for _, v := range m.Indptr {
				rowPointers = append(rowPointers, int64(v))
			}
			if !slices.Equal(values, m.Values) || !slices.Equal(indices, m.Indices) || !slices.Equal(indptr, rowPointers) {
				t.Errorf("%d: npyio reads another matrix", n)
			}
			if !slices.Equal(ones, slices.Repeat([]float32{1}, n)) {
				t.Errorf("%d: npyio reads other values than ones", n)
			}
			if !slices.Equal(integers, rowPointers) {
				t.Errorf("%d: npyio reads other integers", n)
			}
			if !slices.Equal(shape, []int64{int64(n), int64(n)}) {
				t.Errorf("%d: shape %v", n, shape)
			}
		}
		if archive, err := OpenArchive(bytes.NewReader(b.Bytes()), int64(b.Len())); err != nil {
			t.Error(err)
		} else if back, err := archive.Sparse("a_"); err != nil || back.NNZ() != max(0, n-1) && n > 0 {
			t.Errorf("%d: %v, want all entries but the 0", n, err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := WriteArchive(io.Discard, arrays...); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 2<<20 {
			t.Errorf("%d: %d bytes allocated to write %d", n, taken, b.Len())
		}
	}
}
