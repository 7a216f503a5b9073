package extsort

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/mapped"
)

// atOnce is the most runs that are merged at once: systems open as few as 256 files. It is a
// variable for tests.
var atOnce = 100

// Merge calls do with all keys of the runs in the folder dir in increasing order, equal ones in the
// order in which they were added, and with their weights; 1 if they have none. It takes about memory
// bytes of memory. More than a hundred runs are merged in several passes, which write files to dir: each
// pass takes the size of the runs on the disk once more.
func (r Runs) Merge(ctx context.Context, dir string, memory int64, do func(key uint64, weight float64) error) error {
	var all []span
	for k, keys := range r.Keys {
		all = append(all, span{r.path(dir, k), keys})
	}
	for pass := 0; len(all) > atOnce; pass++ {
		var fewer []span
		for group := range slices.Chunk(all, atOnce) {
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

// join merges the runs of a group into the file joined, unless that is there with its whole size. In a
// file, all weights follow the keys, so the runs are merged twice: for the keys, and for the weights.
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

// cursor reads a run, from its first key on.
type cursor struct {
	key     uint64  // the next key
	weight  float64 // its weight
	run     int
	keys    *mapped.Reader[uint64]
	weights *mapped.Reader[float64] // nil without weights
}

// next moves to the next key. The error is io.EOF at the end of the run.
func (c *cursor) next() (err error) {
	if c.key, err = c.keys.Next(); err == nil && c.weights != nil {
		c.weight, err = c.weights.Next()
	}
	return err
}

// before reports whether the key of c comes before that of d: equal keys are in the order of the runs.
func (c *cursor) before(d *cursor) bool { return c.key < d.key || c.key == d.key && c.run < d.run }

// mergeSpans calls do with the keys of sorted files in increasing order, as Merge does. A heap of cursors
// has the file with the least next key on top.
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
		if count&0xffff == 0 && ctx.Err() != nil { // seldom, because a check takes longer than a key
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

// sink moves the cursor at index k of the heap down to its place.
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
