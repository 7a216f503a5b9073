package npz

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	npyio "github.com/sbinet/npyio/npz"
	"gonum.org/v1/gonum/blas/blas32"
)

// TestArchive compares an archive with what npyio's own reader finds in it,
// and with what [Open] returns.
func TestArchive(t *testing.T) {
	w := blas32.General{Rows: 2, Cols: 2, Stride: 3, Data: []float32{1, -2.5, 99, 1e-30, 4, 99}}
	write := func() []byte {
		var b bytes.Buffer
		if err := Write(&b, Array{"W", w}, Array{"k", []float64{2. / 3}}, Array{"about", []byte("t=8")}); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	data := write()
	if !bytes.Equal(data, write()) {
		t.Error("the same arrays give different bytes")
	}
	values := []float32{1, -2.5, 1e-30, 4}

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

	a, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if m, err := a.Matrix("W"); err != nil || m.Rows != 2 || m.Cols != 2 || m.Stride != 2 || !slices.Equal(m.Data, values) {
		t.Errorf("W is %+v (%v)", m, err)
	}
	if k, err := Values[float64](a, "k", 1); err != nil || !slices.Equal(k, []float64{2. / 3}) {
		t.Errorf("k is %v (%v)", k, err)
	}
	if about, err := a.Text("about"); err != nil || about != "t=8" {
		t.Errorf("about is %v (%v)", about, err)
	}
	if about, err := Values[int64](a, "about", -1); err != nil || !slices.Equal(about, []int64{'t', '=', '8'}) {
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
	if err := Write(io.Discard, Array{"f", t}); err == nil || !strings.HasPrefix(err.Error(), "array f: ") {
		t.Errorf("a value that is not an array: %v", err)
	}

	data[bytes.Index(data, []byte("\x93NUMPY"))+130] ^= 1 // within W
	damaged, err := Open(bytes.NewReader(data), int64(len(data)))
	if err == nil {
		_, err = damaged.Matrix("W")
	}
	if err == nil || err.Error() != "array W: damaged: its checksum does not match" {
		t.Errorf("damaged: error %v, want one about the checksum", err)
	}
}
