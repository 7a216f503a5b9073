package simd

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// tolerance returns how far a float32 sum of n terms of size one may be from the sum in float64: the error
// is at most about n·2⁻²⁴, and the tolerance twice that, for some terms more.
func tolerance(n int) float64 { return float64(n+8) * 2 * math.Pow(2, -24) }

// random returns n random numbers from −1 to 1.
func random(rnd *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = rnd.Float32()*2 - 1
	}
	return x
}

// near fails the test if a sum of n terms is not within the tolerance of what it should be.
func near(t *testing.T, what string, got float32, want float64, n int) {
	t.Helper()
	if !(math.Abs(float64(got)-want) <= tolerance(n)) {
		t.Errorf("%s: got %v, want %v (tolerance %.2g)", what, got, want, tolerance(n))
	}
}

// dot64 returns the dot product in float64.
func dot64(a, b []float32) (s float64) {
	for i := range a {
		s += float64(a[i]) * float64(b[i])
	}
	return s
}

// TestDotAndGramBlock: at every level, the products of GramBlock are those of plain loops in float64, within
// the tolerance, and have the bits of Dot.
func TestDotAndGramBlock(t *testing.T) { atEveryLevel(t, testDotAndGramBlock) }

func testDotAndGramBlock(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, k := range []int{0, 16, 48, 512, 1440} {
		for _, shape := range [][2]int{{1, 1}, {4, 4}, {5, 7}, {9, 3}, {16, 33}} {
			rows, cols, stride := shape[0], shape[1], k+16
			a, b := random(rnd, rows*stride), random(rnd, cols*stride)
			dst := random(rnd, rows*cols)
			GramBlock(dst, a, b, rows, cols, k, stride)
			for i := range rows {
				for j := range cols {
					x, y := a[i*stride:i*stride+k], b[j*stride:j*stride+k]
					near(t, fmt.Sprintf("gram %d×%d, k=%d (%d,%d)", rows, cols, k, i, j), dst[i*cols+j], dot64(x, y), k)
					if d := Dot(x, y); d != dst[i*cols+j] {
						t.Fatalf("k=%d: Dot %v and GramBlock %v differ", k, d, dst[i*cols+j])
					}
				}
			}
		}
	}
}

// TestPairDots: at every level, the products have the bits of Dot, for numbers of pairs with and without a
// rest beyond four at a time. A row outside of the matrix panics.
func TestPairDots(t *testing.T) { atEveryLevel(t, testPairDots) }

func testPairDots(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	const rows = 20
	for _, k := range []int{0, 16, 48, 512} {
		stride := k + 16
		a := random(rnd, (rows-1)*stride+k) // the last row ends the numbers
		for _, count := range []int{0, 1, 3, 4, 7, 8, 21} {
			i, j, dst := make([]int32, count), make([]int32, count), make([]float32, count)
			for p := range i {
				i[p], j[p] = rnd.Int32N(rows), rnd.Int32N(rows)
			}
			PairDots(dst, a, stride, k, i, j)
			for p, got := range dst {
				x, y := int(i[p])*stride, int(j[p])*stride
				if want := Dot(a[x:x+k], a[y:y+k]); got != want {
					t.Fatalf("k=%d, pair %d of %d: %v, want %v", k, p, count, got, want)
				}
			}
		}
		for _, outside := range []int32{-1, rows} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("k=%d: no panic for row %d of %d", k, outside, rows)
					}
				}()
				PairDots(make([]float32, 1), a, stride, k, []int32{0}, []int32{outside})
			}()
		}
	}
}

// TestTiles: at every level, the products of sparse, dense and transposed matrices with a tile are those of
// plain loops in float64, within the tolerance, and nothing beside them is written. The matrices have
// more rows and columns than the kernels take at a time, and fewer.
func TestTiles(t *testing.T) { atEveryLevel(t, testTiles) }

func testTiles(t *testing.T) {
	for _, size := range []struct{ rows, k, srcStride int }{{37, 53, 80}, {37, 53, TileWidth}, {301, 299, TileWidth}, {301, 299, 528}} {
		testTilesOf(t, size.rows, size.k, size.srcStride)
	}
}

// testTilesOf compares the products of sparse, dense and transposed matrices of rows×k with a tile, in
// rows 2 to rows−2, with sums in float64.
func testTilesOf(t *testing.T, rows, k, srcStride int) {
	rnd := rand.New(rand.NewPCG(3, 4))
	stride, dstStride := k+2, 96
	a, src := random(rnd, rows*stride), random(rnd, k*srcStride)
	// The sparse matrix holds about a third of the dense one's entries.
	var indices []int32
	var values []float32
	indptr := []int{0}
	isSparseEntry := func(i, j int) bool { return (i*31+j*17)%3 == 0 && i != 5 }
	transposed := make([]float32, (k-1)*rows+rows-1) // what is not read is not there
	for i := range rows - 1 {
		for j := range k {
			transposed[j*rows+i] = a[i*stride+j]
		}
	}
	for i := range rows {
		for j := range k {
			if isSparseEntry(i, j) {
				indices, values = append(indices, int32(j)), append(values, a[i*stride+j])
			}
		}
		indptr = append(indptr, len(indices))
	}
	denseEntry := func(i, j int) float32 { return a[i*stride+j] }
	for name, product := range map[string]struct {
		entry func(i, j int) float32 // of the matrix that is multiplied
		run   func(dst []float32, lo, hi int)
	}{
		"csr": {
			func(i, j int) float32 {
				if isSparseEntry(i, j) {
					return a[i*stride+j]
				}
				return 0
			},
			func(dst []float32, lo, hi int) {
				CSRTile(dst, dstStride, indptr, indices, values, src, srcStride, lo, hi)
			},
		},
		"ones": {
			func(i, j int) float32 {
				if isSparseEntry(i, j) {
					return 1
				}
				return 0
			},
			func(dst []float32, lo, hi int) {
				CSRTile(dst, dstStride, indptr, indices, nil, src, srcStride, lo, hi)
			},
		},
		"dense": {denseEntry, func(dst []float32, lo, hi int) {
			DenseTile(dst, dstStride, a, stride, k, src, srcStride, lo, hi)
		}},
		"transposed": {denseEntry, func(dst []float32, lo, hi int) {
			for i := lo; i < hi; i++ {
				clear(dst[i*dstStride:][:TileWidth])
			}
			const first = 30 // added in two parts
			AddTransposedTile(dst, dstStride, transposed, rows, first, src, srcStride, lo, hi)
			AddTransposedTile(dst, dstStride, transposed[first*rows:], rows, k-first, src[first*srcStride:], srcStride, lo, hi)
		}},
	} {
		const lo = 2
		hi := rows - 1
		dst := random(rnd, rows*dstStride)
		before := slices.Clone(dst)
		product.run(dst, lo, hi)
		for i := range rows {
			for c := range dstStride {
				got := dst[i*dstStride+c]
				if i < lo || i >= hi || c >= TileWidth {
					if got != before[i*dstStride+c] {
						t.Fatalf("%s: wrote outside its tile at (%d, %d)", name, i, c)
					}
					continue
				}
				want := 0.
				for j := range k {
					want += float64(product.entry(i, j)) * float64(src[j*srcStride+c])
				}
				near(t, fmt.Sprintf("%s (%d, %d)", name, i, c), got, want, k)
			}
		}
	}
}

// TestPanels: at every level, MulPanel and MulTransPanel add the products of plain loops, for a matrix that
// Widen wrote. The sums have at most 70 terms of size one, which another order of additions changes by
// at most 70²·2⁻⁵³.
func TestPanels(t *testing.T) { atEveryLevel(t, testPanels) }

func testPanels(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 12))
	for _, rows := range []int{1, 3, 4, 7, 8, 12, 13, 67} {
		for _, cols := range []int{1, 3, 4, 7, 8, 12, 13, 67} {
			stride, xStride, dstStride := cols+3, PanelWidth+5, PanelWidth+2
			narrow := random(rnd, (rows-1)*stride+cols) // the last row ends the numbers
			a := make([]float64, len(narrow))
			for i := range a {
				a[i] = math.NaN()
			}
			Widen(a, stride, narrow, stride, rows, cols)
			check := func(name string, rows, cols int, entry func(i, j int) float64, run func(dst, x []float64)) {
				x, dst := make([]float64, (cols-1)*xStride+PanelWidth), make([]float64, (rows-1)*dstStride+PanelWidth)
				for i := range x {
					x[i] = rnd.Float64()*2 - 1
				}
				for i := range dst {
					dst[i] = rnd.Float64()
				}
				before := slices.Clone(dst)
				run(dst, x)
				for p, got := range dst {
					i, c := p/dstStride, p%dstStride
					want := before[p]
					if c < PanelWidth {
						for j := range cols {
							want += entry(i, j) * x[j*xStride+c]
						}
					}
					if !(math.Abs(got-want) <= 70*70*math.Pow(2, -53)) {
						t.Fatalf("%s %d×%d (%d, %d): got %v, want %v", name, rows, cols, i, c, got, want)
					}
				}
			}
			check("product", rows, cols, func(i, j int) float64 { return float64(narrow[i*stride+j]) }, func(dst, x []float64) {
				MulPanel(dst, dstStride, a, stride, rows, cols, x, xStride)
			})
			check("transposed product", cols, rows, func(i, j int) float64 { return float64(narrow[j*stride+i]) }, func(dst, x []float64) {
				MulTransPanel(dst, dstStride, a, stride, rows, cols, x, xStride)
			})
		}
	}
}

// TestRows: at every level, Sum, Min, Axpy, ShiftScale and Combine give what plain loops in float64 give,
// within the tolerance, for lengths with and without a rest beyond the assembly's blocks.
func TestRows(t *testing.T) { atEveryLevel(t, testRows) }

func testRows(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{1, 7, 8, 52, 500, 513} {
		x, y := random(rnd, n), random(rnd, n)
		var total float64
		smallest, index := x[0], 0
		for i, v := range x {
			total += float64(v)
			if v < smallest {
				smallest, index = v, i
			}
		}
		near(t, "sum", Sum(x), total, n)
		if v, i := Min(x); v != smallest || i != index {
			t.Errorf("n=%d: Min gives %v at %d, want %v at %d", n, v, i, smallest, index)
		}
		sum, scaled, combined := append([]float32(nil), y...), make([]float32, n), make([]float32, n)
		Axpy(0.7, x, sum)
		ShiftScale(scaled, x, 0.25, 3)
		Combine(combined, 2, x, -0.5, y)
		for i := range n {
			near(t, "axpy", sum[i], float64(y[i])+float64(float32(0.7))*float64(x[i]), 1)
			near(t, "shift", scaled[i], (float64(x[i])-0.25)*3, 4)
			near(t, "combine", combined[i], 2*float64(x[i])-0.5*float64(y[i]), 2)
		}
	}
}

// TestAdam: at every level, the weights after each of 20 steps with random gradients are those of the
// algorithm written in float64, to 2·10⁻⁶.
func TestAdam(t *testing.T) { atEveryLevel(t, testAdam) }

func testAdam(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	const n, beta1, beta2, rate, epsilon = 21, 0.9, 0.999, 0.001, 1e-8
	w, m, v := random(rnd, n), make([]float32, n), make([]float32, n)
	w64, m64, v64 := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range w {
		w64[i] = float64(w[i])
	}
	for step := 1; step <= 20; step++ {
		g := random(rnd, n)
		c1, c2 := 1-math.Pow(beta1, float64(step)), 1-math.Pow(beta2, float64(step)) // corrections of the moments' bias
		Adam(w, g, m, v, AdamRates{
			Beta1: beta1, Beta2: beta2, StepSize: float32(rate / c1), Correction: float32(1 / math.Sqrt(c2)), Epsilon: epsilon,
		})
		for i, gi := range g {
			gi := float64(gi)
			m64[i] = beta1*m64[i] + (1-beta1)*gi
			v64[i] = beta2*v64[i] + (1-beta2)*gi*gi
			w64[i] -= rate * (m64[i] / c1) / (math.Sqrt(v64[i]/c2) + epsilon)
			if d := math.Abs(float64(w[i]) - w64[i]); d > 2e-6 {
				t.Fatalf("step %d, weight %d: off by %.2g", step, i, d)
			}
		}
	}
}

// TestLogistic: at every level, σ differs from that of math's functions by a share of 2·10⁻⁶ at most, and
// the sum of softplus by 10⁻⁶ a number, for small and large numbers, and for lengths that are no
// multiple of the assembly's blocks or of the numbers that share a logarithm.
func TestLogistic(t *testing.T) { atEveryLevel(t, testLogistic) }

func testLogistic(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	for _, n := range []int{0, 1, 7, 8, 13, 512, 1500} {
		for _, size := range []float32{1e-4, 1, 12, 60} {
			s := random(rnd, n)
			want := make([]float64, n)
			var sum, magnitude float64
			for i := range s {
				s[i] *= size
				x := float64(s[i])
				want[i] = 1 / (1 + math.Exp(-x))
				sum += max(x, 0) + math.Log1p(math.Exp(-math.Abs(x)))
				magnitude += max(x, 0) + 1
			}
			got := Logistic(s)
			if d := math.Abs(got - sum); d > 1e-6*magnitude {
				t.Errorf("%d numbers up to %v: sum of softplus off by %.2g", n, size, d)
			}
			for i, w := range want {
				if d := math.Abs(float64(s[i])/w - 1); d > 2e-6 {
					t.Fatalf("%d numbers up to %v: σ off by %.2g relative", n, size, d)
				}
			}
		}
	}
	for _, v := range []float32{0, float32(math.Copysign(0, -1)), 1e6, -1e6, -math.MaxFloat32, 79, -79} {
		const count = 9 // a register, and one more
		s := make([]float32, count)
		for i := range s {
			s[i] = v
		}
		x := float64(v)
		want := count * (max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))))
		if got := Logistic(s); !(math.Abs(got-want) <= 1e-6*(want+count)) {
			t.Errorf("nine times softplus(%v) is %v, want %v", v, got, want)
		}
		for _, got := range []float32{s[0], s[count-1]} { // by assembly, and by plain Go
			if want := 1 / (1 + math.Exp(-x)); !(math.Abs(float64(got)-want) <= 1e-6*want+1e-34) {
				t.Errorf("σ(%v) = %v, want %v", v, got, want)
			}
		}
	}
}

// TestBins: at every level, bins and marks are those that the formulas give here, for lengths with and
// without a rest, numbers outside [−1, 1], those on the bins' borders and beside them, and windows that
// are empty or hold all.
func TestBins(t *testing.T) { atEveryLevel(t, testBins) }

func testBins(t *testing.T) {
	rnd := rand.New(rand.NewPCG(15, 16))
	const count = 1 << 17
	for _, n := range []int{0, 1, 7, 8, 9, 64, 127} {
		for _, w := range []struct{ low, high, above int32 }{
			{low: 0, high: count, above: count}, // all
			{low: 9, high: 3, above: 7},         // none between low and high
			{low: 65536, high: 65600, above: 131000},
			{low: math.MaxInt32, high: math.MinInt32, above: math.MaxInt32}, // none
			{low: 0, high: 0, above: 0},
		} {
			s := random(rnd, n)
			for i := range s {
				border := float32(rnd.IntN(count))/(count/2) - 1 // of a bin
				switch i % 4 {
				case 0:
					s[i] *= 3 // often outside
				case 1:
					s[i] = border
				case 2:
					s[i] = math.Nextafter32(border, 0)
				}
			}
			dst, marks := make([]int32, n), bytes.Repeat([]byte{0xaa}, (n+7)/8) // some bits are set before
			Bins(dst, marks, s, count, w.low, w.high, w.above)
			for i, v := range s {
				want := min(max(int32((v+1)*(count/2)), 0), count-1)
				marked := want >= w.low && want <= w.high || want >= w.above
				if dst[i] != want || (marks[i/8]>>(i%8)&1 == 1) != marked {
					t.Fatalf("%d of %d: the bin of %v is %d, marks %08b; want %d, %v", i, n, v, dst[i], marks[i/8], want, marked)
				}
			}
			if n%8 != 0 && marks[n/8]>>(n%8) != 0 {
				t.Errorf("n=%d: bits beyond the end are set", n)
			}
		}
	}
}

func BenchmarkGramBlock(b *testing.B) {
	for _, k := range []int{64, 512, 1440} {
		b.Run(fmt.Sprintf("k=%d/native", k), func(b *testing.B) {
			const rows, cols = 64, 256
			rnd := rand.New(rand.NewPCG(1, 1))
			x, y, dst := random(rnd, rows*k), random(rnd, cols*k), make([]float32, rows*cols)
			for b.Loop() {
				GramBlock(dst, x, y, rows, cols, k, k)
			}
			b.ReportMetric(2*rows*cols*float64(k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}

func BenchmarkDenseTile(b *testing.B) {
	for _, k := range []int{128, 500, 1433} {
		b.Run(fmt.Sprintf("k=%d/native", k), func(b *testing.B) {
			const rows = 512
			rnd := rand.New(rand.NewPCG(1, 1))
			x, y, dst := random(rnd, rows*k), random(rnd, k*TileWidth), make([]float32, rows*TileWidth)
			for b.Loop() {
				DenseTile(dst, TileWidth, x, k, k, y, TileWidth, 0, rows)
			}
			b.ReportMetric(2*rows*TileWidth*float64(k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}

// BenchmarkCSRTile multiplies as on Cora with the filter, and on Wiki with the
// features.
func BenchmarkCSRTile(b *testing.B) {
	for _, size := range []struct{ rows, cols, entries int }{{2708, 2708, 5}, {2405, 4973, 640}} {
		b.Run(fmt.Sprintf("rows=%d,entries=%d/native", size.rows, size.entries), func(b *testing.B) {
			rnd := rand.New(rand.NewPCG(1, 1))
			indptr, indices := make([]int, size.rows+1), make([]int32, size.rows*size.entries)
			for p := range indices {
				indices[p] = rnd.Int32N(int32(size.cols))
			}
			for i := range indptr {
				indptr[i] = i * size.entries
				if i > 0 {
					slices.Sort(indices[indptr[i-1]:indptr[i]])
				}
			}
			values, src, dst := random(rnd, len(indices)), random(rnd, size.cols*TileWidth), make([]float32, size.rows*TileWidth)
			for b.Loop() {
				CSRTile(dst, TileWidth, indptr, indices, values, src, TileWidth, 0, size.rows)
			}
			b.ReportMetric(2*TileWidth*float64(len(indices))*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}
