package agekit

import (
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/cell"
	"github.com/agekit/age/internal/store"
)

// LambdaMax returns λmax, the largest eigenvalue of g's L̃sym.
func LambdaMax(g *graph.Graph) (float64, error) {
	return laplacian.LambdaMax(cell.Context(), Laplacian(g))
}

// Eigenvalues returns all eigenvalues of g's L̃sym in increasing order, and stores them for the
// next cell. A graph of more than 5,000 nodes is an error.
func Eigenvalues(g *graph.Graph) ([]float64, error) {
	key := store.NewKey("eigenvalues", laplacian.SpectrumVersion, g)
	return cell.Cached("eigenvalues", key, func() ([]float64, error) {
		return laplacian.Eigenvalues(cell.Context(), Laplacian(g))
	})
}
