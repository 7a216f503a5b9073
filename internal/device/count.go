package device

import (
	"sync/atomic"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
)

// Counts is what backends did: tests hold it to the numbers of docs/gpu.md, because on a GPU
// the host waits for each of these calls.
type Counts struct {
	Executions, Sends, Fetches, SentBytes, FetchedBytes int64
}

// counting is where all backends that are opened count; nil: nowhere.
var counting atomic.Pointer[Counts]

// Count makes all backends that are opened from now on count in c, until stop is called. They
// share no buffers with the host, as a GPU has none to share, and run one call at a time.
func Count(c *Counts) (stop func()) {
	counting.Store(c)
	return func() { counting.Store(nil) }
}

// counted counts the calls of a backend.
type counted struct {
	compute.Backend
	counts *Counts
}

// HasSharedBuffers is false, as for a GPU, so that sends and fetches are counted.
func (b *counted) HasSharedBuffers() bool { return false }

// BufferFromFlatData counts numbers that are sent.
func (b *counted) BufferFromFlatData(on compute.DeviceNum, flat any, s shapes.Shape) (compute.Buffer, error) {
	atomic.AddInt64(&b.counts.Sends, 1)
	atomic.AddInt64(&b.counts.SentBytes, int64(s.ByteSize()))
	buffer, err := b.Backend.BufferFromFlatData(on, flat, s)
	if err != nil {
		return nil, err
	}
	return &countedBuffer{buffer, b}, nil
}

// Builder returns a builder of programs whose executions are counted.
func (b *counted) Builder(name string) compute.Builder {
	return &countedBuilder{b.Backend.Builder(name), b}
}

// countedBuffer is a buffer of a counted backend.
type countedBuffer struct {
	compute.Buffer
	backend *counted
}

func (b *countedBuffer) Backend() compute.Backend { return b.backend }

// ToFlatData counts numbers that are fetched.
func (b *countedBuffer) ToFlatData(flat any) error {
	if s, err := b.Shape(); err == nil {
		atomic.AddInt64(&b.backend.counts.FetchedBytes, int64(s.ByteSize()))
	}
	atomic.AddInt64(&b.backend.counts.Fetches, 1)
	return b.Buffer.ToFlatData(flat)
}

// countedBuilder is a builder of a counted backend.
type countedBuilder struct {
	compute.Builder
	backend *counted
}

func (b *countedBuilder) Compile() (compute.Executable, error) {
	e, err := b.Builder.Compile()
	if err != nil {
		return nil, err
	}
	return &countedExecutable{e, b.backend}, nil
}

// countedExecutable is a compiled program of a counted backend.
type countedExecutable struct {
	compute.Executable
	backend *counted
}

// Execute counts an execution. The inner backend gets its own buffers.
func (e *countedExecutable) Execute(args []compute.Buffer, donate []bool, on compute.DeviceNum) ([]compute.Buffer, error) {
	atomic.AddInt64(&e.backend.counts.Executions, 1)
	inner := make([]compute.Buffer, len(args))
	for k, b := range args {
		inner[k] = b.(*countedBuffer).Buffer
	}
	out, err := e.Executable.Execute(inner, donate, on)
	for k := range out {
		out[k] = &countedBuffer{out[k], e.backend}
	}
	return out, err
}
