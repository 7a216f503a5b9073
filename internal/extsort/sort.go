package extsort

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/mapped"
)

// Sorter collects keys and writes them in sorted runs to a folder.
type Sorter struct {
	ctx  context.Context
	dir  string
	runs Runs

	size  int   // the most keys in a chunk
	chunk chunk // the keys since the last run
	spare chunk // memory to sort the chunk with; none before the first run
}

// chunk holds keys and, unless nil, a weight for each.
type chunk struct {
	keys    []uint64
	weights []float64
}

// Runs are the sorted runs in a folder, in the order in which their keys were added.
type Runs struct {
	Weighted bool  `json:"weighted"`
	Keys     []int `json:"keys"` // of each run
}

// NewSorter returns a sorter whose runs go to the folder dir. It takes about memory bytes of memory, but
// no more than mostKeys keys need, the most that will be added. weighted says that keys have weights.
// Runs that are there already must be those of the same keys and the same memory: they are left as
// they are.
func NewSorter(ctx context.Context, dir string, weighted bool, memory, mostKeys int64) *Sorter {
	bytesOfKey := int64(2 * 8) // with its place in the spare chunk
	if weighted {
		bytesOfKey *= 2
	}
	size := int(max(1, min(memory/bytesOfKey, mostKeys)))
	return &Sorter{ctx: ctx, dir: dir, runs: Runs{Weighted: weighted}, size: size, chunk: newChunk(min(firstKeys, size), weighted)}
}

// firstKeys is the number of keys that the first chunk has room for. It grows with the keys, since
// mostKeys may be far more than there are. It is a variable for tests.
var firstKeys = 1 << 10

// newChunk returns an empty chunk with room for some keys.
func newChunk(size int, weighted bool) (c chunk) {
	c.keys = make([]uint64, 0, size)
	if weighted {
		c.weights = make([]float64, 0, size)
	}
	return c
}

// Add adds a key. The weight counts only if the sorter has weights.
func (s *Sorter) Add(key uint64, weight float64) error {
	c := &s.chunk
	switch {
	case len(c.keys) == s.size:
		if err := s.write(); err != nil {
			return err
		}
	case len(c.keys) == cap(c.keys):
		larger := newChunk(min(2*len(c.keys), s.size), s.runs.Weighted)
		c.keys, c.weights = append(larger.keys, c.keys...), append(larger.weights, c.weights...)
	}
	c.keys = append(c.keys, key)
	if c.weights != nil {
		c.weights = append(c.weights, weight)
	}
	return nil
}

// Finish writes the last run and returns all runs. The sorter must not be used afterward.
func (s *Sorter) Finish() (Runs, error) {
	if len(s.chunk.keys) > 0 {
		if err := s.write(); err != nil {
			return Runs{}, err
		}
	}
	s.chunk, s.spare = chunk{}, chunk{}
	return s.runs, nil
}

// write sorts the chunk and writes it as the next run, unless that file is there with its whole size. It
// empties the chunk.
func (s *Sorter) write() error {
	c := &s.chunk
	path := s.runs.path(s.dir, len(s.runs.Keys))
	if info, err := os.Lstat(path); err != nil || info.Size() != s.runs.bytes(len(c.keys)) {
		if cap(s.spare.keys) < len(c.keys) {
			s.spare = newChunk(len(c.keys), s.runs.Weighted)
		}
		var err error
		if s.chunk, s.spare, err = sorted(s.ctx, s.chunk, s.spare); err != nil {
			return err
		}
		if err := atomicfile.Write(path, func(w io.Writer) error {
			if err := mapped.Write(s.ctx, w, mapped.Bytes(c.keys)); err != nil {
				return err
			}
			return mapped.Write(s.ctx, w, mapped.Bytes(c.weights))
		}); err != nil {
			return err
		}
	}
	s.runs.Keys = append(s.runs.Keys, len(c.keys))
	c.keys, c.weights = c.keys[:0], c.weights[:0]
	return nil
}

// Complete reports whether all runs are in the folder dir, with their whole size.
func (r Runs) Complete(dir string) bool {
	for run, keys := range r.Keys {
		info, err := os.Lstat(r.path(dir, run))
		if err != nil || !info.Mode().IsRegular() || info.Size() != r.bytes(keys) {
			return false
		}
	}
	return true
}

// path returns the path of the run with a number, from 0, in the folder dir.
func (r Runs) path(dir string, run int) string {
	return filepath.Join(dir, fmt.Sprintf("%s%06d", runPrefix, run))
}

// runPrefix begins the names of runs.
const runPrefix = "run-"

// IsRun reports whether a file with that name is a run.
func IsRun(name string) bool { return strings.HasPrefix(name, runPrefix) }

// bytes returns the size of the file of a run with that number of keys.
func (r Runs) bytes(keys int) int64 {
	if r.Weighted {
		return 16 * int64(keys)
	}
	return 8 * int64(keys)
}

// digit is the number of bits of a key that one pass sorts by: its counters stay in the L1
// cache.
const digit = 11

// Sort returns the keys in increasing order, and their weights in the same order; weights may be nil.
// Equal keys keep their order. Sort takes as much memory again as the slices, and overwrites them: they
// must not be used afterward.
func Sort(ctx context.Context, keys []uint64, weights []float64) ([]uint64, []float64, error) {
	src, dst := chunk{keys, weights}, chunk{keys: make([]uint64, len(keys))}
	if weights != nil {
		dst.weights = make([]float64, len(weights))
	}
	done, _, err := sorted(ctx, src, dst)
	return done.keys, done.weights, err
}

// sorted sorts the chunk src by its keys, by a radix sort: digit by digit from the lowest, each time
// from one chunk to the other. It overwrites src and dst, which has room for as many keys, and
// returns the one that is sorted, and the other one as spare. Equal keys keep their order, so that
// their weights are added in the order of the input.
func sorted(ctx context.Context, src, dst chunk) (done, spare chunk, err error) {
	const digits, values = (64 + digit - 1) / digit, 1 << digit // of a key, and of a digit
	var counts [digits][values]int                              // how many keys have a value as a digit
	for _, key := range src.keys {
		for d := range counts {
			counts[d][key>>(d*digit)%values]++
		}
	}
	dst.keys = dst.keys[:len(src.keys)]
	dst.weights = dst.weights[:len(src.weights)]
	for d := range counts {
		next := &counts[d] // becomes the place in dst of the next key with each value
		if len(src.keys) > 0 && next[src.keys[0]>>(d*digit)%values] == len(src.keys) {
			continue // all have the same digit
		}
		if err := ctx.Err(); err != nil {
			return src, dst, err
		}
		start := 0
		for v, count := range next {
			next[v] = start
			start += count
		}
		for k, key := range src.keys {
			position := &next[key>>(d*digit)%values]
			dst.keys[*position] = key
			if src.weights != nil {
				dst.weights[*position] = src.weights[k]
			}
			*position++
		}
		src, dst = dst, src
	}
	return src, dst, nil
}
