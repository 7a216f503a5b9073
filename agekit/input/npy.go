package input

import (
	"context"
	"errors"
	"fmt"
	"os"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/files"
)

func init() {
	Register(Format{Extensions: []string{".npy"}, Features: readNPY})
}

// mapAbove is the size in bytes above which a feature file is memory-mapped. It is a variable
// for tests.
var mapAbove int64 = 64 << 20

// readNPY reads a 2-dimensional array, or maps it if the file is large and holds float32
// values in row-major order.
func readNPY(ctx context.Context, f *os.File, g *graph.Graph) error {
	size := sizeOf(f)
	a, err := files.OpenArray(f, size)
	if err != nil {
		return named(f, err)
	}
	if rows, columns, err := a.Matrix(); err == nil && size > mapAbove && a.Mappable() {
		if values, err := files.MapFloats(f.Name(), a.Offset); err == nil && len(values) == rows*columns {
			g.Features, err = denseFeatures(ctx, blas32.General{Rows: rows, Cols: columns, Stride: columns, Data: values})
			return named(f, err)
		}
	}
	g.Features, err = arrayFeatures(ctx, a)
	return named(f, err)
}

// sizeOf returns the size of a file that [files.Open] has opened, and so could ask.
func sizeOf(f *os.File) int64 {
	info, err := f.Stat()
	if err != nil {
		return 0
	}
	return info.Size()
}

// named adds the file's name to an error.
func named(f *os.File, err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%s: %w", f.Name(), err)
}
