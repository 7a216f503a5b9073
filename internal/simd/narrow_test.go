package simd

import (
	"math/rand/v2"
	"testing"
)

// TestNarrow: CSRNarrow gives the bits that CSRTile gives for the first 16 columns, at every level, for
// random sparse matrices with weights and of ones, and writes nothing beside them.
func TestNarrow(t *testing.T) { atEveryLevel(t, testNarrow) }

func testNarrow(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for _, rows := range []int{1, 37, 600} {
		for _, srcStride := range []int{NarrowWidth, 3 * NarrowWidth} {
			const k, dstStride = 53, NarrowWidth + 3 // rows of src, and room beside the tile in dst
			src := random(rnd, (k-1)*srcStride+TileWidth)
			indptr := []int{0}
			var indices []int32
			for range rows {
				for range rnd.IntN(9) {
					indices = append(indices, rnd.Int32N(k))
				}
				indptr = append(indptr, len(indices))
			}
			for _, values := range [][]float32{nil, random(rnd, len(indices))} {
				want, got := make([]float32, rows*TileWidth), make([]float32, rows*dstStride)
				CSRTile(want, TileWidth, indptr, indices, values, src, srcStride, 0, rows)
				CSRNarrow(got, dstStride, indptr, indices, values, src, srcStride, 0, rows)
				for i := range rows {
					for c, v := range got[i*dstStride:][:dstStride] {
						if c < NarrowWidth && v != want[i*TileWidth+c] || c >= NarrowWidth && v != 0 {
							t.Fatalf("row %d of %d, column %d: %v, want %v", i, rows, c, v, want[i*TileWidth+c])
						}
					}
				}
			}
		}
	}
}
