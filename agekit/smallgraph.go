package agekit

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// LaplacianOf returns I − D^-½(A + loop·I)D^-½ of a small graph with the given
// edges, where D has the row sums of A + loop·I. With a loop of 1 this is L̃sym, as
// from [LaplacianMatrix]; with 0 it is the Laplacian without self loops. It panics
// if a node has neither a neighbor nor a loop.
func LaplacianOf(n int, edges [][2]int, loop float64) *mat.SymDense {
	l, degree := mat.NewSymDense(n, nil), make([]float64, n)
	for i := range n {
		l.SetSym(i, i, loop)
		degree[i] = loop
	}
	for _, e := range edges {
		l.SetSym(e[0], e[1], 1)
		degree[e[0]]++
		degree[e[1]]++
	}
	for i := range n {
		if degree[i] == 0 {
			panic("agekit: a node without neighbors and without a self loop has no Laplacian")
		}
		for j := range i + 1 {
			l.SetSym(i, j, -l.At(i, j)/math.Sqrt(degree[i]*degree[j]))
		}
		l.SetSym(i, i, 1+l.At(i, i))
	}
	return l
}
