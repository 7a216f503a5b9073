package step

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/simd"
)

// TestDenseBackward compares the gradient X̃ᵗg of dense.backward with sums in float64, for no
// rows, one part and several parts of the rows, and requires the same bytes on any number of
// cores.
func TestDenseBackward(t *testing.T) {
	const f, d = 3, 300 // four whole tiles and a narrow one
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, rows := range []int{0, 1, partRows, 2*partRows + 129} { // the last has three parts
		x, g := linalg.New(rows, f), linalg.New(rows, d)
		for i := range rows {
			for _, row := range [][]float32{x.Data[i*x.Stride:][:f], g.Data[i*g.Stride:][:d]} {
				for j := range row {
					row[j] = rnd.Float32() - 0.5
				}
			}
		}
		gradient := func(cores int) map[int][]float32 { // by tile
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
			var lock sync.Mutex
			tiles := map[int][]float32{}
			(&dense{x: x}).backward(g, func(tile int, sum []float32) {
				lock.Lock()
				defer lock.Unlock()
				tiles[tile] = slices.Clone(sum)
			})
			return tiles
		}
		tiles := gradient(1)
		for _, cores := range []int{2, 7, 40} {
			for tile, sum := range gradient(cores) {
				if !slices.Equal(sum, tiles[tile]) {
					t.Errorf("%d rows, tile %d: other bytes on %d cores", rows, tile, cores)
				}
			}
		}
		for j := range f {
			for c := range d {
				want := 0.
				for i := range rows {
					want += float64(x.Data[i*x.Stride+j]) * float64(g.Data[i*g.Stride+c])
				}
				// For float32 sums of up to 8,321 products below 1/4.
				if got := float64(tiles[c/simd.TileWidth][j*simd.TileWidth+c%simd.TileWidth]); math.Abs(got-want) > 2e-4 {
					t.Fatalf("%d rows, (%d, %d): %v, want %v", rows, j, c, got, want)
				}
			}
		}
	}
}
