package step

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/simd"
)

// TestColumnBlocks multiplies a matrix that is divided into blocks of columns by a tile. The
// product must equal that of the undivided matrix, bit by bit, and that of the definition in
// float64, to 1e-5. The entries are random numbers, or ones, which a matrix does not store.
func TestColumnBlocks(t *testing.T) {
	const n, f = 300, 2*blockColumns + 40 // two whole blocks and a narrow one
	const emptyRow = 7
	const stride = 3 * simd.TileWidth // the tile is part of wider rows
	rnd := rand.New(rand.NewPCG(1, 2))
	for name, value := range map[string]func() float32{
		"values": func() float32 { return float32(rnd.NormFloat64()) },
		"ones":   func() float32 { return 1 },
	} {
		var entries []graph.Entry
		for i := range int32(n) {
			for j := range int32(f) {
				if i != emptyRow && rnd.IntN(5) == 0 {
					entries = append(entries, graph.Entry{Row: i, Col: j, Value: value()})
				}
			}
		}
		m := graph.FromEntries(n, f, entries)
		src := make([]float32, (f-1)*stride+simd.TileWidth) // ends with the last row's tile
		for p := range src {
			src[p] = float32(rnd.NormFloat64())
		}
		blocks := newColumnBlocks(m)
		if len(blocks.blocks) != 3 { // a precondition: the entries are enough for blocks
			t.Fatalf("%s: %d blocks, want 3", name, len(blocks.blocks))
		}
		buffer := make([]float32, blocks.room())
		for p := range buffer {
			buffer[p] = float32(math.NaN()) // as if left by another product
		}
		got := blocks.multiply(buffer, src, stride)
		whole := make([]float32, n*simd.TileWidth)
		multiply(whole, simd.TileWidth, m, src, stride)
		if !slices.Equal(got, whole) {
			t.Errorf("%s: the product differs from that of the whole matrix", name)
		}
		for i := range n {
			for c := range simd.TileWidth {
				want := 0.0
				for j := range f {
					want += float64(m.At(i, j)) * float64(src[j*stride+c])
				}
				if d := math.Abs(float64(got[i*simd.TileWidth+c]) - want); !(d <= 1e-5*(1+math.Abs(want))) {
					t.Fatalf("%s: (%d, %d) is off by %v", name, i, c, d)
				}
			}
		}
	}
}
