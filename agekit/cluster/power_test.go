package cluster

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
)

// blobs returns n rows of length 1 without negative numbers, in d columns. They lie around k directions: row i
// near direction i mod k, with noise from 0 up to the given size in each column.
func blobs(n, d, k int, noise float32, seed uint64) blas32.General {
	rnd := rand.New(rand.NewPCG(seed, 0))
	z := blas32.General{Rows: n, Cols: d, Stride: d + 3, Data: make([]float32, n*(d+3))}
	for p := range z.Data {
		z.Data[p] = noise * rnd.Float32() // also in the padding, which must not be read
	}
	for i := range n {
		row := z.Data[i*z.Stride : i*z.Stride+d]
		for c := i % k; c < d; c += k {
			row[c]++
		}
		norm := blas32.Nrm2(blas32.Vector{N: d, Inc: 1, Data: row})
		for c := range row {
			row[c] /= norm
		}
	}
	return z
}

// TestGramPower compares degrees and products of the affinities max(zᵢ·zⱼ, 0)ᵖ, and |zᵢ·zⱼ| of [GramAbs], with
// float64 sums over the whole matrix, to a relative 3e-6. Entries are float32, so that a power p has an
// error of about p+1 units of 2⁻²⁴; sums of n entries are float64.
func TestGramPower(t *testing.T) {
	const n, d, b = 200, 21, 16
	z := blobs(n, d, 4, 1, 1)
	for i := range 30 { // gives similarities below 0, which count as 0
		z.Data[i*z.Stride+5] = -0.4
	}
	rnd := rand.New(rand.NewPCG(2, 0))
	x, y := randomMatrix[float64](rnd, n, b, b), linalg.NewMatrix[float64](n, b)
	const absolute = 0 // stands for GramAbs
	for _, p := range []float64{0.5, 0.7, 1, 2, 2.2, 2.5, 3, 4, absolute} {
		s := make([][]float64, n)
		for i := range s {
			s[i] = make([]float64, n)
			for j := range s[i] {
				for c := range d {
					s[i][j] += float64(z.Data[i*z.Stride+c]) * float64(z.Data[j*z.Stride+c])
				}
				if p == absolute {
					s[i][j] = math.Abs(s[i][j])
				} else {
					s[i][j] = math.Pow(max(s[i][j], 0), p)
				}
			}
			s[i][i] = 0
		}
		g := GramAbs(z)
		if p != absolute {
			g = newGramPower(z, p)
		}
		degrees := testutil.Value(g.Degrees(t.Context())).OrFatal(t)
		testutil.NoError(t, g.MulTo(t.Context(), blas64.General(y), blas64.General(x)))
		for i := range n {
			var degree float64
			for _, v := range s[i] {
				degree += v
			}
			if math.Abs(degrees[i]-degree) > 3e-6*degree {
				t.Fatalf("p=%v: degree %d is %v, want %v", p, i, degrees[i], degree)
			}
			for c := range b {
				var want, size float64
				for j, v := range s[i] {
					want += v * x.Row(j)[c]
					size += v * math.Abs(x.Row(j)[c])
				}
				if math.Abs(y.Row(i)[c]-want) > 3e-6*size {
					t.Fatalf("p=%v: product (%d, %d) is %v, want %v", p, i, c, y.Row(i)[c], want)
				}
			}
		}
	}
}

// TestGramPowerOne checks which affinity stands for the power 1: the Gram matrix, which costs least, for rows
// without negative numbers, and gramPower for rows with one. Numbers in the padding do not count.
func TestGramPowerOne(t *testing.T) {
	const n, d = 20, 5
	z := blobs(n, d, 2, 1, 1)
	z.Data[d+2] = -1 // in the padding of row 0
	if s, ok := newGramPower(z, 1).(gram); !ok {
		t.Errorf("power 1 is %T, want the Gram matrix", s)
	}
	z.Data[2] = -0.1
	if s, ok := newGramPower(z, 1).(gramPower); !ok {
		t.Errorf("with a negative number, power 1 is %T, want powers", s)
	}
}
