package agekit

import (
	"sync"
	"testing"

	"github.com/agekit/age/agekit/encoder"
	"gonum.org/v1/gonum/blas/blas32"
)

// smallerSettings are those of an encoder that takes two seconds. Where a notice
// compares, the notebook's differs more.
func smallerSettings() encoder.Options {
	c := Settings(cora())
	c.Seed, c.Epochs, c.Dims, c.LearningRate = 1, 100, 100, 0.003
	return c
}

var trainedSmaller = sync.OnceValue(func() *encoder.Result { return must(Train(cora(), smallerSettings())) })

func smaller(t *testing.T) *encoder.Result {
	t.Helper()
	if testing.Short() {
		t.Skip("trains")
	}
	return trainedSmaller()
}

// teachers returns the share of positive pairs of two different nodes of Cora
// that have the same class, and the share of the nodes that have such a pair.
func teachers(z blas32.General, pos float64) (same, nodes float64) {
	taught := map[int32]bool{}
	all := others(z, pos)
	for _, pair := range all {
		taught[pair[0]] = true
		if cora().Labels[pair[0]] == cora().Labels[pair[1]] {
			same++
		}
	}
	return same / float64(len(all)), float64(len(taught)) / float64(cora().N())
}

// others returns the positive pairs of two different nodes of Cora.
func others(z blas32.General, pos float64) (all [][2]int32) {
	s := must(Select(z, pos, 0.5))
	for k, i := range s.I {
		if j := s.J[k]; i != j {
			all = append(all, [2]int32{i, j})
		}
	}
	return all
}

// cosine returns the similarity of two rows.
func cosine(z blas32.General, i, j int32) float64 {
	row := func(i int32) blas32.Vector { return blas32.Vector{N: z.Cols, Inc: 1, Data: z.Data[int(i)*z.Stride:]} }
	return float64(blas32.Dot(row(i), row(j)) / blas32.Nrm2(row(i)) / blas32.Nrm2(row(j)))
}
