package bench

import (
	"math/bits"

	"github.com/agekit/age/agekit/graph"
)

// sizes are the numbers that the stages' counts are made of.
type sizes struct {
	n, m, f, d, t int
	x, xBytes     int   // entries of X that are not 0, and bytes of all of X
	layers        []int // multiply-adds of each layer of HᵗX with entries that are not 0
	rows          []int // entries of each row of X̃ that are not 0
	steps         int   // Lanczos steps to λmax
	anchors       int   // nodes whose pairs are ranked; n in exact mode
	positives     int   // pairs listed
	pairs, batch  int   // pairs of a training step, and entries of X̃ in their nodes' rows
	products      int   // block products of the spectral clustering
}

// stageCount is the least that a stage needs: multiply-adds, of which one in float64
// counts as two, and bytes, each operand read once and each result written once, as if a
// cache held all that lies between.
type stageCount struct {
	name                string
	multiplyAdds, bytes float64
}

// counts returns the stages in the order of a run. docs/performance.md has the formulas.
func (s sizes) counts() []stageCount {
	n, m, f, d := float64(s.n), float64(s.m), float64(s.f), float64(s.d)
	sum := func(values []int) (total float64) {
		for _, v := range values {
			total += float64(v)
		}
		return total
	}
	adjacency, x, xTilde := 8*m+8*n, float64(s.xBytes), sum(s.rows)
	// Filtering within the step, or X̃ beforehand: what takes less.
	within := float64(s.x) + float64(s.t)*(2*m+n)
	encode := func(entries float64) (perColumn, operands float64) {
		if entries < within {
			return entries, 4 * entries
		}
		return within, x + adjacency
	}
	all, allBytes := encode(xTilde)
	some, someBytes := encode(float64(s.batch))
	ranked := n * (n + 1) / 2
	if s.anchors < s.n {
		ranked = float64(s.anchors) * n
	}
	// Two triangles of ZᵀZ's size, or the product of differences with Zᵀ.
	choose := n * d * (d + 1)
	if s.n < s.d {
		choose = n * n * d
	}
	if s.n <= 1000 { // in float64, as cluster.DaviesBouldinGram says
		choose *= 2
	}
	pairs, blocks := float64(s.pairs), float64(s.products)
	return []stageCount{
		{"load", 0, adjacency + 8*n + x},
		{"λmax", 2 * float64(s.steps) * (2*m + 7*n), adjacency + 8*n},
		{"smooth", sum(s.layers), x + adjacency + 4*n*f},
		{"select", ranked * d, 4*n*d + 8*float64(s.positives)},
		// Both ways; a dot product and two rows of the gradient for a pair;
		// weights and both moments, read and written.
		{"train step", 2*some*d + 3*pairs*d, 24*f*d + someBytes + 12*pairs},
		{"embed", all * d, 4*f*d + allBytes + 4*n*d},
		// Zᵀx and Zy for the degrees and for each block of eight vectors.
		{"cluster", 2 * (2 + 16*blocks) * n * d, 4*n*d + 8*n},
		{"choose", choose, 4*n*d + 8*n},
	}
}

// smoothingCounts returns the multiply-adds of each layer of HᵗX if only entries that
// are not 0 are multiplied, and the number of such entries in each row of X̃: H has a
// positive entry for each edge and each node, so that nothing cancels.
func smoothingCounts(g *graph.Graph, layers int) (work, rows []int) {
	n, f := g.Features.Dims()
	words := (f + 63) / 64
	now, next := make([]uint64, n*words), make([]uint64, n*words)
	for i := range n {
		g.Features.EachInRow(i, func(column int, _ float32) { now[i*words+column/64] |= 1 << (column % 64) })
	}
	count := func(i int) (entries int) {
		for _, w := range now[i*words : (i+1)*words] {
			entries += bits.OnesCount64(w)
		}
		return entries
	}
	for range layers {
		total := 0
		copy(next, now)
		for i := range n {
			neighbours, _ := g.Adjacency.Row(i)
			total += (len(neighbours) + 1) * count(i)
			for _, j := range neighbours {
				for w := range words {
					next[i*words+w] |= now[int(j)*words+w]
				}
			}
		}
		work = append(work, total)
		now, next = next, now
	}
	rows = make([]int, n)
	for i := range rows {
		rows[i] = count(i)
	}
	return work, rows
}
