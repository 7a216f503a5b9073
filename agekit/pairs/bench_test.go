package pairs

import (
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
)

// clusteredRows returns n rows of length 1 with d columns, from seven clusters. Their similarities are
// spread over [0, 1] like those of embeddings.
func clusteredRows(n, d int) blas32.General {
	z := randomRows(n, d, 1)
	rnd := rand.New(rand.NewPCG(2, 0))
	for i := range n {
		const clusters = 7
		strength := rnd.Float32() / 8
		for c := i % clusters; c < d; c += clusters {
			z.Data[i*z.Stride+c] += strength
		}
	}
	return linalg.Normalize(z)
}

func BenchmarkSelect(b *testing.B) {
	testutil.BenchSizes(b, [3]int{2_500, 7_000, 20_000}, func(b *testing.B, n int) func() error {
		z := clusteredRows(n, 500)
		reportFloor(b, n, n*(n+1)/2, 0.005)
		return func() error {
			_, err := Select(b.Context(), z, 0.005, 0.3, Options{})
			return err
		}
	})
}

func BenchmarkDrawNegatives(b *testing.B) {
	testutil.BenchSizes(b, [3]int{2_500, 7_000, 20_000}, func(b *testing.B, n int) func() error {
		s := testutil.Value(Select(b.Context(), clusteredRows(n, 500), 0.001, 0.75, Options{})).OrFatal(b)
		return func() error {
			_, _, err := s.DrawNegatives(b.Context(), 100_000, rand.New(rand.NewPCG(1, 2)))
			return err
		}
	})
}

func BenchmarkSelectSampled(b *testing.B) {
	testutil.BenchSizes(b, [3]int{10_000, 40_000, 160_000}, func(b *testing.B, n int) func() error {
		z := clusteredRows(n, 500)
		reportFloor(b, n, 1024*n, 500_000/float64(n)/float64(n))
		return func() error {
			_, err := SelectSampled(b.Context(), z, 0.005, 0.3, 1024, 500_000, rand.New(rand.NewPCG(1, 2)))
			return err
		}
	})
}

// reportFloor reports a lower bound of the time of a selection ([testutil.ReportFloor]): the
// multiplications for the given number of ranked pairs of 500 dimensions, and the bytes of the n
// rows and of the listed pairs, a share of all n².
func reportFloor(b *testing.B, n, ranked int, listed float64) {
	const d = 500
	testutil.ReportFloor(b, float64(ranked*d), float64(4*n*d)+8*listed*float64(n)*float64(n))
}
