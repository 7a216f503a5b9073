package agekit

import (
	"math/rand/v2"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/spectrum"
	"github.com/agekit/age/agekit/store"
)

// LambdaMax returns the largest eigenvalue of L̃sym.
func LambdaMax(g *graph.Graph) (float64, error) {
	l, err := spectrum.LambdaMax(interrupt(), Laplacian(g), rand.New(rand.NewPCG(0, 0)), spectrum.LambdaMaxOptions{})
	return l.Value, err
}

// Eigenvalues returns all eigenvalues of L̃sym in increasing order, for a
// graph of at most 5,000 nodes.
func Eigenvalues(g *graph.Graph) ([]float64, error) {
	key := store.NewKey("eigenvalues", 1, g.Fingerprint())
	return cached("eigenvalues", key, func() ([]float64, error) {
		return spectrum.Eigenvalues(interrupt(), Laplacian(g), spectrum.EigenvaluesOptions{})
	})
}

// Density estimates the eigenvalue distribution of a graph of any size, using
// 16 random vectors.
func Density(g *graph.Graph) (*spectrum.Density, error) {
	key := store.NewKey("density of states", 1, g.Fingerprint())
	return cached("density of states", key, func() (*spectrum.Density, error) {
		return spectrum.EstimateDensity(interrupt(), Laplacian(g), rand.New(rand.NewPCG(0, 0)), spectrum.DensityOptions{})
	})
}
