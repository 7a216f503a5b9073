package laplacian

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/simd"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
)

// TestTile compares smoothLarge, in which all cores share a tile and compute parts of H, with
// smoothTiles, which has H as a matrix: the smoothed features have the same bytes, for whole, partial
// and narrow tiles, sparse and dense features, edges with and without weights, and several numbers of
// layers.
func TestTile(t *testing.T) {
	const n = 9000 // nodes for more than two parts of tileRows rows
	const unit = 2 // the features are divided by it
	rnd := rand.New(rand.NewPCG(1, 1))
	var u, v []int32
	var weights []float32
	for i := range n {
		for range 3 {
			u, v = append(u, int32(i)), append(v, int32((i+1+rnd.IntN(n-1))%n))
			weights = append(weights, 0.5+rnd.Float32())
		}
	}
	graphs, widths, depths := []bool{false, true}, []int{1, 64, 150}, []int{0, 1, 3}
	if testing.Short() { // for the other SIMD levels
		graphs, widths, depths = graphs[1:], widths[2:], depths[2:]
	}
	for _, weighted := range graphs {
		w := weights
		if !weighted {
			w = nil
		}
		a := testutil.Value(graph.Adjacency(n, u, v, w)).OrFatal(t)
		op := New(a)
		for _, cols := range widths {
			d := linalg.New(n, cols)
			for i := range n {
				for j := range cols {
					if rnd.IntN(3) == 0 {
						d.Data[i*d.Stride+j] = rnd.Float32()
					}
				}
			}
			for _, x := range []graph.Features{{Dense: &d}, {Sparse: graph.FromDense(d)}} {
				for _, layers := range depths {
					f := Filter{K: 2.0 / 3, Layers: layers}
					smooth := func(how func(out blas32.General) error) []float32 {
						out := linalg.Narrow(n, cols)
						out.Data = make([]float32, n*out.Stride)
						testutil.NoError(t, how(out))
						return out.Data
					}
					want := smooth(func(out blas32.General) error { return f.smoothTiles(t.Context(), out, New(a), x, unit) })
					for width := simd.NarrowWidth; width <= simd.TileWidth; width *= 2 {
						memory := NarrowTile(n) * int64(width/simd.NarrowWidth)
						got := smooth(func(out blas32.General) error { return f.smoothLarge(t.Context(), out, op, x, unit, memory) })
						if !slices.Equal(got, want) {
							t.Errorf("weighted %v, %d columns, sparse %v, %d layers, tiles of %d columns: other bytes", weighted, cols, x.Sparse != nil, layers, width)
						}
					}
				}
			}
		}
	}
}

// TestLevels checks that levels give D̃^-½ of each node back, for 65,536 different values, as many as
// two bytes tell apart, and that newLevels returns nil for one more.
func TestLevels(t *testing.T) {
	const most = 1 << 16 // different values
	scale := make([]float64, 2*most)
	for i := range scale {
		scale[i] = 1 / math.Sqrt(float64(i%most+1))
	}
	l := newLevels(scale)
	if l == nil {
		t.Fatal("65,536 values: none")
	}
	for i, s := range scale {
		if l.values[l.levelOf[i]] != s {
			t.Fatalf("node %d: %v, want %v", i, l.values[l.levelOf[i]], s)
		}
	}
	// Nodes 7 and 7+most had one value; now they have two others.
	scale[7], scale[7+most] = 2, 3
	if newLevels(scale) != nil {
		t.Error("65,537 values: not refused")
	}
}

// TestTileFreed checks that the memory of a tile, which may be more than half of all memory, is free at
// the first garbage collection after its use: the tile's finalizer runs.
func TestTileFreed(t *testing.T) {
	freed := make(chan bool)
	func() {
		a := testutil.Value(graph.Adjacency(3, []int32{0, 1}, []int32{1, 2}, nil)).OrFatal(t)
		x := linalg.New(3, 16)
		shared := Filter{K: 0.5, Layers: 2}.newTile(New(a), graph.Features{Dense: &x}, 1, 16, 1<<20)
		if _, err := shared.smooth(t.Context(), 0, 16); err != nil {
			t.Fatal(err)
		}
		runtime.SetFinalizer(shared, func(*tile) { close(freed) })
	}()
	runtime.GC()
	select {
	case <-freed:
	case <-time.After(10 * time.Second):
		t.Error("something still holds the tile")
	}
}
