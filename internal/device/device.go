// Package device opens GoMLX backends, compiles graph code for them, moves matrices to and
// from them, and turns their errors and panics into errors that say what to do.
package device

import (
	"fmt"
	"strings"
	"time"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/system"
	"github.com/dustin/go-humanize"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/distributed"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/blas/blas32"
)

// Device is an open GoMLX backend. It is not for concurrent use.
type Device struct {
	Backend compute.Backend
	// Devices is the number of the backend's devices that [Device.Spread] runs programs on.
	Devices int
	// Summed is how many bytes the last compiled program of several devices adds up over
	// them ([Device.Sum]).
	Summed int64
	// Compiled is the number of programs that were compiled, and Compiling the time that
	// this took, including the first run of each.
	Compiled  int
	Compiling time.Duration

	memory   int64 // 0: no limit
	used     int64
	programs []*Program
}

// Need is an estimate of the memory that some work takes on each device.
type Need struct {
	What  string // "training"
	Bytes int64
	// Less says how to need less memory: "use fewer dimensions (--dims)".
	Less string
}

// Open opens a backend, or returns an error if the work does not fit.
func Open(choice backend.Choice, n Need) (*Device, error) {
	memory, source, err := available(choice)
	if err != nil {
		return nil, err
	}
	d := &Device{Devices: max(1, choice.Devices), memory: memory, used: n.Bytes}
	if !d.Fits(0) {
		return nil, fmt.Errorf("backend %s: %s needs about %s of device memory, but only %s is available (%s): %s",
			choice.Name, n.What, humanize.Bytes(uint64(n.Bytes)), humanize.Bytes(uint64(memory)), source, n.Less)
	}
	if memory == 0 { // the devices are the processor
		if err := system.CheckMemory(fmt.Sprintf("%s on backend %s (%s)", n.What, choice.Name, n.Less), float64(d.Devices)*float64(n.Bytes)); err != nil {
			return nil, err
		}
	}
	d.Backend, err = backend.Open(choice)
	return d, err
}

// Fits reports whether so many bytes fit in memory beside the work of [Open].
func (d *Device) Fits(bytes int64) bool { return d.memory == 0 || d.used+bytes <= d.memory }

// Close frees the programs and the backend.
func (d *Device) Close() {
	for _, p := range d.programs {
		p.exec.Finalize()
	}
	d.Backend.Finalize()
}

// Program is graph code, compiled at its first call with arguments of given shapes.
type Program struct {
	device *Device
	exec   *graph.Exec
}

// Program returns a program of the given graph code, which runs on the first device.
func (d *Device) Program(build func(in []*graph.Node) []*graph.Node) *Program {
	exec := graph.MustNewExec(d.Backend, func(in []*graph.Node) []*graph.Node {
		d.Compiled++
		return build(in)
	})
	p := &Program{d, exec}
	d.programs = append(d.programs, p)
	return p
}

// Spread returns a program that runs on all devices at once, each with arguments of its
// own, of the same shapes. A call takes all arguments for the first device, then all for the
// second, and so on, and returns results in the same order.
func (d *Device) Spread(build func(in []*graph.Node) []*graph.Node) (*Program, error) {
	p := d.Program(build)
	if d.Devices == 1 {
		return p, nil
	}
	mesh, err := distributed.NewDeviceMesh([]int{d.Devices}, []string{"devices"})
	if err != nil {
		return nil, err
	}
	p.exec.SPMD(mesh)
	return p, nil
}

// Sum adds up each of the nodes over all devices, in the graph code of [Device.Spread].
func (d *Device) Sum(nodes ...*graph.Node) []*graph.Node {
	if d.Devices == 1 {
		return nodes
	}
	d.Summed = 0
	for _, node := range nodes {
		d.Summed += int64(node.Shape().ByteSize())
	}
	return nodes[0].Graph().Distributed().AllReduce(nodes, compute.ReduceOpSum)
}

// Call runs a program.
func (p *Program) Call(args ...any) ([]*tensors.Tensor, error) {
	compiled, start := p.device.Compiled, time.Now()
	out, err := p.exec.Call(args...)
	if p.device.Compiled > compiled {
		p.device.Compiling += time.Since(start)
	}
	return out, err
}

// Recovered returns what recover returned as an error, nil if nothing panicked. GoMLX panics
// on errors in graph code.
func Recovered(r any) error {
	err, ok := r.(error)
	if !ok && r != nil {
		err = fmt.Errorf("%v", r)
	}
	return err
}

// Error says what failed and, if the device ran out of memory, how to need less.
func Error(what, less string, err error) error {
	text := strings.ToLower(err.Error())
	if strings.Contains(text, "resource_exhausted") || strings.Contains(text, "out of memory") {
		return fmt.Errorf("%s: the device has too little memory: %s, or set AGEKIT_DEVICE_MEMORY to the free memory: %w", what, less, err)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// Floats returns the size of a float32 matrix in bytes.
func Floats(rows, cols int) int64 { return 4 * int64(rows) * int64(cols) }

// Matrix copies a matrix without its padding to a tensor.
func Matrix(a blas32.General) *tensors.Tensor {
	flat := make([]float32, a.Rows*a.Cols)
	linalg.Parallel(a.Rows, 256, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			copy(flat[i*a.Cols:(i+1)*a.Cols], a.Data[i*a.Stride:])
		}
	})
	return tensors.FromFlatDataAndDimensions(flat, a.Rows, a.Cols)
}

// CopyRows copies a tensor into a matrix of the same size.
func CopyRows(dst blas32.General, t *tensors.Tensor) error {
	return tensors.ConstFlatData(t, func(flat []float32) {
		linalg.Parallel(dst.Rows, 256, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				copy(dst.Data[i*dst.Stride:], flat[i*dst.Cols:(i+1)*dst.Cols])
			}
		})
	})
}
