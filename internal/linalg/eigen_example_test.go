package linalg_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/agekit/age/internal/linalg"
	"gonum.org/v1/gonum/blas/blas64"
)

// The matrix of ones has the eigenvalue n, for the constant vector, and n − 1
// times the eigenvalue 0.
func ExampleLeadingEigenvectors() {
	const n = 4
	ones := linalg.NewOperator(n, func(_ context.Context, dst, x blas64.General) error {
		for c := range x.Cols {
			sum := 0.0
			for i := range n {
				sum += x.Data[i*x.Stride+c]
			}
			for i := range n {
				dst.Data[i*dst.Stride+c] = sum
			}
		}
		return nil
	})
	values, vectors, err := linalg.LeadingEigenvectors(context.Background(), ones, 1, linalg.LeadingOptions{}, rand.New(rand.NewPCG(1, 0)))
	if err != nil {
		fmt.Println(err)
		return
	}
	first := vectors.Data[0] // the sign of an eigenvector is arbitrary
	fmt.Printf("%.3f, %.3f, %.3f\n", values[0], first*first, vectors.Data[vectors.Stride]/first)
	// Output: 4.000, 0.250, 1.000
}
