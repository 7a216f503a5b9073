package worker

import (
	"github.com/agekit/age/agekit/graph"
)

// filterRows sets h to the rows lo to hi of H = I − k·L̃sym, rounded as
// [laplacian.Operator.FilterMatrix] rounds them: once, from the product in 64 bits. It takes
// D̃^-½, and the weight of the loops that D̃ has. No matrix of the size of the graph is stored.
func filterRows(h *graph.CSR, a *graph.CSR, scale []float64, loop, k float64, lo, hi int) {
	h.Indptr, h.Indices, h.Values = append(h.Indptr[:0], 0), h.Indices[:0], h.Values[:0]
	for i := lo; i < hi; i++ {
		s := scale[i]
		own, added := float32(1-k*(1-loop*s*s)), false
		columns, weights := a.Row(i)
		for p, j := range columns {
			if !added && int(j) > i {
				h.Indices, h.Values = append(h.Indices, int32(i)), append(h.Values, own)
				added = true
			}
			w := 1.
			if weights != nil {
				w = float64(weights[p])
			}
			h.Indices, h.Values = append(h.Indices, j), append(h.Values, float32(k*s*w*scale[j]))
		}
		if !added {
			h.Indices, h.Values = append(h.Indices, int32(i)), append(h.Values, own)
		}
		h.Indptr = append(h.Indptr, len(h.Indices))
	}
}
