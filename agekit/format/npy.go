package format

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/sbinet/npyio/npy"
	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/mapped"
	"github.com/agekit/age/internal/numpy"
)

func init() {
	Register(Format{Extensions: []string{".npy"}, Features: readNPY})
}

// readNPY reads or maps a 2-dimensional array.
func readNPY(ctx context.Context, f *os.File, g *graph.Graph) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	m, ok := mapNPY(f, info.Size(), mapAbove)
	if !ok {
		m, err = readMatrix(f, info.Size())
	}
	if err == nil {
		g.Features, err = denseFeatures(ctx, m)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name(), err)
	}
	return nil
}

func readMatrix(r io.Reader, size int64) (blas32.General, error) {
	a, err := numpy.Read(r, size)
	if err != nil {
		return blas32.General{}, err
	}
	return matrix(a)
}

// matrix returns a 2-dimensional array as a matrix.
func matrix(a *npy.Array) (blas32.General, error) {
	shape := a.Shape()
	if len(shape) != 2 || shape[0] < 0 || shape[1] < 1 {
		return blas32.General{}, fmt.Errorf("array of shape %v, want rows × columns", shape)
	}
	values, err := numpy.Floats(a)
	if err != nil {
		return blas32.General{}, err
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
	return blas32.General{Rows: n, Cols: f, Stride: f, Data: values}, nil
}

// mapAbove is the size in bytes above which a feature file is memory-mapped.
const mapAbove = 64 << 20

// mapNPY maps the matrix of a .npy file of more than above bytes. It returns
// false for smaller files and for files that do not hold little-endian float32
// values in row-major order; these must be read.
func mapNPY(f *os.File, size, above int64) (m blas32.General, ok bool) {
	if size <= above {
		return m, false
	}
	head := make([]byte, min(size, 1<<12))
	if _, err := f.ReadAt(head, 0); err != nil {
		return m, false
	}
	shape, offset := plainHeader(head)
	if len(shape) != 2 || shape[0] < 1 || shape[1] < 1 || offset%4 != 0 ||
		int64(shape[0]) > size/4/int64(shape[1]) || int64(offset)+4*int64(shape[0])*int64(shape[1]) != size {
		return m, false
	}
	values, err := mapped.ReadOnly(f.Name(), offset)
	if err != nil {
		return m, false
	}
	return blas32.General{Rows: shape[0], Cols: shape[1], Stride: shape[1], Data: values}, true
}

// plainHeader returns the shape of a row-major array of little-endian float32
// values and the offset at which they begin, or no shape for any other header.
func plainHeader(head []byte) (shape []int, offset int) {
	defer func() {
		if recover() != nil { // npyio parses the header without bounds checks
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

// WriteNPY writes a matrix, without its padding, as a row-major 2-dimensional
// array of little-endian float32 values, in version 1.0 of numpy's format.
// Beyond m it needs memory for only one row.
//
// npyio cannot do this: it writes only float64 matrices.
func WriteNPY(w io.Writer, m blas32.General) error {
	header := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", m.Rows, m.Cols)
	const prefix = 10 // magic, version, length
	header += strings.Repeat(" ", 63-(prefix+len(header))%64) + "\n"
	if _, err := fmt.Fprintf(w, "\x93NUMPY\x01\x00%c%c%s", len(header)&0xff, len(header)>>8, header); err != nil {
		return err
	}
	for i := range m.Rows {
		if err := binary.Write(w, binary.LittleEndian, m.Data[i*m.Stride:i*m.Stride+m.Cols]); err != nil {
			return err
		}
	}
	return nil
}
