package extsort

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/mapped"
)

// atOnce is the most runs that are merged at once: systems open as few as 256 files. It is a
// variable for tests.
var atOnce = 100

// Merge calls do with all keys in increasing order, equal ones in the order in which they
// were added, and with their weights, 1 without weights. It takes about the given bytes of
// memory. Many runs are merged in several passes, for which they need their size on the disk
// once more.
func (r Runs) Merge(ctx context.Context, dir string, memory int64, do func(key uint64, weight float64) error) error {
	var all []span
	for k, keys := range r.Keys {
		all = append(all, span{r.path(dir, k), keys})
	}
	for pass := 0; len(all) > atOnce; pass++ {
		var fewer []span
		for first := 0; first < len(all); first += atOnce {
			group := all[first:min(first+atOnce, len(all))]
			joined := span{path: fmt.Sprintf("%s.pass-%d", group[0].path, pass)}
			for _, s := range group {
				joined.keys += s.keys
			}
			if err := r.join(ctx, group, joined, memory); err != nil {
				return err
			}
			fewer = append(fewer, joined)
		}
		all = fewer
	}
	return r.mergeSpans(ctx, all, memory, do)
}

// span is a file with a sorted run.
type span struct {
	path string
	keys int
}

// join merges runs into one, unless it is there. Weights follow the keys in a run, so they
// are merged once more.
func (r Runs) join(ctx context.Context, group []span, joined span, memory int64) error {
	if info, err := os.Lstat(joined.path); err == nil && info.Size() == r.bytes(joined.keys) {
		return nil
	}
	return atomicfile.Write(joined.path, func(w io.Writer) error {
		number := make([]uint64, 1)
		err := r.mergeSpans(ctx, group, memory, func(key uint64, _ float64) error {
			number[0] = key
			_, err := w.Write(mapped.Bytes(number))
			return err
		})
		if err != nil || !r.Weighted {
			return err
		}
		weight := make([]float64, 1)
		return r.mergeSpans(ctx, group, memory, func(_ uint64, v float64) error {
			weight[0] = v
			_, err := w.Write(mapped.Bytes(weight))
			return err
		})
	})
}

// cursor reads a run.
type cursor struct {
	key     uint64
	weight  float64
	run     int
	keys    *mapped.Reader[uint64]
	weights *mapped.Reader[float64] // nil without weights
}

// next moves to the next key.
func (c *cursor) next() (err error) {
	if c.key, err = c.keys.Next(); err == nil && c.weights != nil {
		c.weight, err = c.weights.Next()
	}
	return err
}

// before orders cursors by their keys, and then by their runs.
func (c *cursor) before(d *cursor) bool { return c.key < d.key || c.key == d.key && c.run < d.run }

// mergeSpans calls do with the keys of sorted files in increasing order, as Merge does, by a heap of
// their next keys.
func (r Runs) mergeSpans(ctx context.Context, spans []span, memory int64, do func(key uint64, weight float64) error) (err error) {
	var heap []*cursor
	for run, s := range spans {
		f, err := os.Open(s.path)
		if err != nil {
			return err
		}
		defer f.Close()
		block := int(min(1<<20, max(1, memory/r.bytes(len(spans)))))
		c := &cursor{run: run, weight: 1, keys: mapped.NewReader[uint64](f, 0, s.keys, block)}
		if r.Weighted {
			c.weights = mapped.NewReader[float64](f, 8*int64(s.keys), s.keys, block)
		}
		if err := c.next(); err != nil {
			return fmt.Errorf("%s: %w", s.path, err)
		}
		heap = append(heap, c)
	}
	for k := len(heap) - 1; k >= 0; k-- {
		sink(heap, k)
	}
	for count := 0; len(heap) > 0; count++ {
		if count&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		c := heap[0]
		if err := do(c.key, c.weight); err != nil {
			return err
		}
		switch err := c.next(); {
		case errors.Is(err, io.EOF):
			heap[0] = heap[len(heap)-1]
			heap = heap[:len(heap)-1]
		case err != nil:
			return fmt.Errorf("%s: %w", spans[c.run].path, err)
		}
		sink(heap, 0)
	}
	return nil
}

// sink moves a cursor down the heap to its place.
func sink(heap []*cursor, k int) {
	for {
		least := k
		for child := 2*k + 1; child <= 2*k+2 && child < len(heap); child++ {
			if heap[child].before(heap[least]) {
				least = child
			}
		}
		if least == k {
			return
		}
		heap[k], heap[least] = heap[least], heap[k]
		k = least
	}
}
