package encoder

import (
	"context"
	"math/rand/v2"

	"github.com/agekit/age/internal/parallel"
	"github.com/agekit/age/internal/simd"
)

// DrawNegatives returns count negative pairs, drawn uniformly with
// replacement: a random pair is kept if its similarity is at most the
// threshold. A pair is tried 1.1 to 5 times on average with the paper's
// thresholds.
func (s *Selection) DrawNegatives(ctx context.Context, count int, rnd *rand.Rand) (i, j []int32, err error) {
	n := s.z.Rows
	share := float64(s.Negatives) / (float64(n) * float64(n))
	i, j = make([]int32, 0, count), make([]int32, 0, count)
	var c candidates
	for len(i) < count {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		// As many chunks as will surely be needed, or the last one, of
		// which only about as many pairs are compared as are missing.
		missing := int(float64(count-len(i)) / share)
		chunks := min(max(1, missing/20*19/candidateChunk), mostChunks)
		c.draw(chunks*candidateChunk, n, rnd)
		for lo := 0; lo < len(c.pairs) && len(i) < count; {
			hi := len(c.pairs)
			if chunks == 1 {
				missing = int(float64(count-len(i)) / share)
				hi = min(hi, lo+missing+64)
			}
			c.compare(s, lo, hi)
			for k := lo; k < hi && len(i) < count; k++ {
				if c.negative[k] {
					i, j = append(i, c.pairs[k].i), append(j, c.pairs[k].j)
				}
			}
			lo = hi
		}
	}
	return i, j, nil
}

// candidates are random pairs, some of which are negative. They are drawn in
// chunks of candidateChunk, at most mostChunks of them at a time.
type candidates struct {
	pairs    []candidate
	negative []bool
	ordered  []candidate // several chunks in the order of comparing
	found    []bool      // in that order
	next     []int32
}

// candidate is a pair of nodes and its place among the pairs.
type candidate struct{ i, j, at int32 }

const candidateChunk, mostChunks = 1 << 14, 32

// draw draws pairs of n nodes.
func (c *candidates) draw(count, n int, rnd *rand.Rand) {
	c.pairs, c.negative = resize(c.pairs, count), resize(c.negative, count)
	for k := range c.pairs {
		c.pairs[k] = candidate{rnd.Int32N(int32(n)), rnd.Int32N(int32(n)), int32(k)}
	}
	c.ordered = c.ordered[:0]
	if count == candidateChunk {
		return
	}
	// By tiles of 128×256 nodes: the rows of the 256 stay in the cache while
	// all others pass by.
	tiles := n>>7 + 1
	tile := func(p candidate) int { return int(p.j>>8)*tiles + int(p.i>>7) }
	c.ordered, c.next = resize(c.ordered, count), resize(c.next, (n>>8+1)*tiles+1)
	clear(c.next)
	for _, p := range c.pairs {
		c.next[tile(p)+1]++
	}
	for t := range len(c.next) - 1 {
		c.next[t+1] += c.next[t]
	}
	for _, p := range c.pairs {
		c.ordered[c.next[tile(p)]] = p
		c.next[tile(p)]++
	}
}

// compare says which of the pairs [lo, hi) are negative; of several chunks all.
func (c *candidates) compare(s *Selection, lo, hi int) {
	below := func(pairs []candidate, found []bool) {
		parallel.Blocks(len(pairs), 512, func(from, to int) {
			for k, p := range pairs[from:to] {
				found[from+k] = simd.Dot(row(s.z, int(p.i)), row(s.z, int(p.j))) <= s.NegThreshold
			}
		})
	}
	if len(c.ordered) == 0 {
		below(c.pairs[lo:hi], c.negative[lo:hi])
		return
	}
	c.found = resize(c.found, len(c.ordered))
	below(c.ordered, c.found)
	for k, p := range c.ordered {
		c.negative[p.at] = c.found[k]
	}
}
