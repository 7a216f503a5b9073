package format

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"strings"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/limit"
	"github.com/agekit/age/internal/mapped"
	"github.com/agekit/age/internal/numpy"
)

func init() {
	Register(Format{Extensions: []string{".npy"}, Features: readNPY})
}

// mapAbove is the size in bytes above which a feature file is memory-mapped.
const mapAbove = 64 << 20

func readNPY(ctx context.Context, f *os.File, g *graph.Graph) error {
	return readNPYAbove(ctx, f, g, mapAbove)
}

// readNPYAbove reads a 2-dimensional array, or maps it if the file is larger than
// above and holds float32 values in row-major order.
func readNPYAbove(ctx context.Context, f *os.File, g *graph.Graph, above int64) error {
	size, err := sizeOf(f)
	if err != nil {
		return err
	}
	a, err := numpy.Open(f, size)
	if err != nil {
		return named(f, err)
	}
	if rows, columns, err := a.Matrix(); err == nil && size > above && a.Mappable() {
		if values, err := mapped.ReadOnly(f.Name(), a.Offset); err == nil && len(values) == rows*columns {
			g.Features, err = mappedFeatures(ctx, blas32.General{Rows: rows, Cols: columns, Stride: columns, Data: values})
			return named(f, err)
		}
	}
	g.Features, err = arrayFeatures(ctx, a)
	return named(f, err)
}

func sizeOf(f *os.File) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// named adds the file's name to an error.
func named(f *os.File, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", f.Name(), err)
}

// matrix reads a 2-dimensional array.
func matrix(a *numpy.Array) (m blas32.General, err error) {
	rows, columns, err := a.Matrix()
	if err != nil {
		return m, err
	}
	m = blas32.General{Rows: rows, Cols: columns, Stride: columns}
	if !a.Fortran {
		m.Data, err = numpy.Values[float32](a)
		return m, err
	}
	if err := limit.Memory(fmt.Sprintf("%d×%d matrix", rows, columns), 4*float64(rows)*float64(columns)); err != nil {
		return m, err
	}
	m.Data = make([]float32, rows*columns)
	k := 0
	return m, numpy.Blocks(a, func(values []float32) error {
		for _, v := range values {
			m.Data[k%rows*columns+k/rows] = v
			k++
		}
		return nil
	})
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
