package tsne

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/agekit/age/internal/parallel"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
)

// affinity is the symmetric sparse matrix P, in CSR format. Its entries sum to 1.
type affinity struct {
	indptr  []int
	indices []int32
	values  []float64
}

// affinities returns P: the symmetrized p(j|i) over the nearest neighbors of each row.
func affinities(ctx context.Context, x blas32.General, perplexity float64) (affinity, error) {
	k := min(x.Rows-1, int(neighborFactor*perplexity+1))
	near, err := nearest(ctx, x, x, k)
	if err != nil {
		return affinity{}, err
	}
	parallel.Blocks(x.Rows, 16, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			calibrate(near[i*k:(i+1)*k], perplexity)
		}
	})
	return symmetric(near, x.Rows, k), nil
}

// neighbor is the index of a neighbor of some row, and its squared distance or,
// after calibrate, its probability.
type neighbor struct {
	index int32
	value float64
}

// nearest returns the k nearest rows of x to each of the given rows with their squared
// distances, nearest first. If the rows are x itself, a row is not its own neighbor.
// Candidates come from blocks of inner products in float32; their distances are computed
// again in float64, because cancellation makes short ones inaccurate in float32.
func nearest(ctx context.Context, of, x blas32.General, k int) ([]neighbor, error) {
	n := x.Rows
	same := of.Rows == n && &of.Data[0] == &x.Data[0]
	norms := make([]float32, n)
	for i := range n {
		row := blas32.Vector{N: x.Cols, Inc: 1, Data: x.Data[i*x.Stride:]}
		norms[i] = blas32.Dot(row, row)
	}
	near := make([]neighbor, of.Rows*k)
	block := max(16, min(256, 1<<23/n)) // keeps a block of the Gram matrix under 32 MB
	gram := blas32.General{Rows: block, Cols: n, Stride: n, Data: make([]float32, block*n)}
	for start := 0; start < of.Rows; start += block {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		gram.Rows = min(block, of.Rows-start)
		rows := blas32.General{Rows: gram.Rows, Cols: of.Cols, Stride: of.Stride, Data: of.Data[start*of.Stride:]}
		blas32.Gemm(blas.NoTrans, blas.Trans, 1, rows, x, 0, gram)
		parallel.Blocks(gram.Rows, 16, func(lo, hi int) {
			for r := lo; r < hi; r++ {
				i := start + r
				heap := near[i*k : i*k : (i+1)*k]
				for j, g := range gram.Data[r*n : (r+1)*n] {
					if j != i || !same {
						heap = keepSmallest(heap, neighbor{int32(j), float64(norms[j] - 2*g)})
					}
				}
				for p := range heap {
					heap[p].value = squaredDistance(of, i, x, int(heap[p].index))
				}
				slices.SortFunc(heap, func(a, b neighbor) int {
					return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(a.index, b.index))
				})
			}
		})
	}
	return near, nil
}

// keepSmallest adds v to a max-heap, and drops the largest value if the heap is full.
func keepSmallest(heap []neighbor, v neighbor) []neighbor {
	if len(heap) < cap(heap) {
		heap = append(heap, v)
		for c := len(heap) - 1; c > 0 && heap[c].value > heap[(c-1)/2].value; c = (c - 1) / 2 {
			heap[c], heap[(c-1)/2] = heap[(c-1)/2], heap[c]
		}
		return heap
	}
	if v.value >= heap[0].value {
		return heap
	}
	p := 0
	for c := 1; c < len(heap); c = 2*p + 1 {
		if c+1 < len(heap) && heap[c+1].value > heap[c].value {
			c++
		}
		if heap[c].value <= v.value {
			break
		}
		heap[p], p = heap[c], c
	}
	heap[p] = v
	return heap
}

// squaredDistance returns the squared distance between row i of x and row j of y.
func squaredDistance(x blas32.General, i int, y blas32.General, j int) float64 {
	a, b := row(x, i), row(y, j)
	var sum float64
	for c, v := range a {
		d := float64(v) - float64(b[c])
		sum += d * d
	}
	return sum
}

// calibrate replaces squared distances, in increasing order, by probabilities
// pⱼ ∝ exp(−β dⱼ²) with entropy log(perplexity), and finds β by bisection. If more rows
// than the perplexity are tied for nearest, no β reaches that entropy, and the largest
// one tried gives these rows equal probabilities.
func calibrate(row []neighbor, perplexity float64) {
	const tolerance, tries = 1e-9, 200
	first := row[0].value
	var mean float64
	for i := range row {
		row[i].value -= first // does not affect pⱼ, and makes the largest term 1
		mean += row[i].value / float64(len(row))
	}
	low, high, beta := 0.0, math.Inf(1), 1.0
	if mean > 0 {
		beta = 1 / mean
	}
	var sum float64
	for range tries {
		var weighted float64
		sum = 0
		for _, v := range row {
			e := math.Exp(-beta * v.value)
			sum += e
			weighted += e * v.value
		}
		surplus := math.Log(sum) + beta*weighted/sum - math.Log(perplexity)
		if math.Abs(surplus) < tolerance || mean == 0 {
			break
		}
		if surplus > 0 {
			low = beta
		} else {
			high = beta
		}
		if math.IsInf(high, 1) {
			if beta > math.MaxFloat64/4 {
				break
			}
			beta *= 2
		} else {
			beta = (low + high) / 2
		}
	}
	sum = 0
	for i := range row {
		row[i].value = math.Exp(-beta * row[i].value)
		sum += row[i].value
	}
	for i := range row {
		row[i].value /= sum
	}
}

// symmetric returns P with pᵢⱼ = (p(j|i)+p(i|j))/2n.
func symmetric(near []neighbor, n, k int) affinity {
	count := make([]int, n+1)
	for e, v := range near {
		count[e/k+1]++
		count[v.index+1]++
	}
	for i := range n {
		count[i+1] += count[i]
	}
	entries := make([]neighbor, 2*len(near))
	next := slices.Clone(count[:n])
	for e, v := range near {
		i := int32(e / k)
		half := v.value / float64(2*n)
		entries[next[i]] = neighbor{v.index, half}
		next[i]++
		entries[next[v.index]] = neighbor{i, half}
		next[v.index]++
	}
	p := affinity{indptr: make([]int, n+1)}
	for i := range n {
		row := entries[count[i]:count[i+1]]
		slices.SortFunc(row, func(a, b neighbor) int { return cmp.Compare(a.index, b.index) })
		for e, v := range row {
			if e > 0 && v.index == row[e-1].index {
				p.values[len(p.values)-1] += v.value
				continue
			}
			p.indices = append(p.indices, v.index)
			p.values = append(p.values, v.value)
		}
		p.indptr[i+1] = len(p.indices)
	}
	return p
}
