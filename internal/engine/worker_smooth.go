package engine

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/dustin/go-humanize"
	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/graphfolder"
	"github.com/agekit/age/internal/mapped"
	"github.com/agekit/age/internal/simd"
)

// Smooth smooths a block of columns of the features of a graph's folder: columns From to To
// of HᵗX, the same bytes as those of [laplacian.Filter.Smooth] at the same SIMD level.
type Smooth struct {
	Folder string           `json:"folder"`
	From   int              `json:"from"`
	To     int              `json:"to"`
	Filter laplacian.Filter `json:"filter"` // with a number as K
	Unit   float64          `json:"unit"`   // that divides X, a power of two; 0 for 1
	// Memory is what the two buffers of a tile may take ([laplacian.TileWidth]). Mapped files
	// do not count, since the system may drop their pages.
	Memory int64 `json:"memory"`
	// Out is the file, n rows of To − From float32 numbers, little endian, and the footer of
	// a task.
	Out string `json:"-"`
}

// smoothTask is what the file of a task says of itself: all that decides about its bytes.
type smoothTask struct {
	Task   string  `json:"task"`
	Graph  string  `json:"graph"` // graphfolder.Folder.Sum
	From   int     `json:"from"`
	To     int     `json:"to"`
	K      float64 `json:"k"`
	Layers int     `json:"layers"`
	Unit   float64 `json:"unit"`
	Rows   int     `json:"rows"`
	SIMD   string  `json:"simd"`
}

// Run does the task: it writes s.Out, unless that is there and whole, in which case reused is true.
func (s Smooth) Run(ctx context.Context) (reused bool, err error) {
	if err := s.Filter.Check(); err != nil {
		return false, err
	}
	f, err := graphfolder.Open(ctx, s.Folder)
	if err != nil {
		return false, err
	}
	defer f.Close()
	if f.Features == nil {
		return false, fmt.Errorf("%s: no features: want a graph that was built with some", s.Folder)
	}
	n, _ := f.Graph.Features.Dims()
	if narrow := laplacian.NarrowTile(n); s.Memory < narrow {
		return false, fmt.Errorf("memory is %s: want at least %s, for two buffers of %d columns of %d nodes",
			humanize.Bytes(uint64(max(0, s.Memory))), humanize.Bytes(uint64(narrow)), simd.NarrowWidth, n)
	}
	task := smoothTask{Task: "smooth", Graph: f.Sum(), From: s.From, To: s.To, K: s.Filter.K, Layers: s.Filter.Layers, Unit: cmp.Or(s.Unit, 1), Rows: n, SIMD: simd.Level()}
	return write(ctx, s.Out, task, func(w io.Writer) error { return s.write(ctx, f, w) })
}

// write writes the rows of the block to w. The block is a single tile ([taskColumns]): of several tiles,
// the rows would come one tile after the other.
func (s Smooth) write(ctx context.Context, f *graphfolder.Folder, w io.Writer) error {
	op := laplacian.WithScale(f.Graph.Adjacency, f.Scale, f.MeanWeight)
	return s.Filter.EachTile(ctx, op, f.Graph.Features, cmp.Or(s.Unit, 1), s.From, s.To, s.Memory, func(_ int, columns blas32.General) error {
		return writeRows(ctx, w, columns)
	})
}

// writeRows writes the rows of m without their padding.
func writeRows(ctx context.Context, w io.Writer, m blas32.General) error {
	for i := range m.Rows {
		if i&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if _, err := w.Write(mapped.Bytes(m.Data[i*m.Stride:][:m.Cols])); err != nil {
			return err
		}
	}
	return nil
}
