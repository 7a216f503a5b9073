package gomlx

import (
	"context"
	"maps"
	"slices"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/internal/affine"
	on "github.com/agekit/age/internal/device"
	"github.com/agekit/age/internal/linalg"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/blas/blas32"
)

// device is a GoMLX backend with its work besides training: it
// holds a matrix and computes the similarities for selections and the products for
// spectral clustering.
type device struct {
	*on.Device
	similar  *on.Program
	kept     *tensors.Tensor // copy of a matrix on the host
	keptData *float32        // that matrix's first element
	onHost   map[string]bool // stages for which there is too little memory
}

// lessMemory says what to do when a training does not fit.
const lessMemory = "use smaller batches, fewer dimensions, or the native backend"

// openDevice opens a backend for training with the given number of bytes, or
// returns an error if they do not fit.
func openDevice(choice backend.Choice, trainingBytes int64) (*device, error) {
	opened, err := on.Open(choice, on.Need{What: "training", Bytes: trainingBytes, Less: lessMemory})
	if err != nil {
		return nil, err
	}
	d := &device{Device: opened, onHost: map[string]bool{}}
	d.similar = d.Program(func(in []*graph.Node) []*graph.Node {
		return []*graph.Node{gramTile(in[0], in[1], in[2], in[3])}
	})
	return d, nil
}

func (d *device) close() {
	d.forget()
	d.Close()
}

// put returns the rows of z on the device, copying them unless they are already
// there.
func (d *device) put(z blas32.General) *tensors.Tensor {
	if d.keptData != &z.Data[0] {
		d.forget()
		d.keep(z, on.Matrix(z))
	}
	return d.kept
}

// keep remembers a tensor with the rows of z.
func (d *device) keep(z blas32.General, rows *tensors.Tensor) {
	d.kept, d.keptData = rows, &z.Data[0]
}

// forget frees the rows on the device. It must be called before the matrix on
// the host changes.
func (d *device) forget() {
	if d.kept != nil {
		d.kept.MustFinalizeAll()
	}
	d.kept, d.keptData = nil, nil
}

// Gram computes similarities on the device if there is room for the rows and two
// tiles, and on the host otherwise.
func (d *device) Gram(left, right blas32.General, symmetric bool) (linalg.Gram, error) {
	bytes := on.Floats(left.Rows, left.Cols) + 2*on.Floats(min(tileRows, left.Rows), min(tileRows, right.Rows))
	if !symmetric {
		bytes += on.Floats(right.Rows, right.Cols)
	}
	if !d.Fits(bytes) {
		d.onHost["selection"] = true
		return linalg.HostGram(left, right, symmetric)
	}
	return &deviceGram{d, left, right, symmetric, nil}, nil
}

type deviceGram struct {
	device      *device
	left, right blas32.General
	symmetric   bool
	anchors     *tensors.Tensor // right's rows, unless they are left's
}

func (g *deviceGram) EachBlock(ctx context.Context, visit func(linalg.GramBlock)) (err error) {
	defer catch("selection", &err)
	left := g.device.put(g.left)
	right := left
	if !g.symmetric {
		if g.anchors == nil {
			g.anchors = on.Matrix(g.right)
		}
		right = g.anchors
	}
	for lo := 0; lo < g.left.Rows; lo += tileRows {
		first := 0
		if g.symmetric {
			first = lo
		}
		for from := first; from < g.right.Rows; from += tileRows {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := g.tile(left, right, lo, from, visit); err != nil {
				return deviceError("selection", err)
			}
		}
	}
	return ctx.Err()
}

// tile computes the tile of similarities that starts at row lo and column from
// and visits it in blocks. The program's tiles have a fixed size; the last ones
// start earlier, so that they end with the matrix, and only their new part is
// visited.
func (g *deviceGram) tile(left, right *tensors.Tensor, lo, from int, visit func(linalg.GramBlock)) error {
	height, width := min(tileRows, g.left.Rows), min(tileRows, g.right.Rows)
	firstRow, firstColumn := min(lo, g.left.Rows-height), min(from, g.right.Rows-width)
	out, err := g.device.similar.Call(left, right, []int32{int32(firstRow)}, []int32{int32(firstColumn)})
	if err != nil {
		return err
	}
	defer out[0].MustFinalizeAll()
	return tensors.ConstFlatData(out[0], func(tile []float32) {
		rows, cols := firstRow+height-lo, firstColumn+width-from
		tile = tile[(lo-firstRow)*width+from-firstColumn:]
		linalg.Parallel(rows, linalg.GramRows, func(r, end int) {
			for c := 0; c < cols; c += linalg.GramCols {
				visit(linalg.GramBlock{Lo: lo + r, Rows: end - r, From: from + c, Cols: min(linalg.GramCols, cols-c), Values: tile[r*width+c:], Stride: width})
			}
		})
	})
}

func (g *deviceGram) Close() {
	if g.anchors != nil {
		g.anchors.MustFinalizeAll()
	}
}

// Usage reports what was compiled and the stages that ran on the host.
func (d *device) Usage() affine.Usage {
	programs, took := d.Compiled()
	return affine.Usage{Programs: programs, Compile: took, OnHost: slices.Sorted(maps.Keys(d.onHost))}
}

// catch turns a panic into an error.
func catch(what string, err *error) {
	if r := on.Recovered(recover()); r != nil {
		*err = deviceError(what, r)
	}
}

func deviceError(what string, err error) error { return on.Error(what, lessMemory, err) }
