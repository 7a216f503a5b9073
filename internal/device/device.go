// Package device opens GoMLX backends, compiles graph code for them, moves matrices to and
// from them, and turns their errors and panics into errors that say what to do.
package device

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/system"
	"github.com/dustin/go-humanize"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/blas/blas32"
)

// Device is an open GoMLX backend. Programs may run at the same time; the rest is not for
// concurrent use.
type Device struct {
	Backend compute.Backend

	memory   int64 // of the device, in bytes; 0: no limit
	used     int64 // by the work of Open, in bytes
	programs []*Program
	pending  sync.WaitGroup // programs that are being compiled

	mu        sync.Mutex    // protects what follows
	compiled  int           // programs that were compiled
	compiling time.Duration // that this took
}

// Need is an estimate of the memory that some work takes on the device.
type Need struct {
	What  string // "training"
	Bytes int64
	// Less says how to need less memory: "use fewer dimensions (--dims)".
	Less string
}

// Open opens a backend for work that needs the memory n. Work that does not fit is an error that says how to
// need less.
func Open(choice backend.Choice, n Need) (*Device, error) {
	memory, source, err := available(choice)
	if err != nil {
		return nil, err
	}
	d := &Device{memory: memory, used: n.Bytes}
	if !d.Fits(0) { // the work alone
		return nil, fmt.Errorf("backend %s: %s needs about %s of device memory, but only %s is available (%s): %s",
			choice.Name, n.What, humanize.Bytes(uint64(n.Bytes)), humanize.Bytes(uint64(memory)), source, n.Less)
	}
	if memory == 0 { // the device is the processor
		if err := system.CheckMemory(fmt.Sprintf("%s on backend %s (%s)", n.What, choice.Name, n.Less), float64(n.Bytes)); err != nil {
			return nil, err
		}
	}
	d.Backend, err = backend.Open(choice)
	if c := counting.Load(); err == nil && c != nil {
		d.Backend = &counted{d.Backend, c}
	}
	return d, err
}

// Compiled returns the number of programs that were compiled, and the time that this took,
// which overlaps with that of other work.
func (d *Device) Compiled() (programs int, took time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.compiled, d.compiling
}

// Fits reports whether that many bytes fit in the device's memory beside the work of [Open].
func (d *Device) Fits(bytes int64) bool { return d.memory == 0 || d.used+bytes <= d.memory }

// Close frees the programs and the backend.
func (d *Device) Close() {
	d.pending.Wait()
	for _, p := range d.programs {
		p.exec.Finalize()
	}
	d.Backend.Finalize()
}

// Program is graph code, compiled for the shapes of its arguments: by [Program.Compile], or at
// its first call with them.
type Program struct {
	device *Device
	exec   *graph.Exec
	built  atomic.Int32 // how often its graph was built, once for each compilation
}

// Program returns a program of the given graph code.
func (d *Device) Program(build func(args []*graph.Node) []*graph.Node) *Program {
	p := &Program{device: d}
	p.exec = graph.MustNewExec(d.Backend, func(args []*graph.Node) []*graph.Node {
		p.built.Add(1)
		return build(args)
	})
	d.programs = append(d.programs, p)
	return p
}

// Compile begins to compile a program for arguments of these shapes. A call waits for that,
// and returns its error.
func (p *Program) Compile(args ...shapes.Shape) {
	p.device.pending.Go(func() {
		defer p.timed()()
		p.exec.Compile(args...) // fails again in Call
	})
}

// timed starts timing. If the program has been compiled when end is called, end adds that, and the time since
// the start, to what [Device.Compiled] returns.
func (p *Program) timed() (end func()) {
	start, built := time.Now(), p.built.Load()
	return func() {
		more := int(p.built.Load() - built)
		if more == 0 {
			return
		}
		p.device.mu.Lock()
		defer p.device.mu.Unlock()
		p.device.compiled += more
		p.device.compiling += time.Since(start)
	}
}

// Call runs a program. Arguments are tensors, numbers or slices, or what [Device.Donate]
// returns.
func (p *Program) Call(args ...any) ([]*tensors.Tensor, error) {
	defer p.timed()()
	return p.exec.Call(args...)
}

// Donate returns a tensor as an argument that the program may overwrite.
func (d *Device) Donate(t *tensors.Tensor) (any, error) {
	return graph.DonateTensorBuffer(t, d.Backend, 0)
}

// SendMatrix copies a matrix, without its padding, to a tensor that is on the device and not on the host.
func (d *Device) SendMatrix(a blas32.General) (*tensors.Tensor, error) {
	return Send(d, contiguous(a), a.Rows, a.Cols)
}

// Send copies the numbers of an array with these dimensions to a tensor that is on the device and not on the
// host.
func Send[T float32 | int32](d *Device, flat []T, dims ...int) (*tensors.Tensor, error) {
	buffer, err := d.Backend.BufferFromFlatData(0, flat, shapes.Make(dtypes.FromGenericsType[T](), dims...))
	if err != nil {
		return nil, err
	}
	return tensors.FromBuffer(buffer)
}

// Recovered returns r, which recover returned, as an error; nil if nothing panicked. GoMLX panics on errors
// in graph code.
func Recovered(r any) error {
	err, ok := r.(error)
	if !ok && r != nil {
		err = fmt.Errorf("%v", r)
	}
	return err
}

// Error returns err with the text what, which says what failed, before it. If the device ran out of memory, the
// error says so, and how to need less: the text less.
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
	return tensors.FromFlatDataAndDimensions(contiguous(a), a.Rows, a.Cols)
}

// contiguous returns the numbers of a matrix without padding: a copy, or its own if it has none.
func contiguous(a blas32.General) []float32 {
	if a.Stride == a.Cols {
		return a.Data[:a.Rows*a.Cols]
	}
	flat := make([]float32, a.Rows*a.Cols)
	linalg.Parallel(a.Rows, 256, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			copy(flat[i*a.Cols:(i+1)*a.Cols], a.Data[i*a.Stride:])
		}
	})
	return flat
}

// CopyRows copies the numbers of a tensor to the matrix dst of the same size.
func CopyRows(dst blas32.General, t *tensors.Tensor) error {
	return tensors.ConstFlatData(t, func(flat []float32) {
		linalg.Parallel(dst.Rows, 256, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				copy(dst.Data[i*dst.Stride:], flat[i*dst.Cols:(i+1)*dst.Cols])
			}
		})
	})
}
