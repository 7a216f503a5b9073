package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/agekit/age/internal/mapped"
	"github.com/sbinet/npyio/npy"
	"gonum.org/v1/gonum/blas/blas32"
)

// readNPY reads one array in numpy's .npy format. Its error names no file.
func readNPY(data []byte) (a *npy.Array, err error) {
	defer func() {
		// npyio cuts the header apart unchecked.
		if p := recover(); p != nil {
			a, err = nil, fmt.Errorf("damaged .npy header: %v", p)
		}
	}()
	// npyio allocates the header before it reads it.
	if len(data) >= 12 && data[6] == 2 && uint64(binary.LittleEndian.Uint32(data[8:])) > uint64(len(data)) {
		return nil, fmt.Errorf("header of %d bytes in a file of %d", binary.LittleEndian.Uint32(data[8:]), len(data))
	}
	r, err := npy.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("no .npy array: %w", err)
	}
	if kind := strings.TrimLeft(r.Header.Descr.Type, "<>|="); kind == "" || !strings.Contains("biuf", kind[:1]) {
		return nil, fmt.Errorf("array of type %q, want numbers", r.Header.Descr.Type)
	}
	a = new(npy.Array)
	if err := r.Read(a); err != nil {
		return nil, err
	}
	return a, nil
}

// denseMatrix returns a 2-dimensional array as a matrix.
func denseMatrix(a *npy.Array) (*blas32.General, error) {
	shape := a.Shape()
	if len(shape) != 2 || shape[0] < 0 || shape[1] < 1 {
		return nil, fmt.Errorf("array of shape %v, want nodes × features", shape)
	}
	values, err := floats(a)
	if err != nil {
		return nil, err
	}
	n, f := shape[0], shape[1]
	if a.Fortran() {
		byRow := make([]float32, len(values))
		for j := range f {
			for i := range n {
				byRow[i*f+j] = values[j*n+i]
			}
		}
		values = byRow
	}
	return &blas32.General{Rows: n, Cols: f, Stride: f, Data: values}, nil
}

// floats returns an array's numbers in the order they are stored in.
func floats(a *npy.Array) ([]float32, error) {
	var out []float32
	switch d := a.Data().(type) {
	case []float32:
		out = d
	case []float64:
		out = convert[float32](d)
	default:
		whole, err := integers(a)
		if err != nil {
			return nil, err
		}
		return convert[float32](whole), nil
	}
	return out, checkLength(a, len(out))
}

// integers returns the numbers of an integer array.
func integers(a *npy.Array) ([]int64, error) {
	var out []int64
	switch d := a.Data().(type) {
	case []int64:
		out = d
	case []int32:
		out = convert[int64](d)
	case []int16:
		out = convert[int64](d)
	case []int8:
		out = convert[int64](d)
	case []uint64:
		out = convert[int64](d)
	case []uint32:
		out = convert[int64](d)
	case []uint16:
		out = convert[int64](d)
	case []uint8:
		out = convert[int64](d)
	case []bool:
		out = make([]int64, len(d))
		for i, b := range d {
			if b {
				out[i] = 1
			}
		}
	default:
		return nil, fmt.Errorf("array of %T, want integers", d)
	}
	return out, checkLength(a, len(out))
}

func convert[To, From interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}](from []From) []To {
	to := make([]To, len(from))
	for i, v := range from {
		to[i] = To(v)
	}
	return to
}

// checkLength compares the number of values read with the array's shape.
func checkLength(a *npy.Array, n int) error {
	want := 1
	for _, size := range a.Shape() {
		if size < 0 || (size > 0 && want > math.MaxInt32*64/size) {
			return fmt.Errorf("array of shape %v, want sizes that fit the file", a.Shape())
		}
		want *= size
	}
	if n != want {
		return fmt.Errorf("%d values for shape %v, want %d", n, a.Shape(), want)
	}
	return nil
}

// mapAbove is the size in bytes above which a file of features is mapped.
const mapAbove = 64 << 20

// mapNPY maps the matrix of a .npy file larger than the given size. It returns
// nil for a smaller file and for one of another form than little-endian
// float32 in rows, which has to be read.
func mapNPY(name string, above int64) (*blas32.General, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() <= above {
		return nil, err
	}
	head := make([]byte, min(info.Size(), 1<<12))
	if _, err := io.ReadFull(f, head); err != nil {
		return nil, err
	}
	shape, offset := plainHeader(head)
	if len(shape) != 2 || shape[0] < 1 || shape[1] < 1 || offset%4 != 0 ||
		int64(shape[0]) > info.Size()/4/int64(shape[1]) || int64(offset)+4*int64(shape[0])*int64(shape[1]) != info.Size() {
		return nil, nil
	}
	values, err := mapped.ReadOnly(name, offset)
	if err != nil {
		return nil, nil // it can still be read
	}
	return &blas32.General{Rows: shape[0], Cols: shape[1], Stride: shape[1], Data: values}, nil
}

// plainHeader returns the shape of an array of little-endian float32 in rows
// and where its numbers begin, or no shape for any other head of a file.
func plainHeader(head []byte) (shape []int, offset int) {
	defer func() {
		if recover() != nil { // npyio cuts the header apart unchecked
			shape, offset = nil, 0
		}
	}()
	b := bytes.NewReader(head)
	r, err := npy.NewReader(b)
	if err != nil || r.Header.Descr.Type != "<f4" || r.Header.Descr.Fortran {
		return nil, 0
	}
	return r.Header.Descr.Shape, len(head) - b.Len()
}
