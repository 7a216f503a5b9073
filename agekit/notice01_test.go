package agekit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/agekit/age/agekit/experiment"
	"gonum.org/v1/gonum/stat"
)

var notices01 = []notice{
	{"01", "On Cora, a word (0.65 on average) is closer to noise (0.72) than to a class (0.25 for class 0)", func(t *testing.T) {
		g, l := cora(), Laplacian(cora())
		rounds(t, "a word", stat.Mean(RayleighQuotients(g, g.Features.ToDense()), nil), 0.65, 2)
		rounds(t, "class 0", l.RayleighQuotient(class(g, 0)), 0.25, 2)
		// The mean over all noise is the mean of the eigenvalues. The notebook
		// draws one signal, whose deviation is about √(2·variance/n) = 0.01.
		near(t, "noise", stat.Mean(eigenvalues(t), nil), 0.72, 0.02)
		rnd := rand.New(rand.NewPCG(1, 0))
		noise := make([]float64, g.N())
		for i := range noise {
			noise[i] = rnd.NormFloat64()
		}
		rounds(t, "the notebook's noise", l.RayleighQuotient(noise), 0.72, 2)
	}},
	{"01", "On Cora, every feature is smoother than before, and all of them are now smoother than class 0 was in the first figure.", func(t *testing.T) {
		g := cora()
		before, after := RayleighQuotients(g, g.Features.ToDense()), RayleighQuotients(g, must(Smooth(g, 2.0/3, 8)))
		if len(before) != len(after) {
			t.Fatalf("%d features before, %d after", len(before), len(after))
		}
		for j := range before {
			if after[j] >= before[j] {
				t.Errorf("feature %d: %v before, %v after", j, before[j], after[j])
			}
		}
		below(t, "the roughest feature", slices.Max(after), Laplacian(g).RayleighQuotient(class(g, 0)))
	}},
	{"01", "On Cora, the figure above seems to favor $k = 1$.", func(t *testing.T) {
		g, values := cora(), map[float64]float64{}
		for _, k := range []float64{0.5, 2.0 / 3, InverseLambdaMax, 1} {
			values[k] = stat.Mean(RayleighQuotients(g, must(Smooth(g, k, 8))), nil)
		}
		for k, v := range values {
			if k != 1 {
				below(t, fmt.Sprintf("k = 1 against k = %v", k), values[1], v)
			}
		}
	}},
	{"01", "with $k = 1$ about half of it remains on Cora, with its sign flipped.", func(t *testing.T) {
		near(t, "1 − λmax", 1-must(LambdaMax(cora())), -0.5, 0.05)
	}},
	{"01", "$k = 2/3$, which the paper uses on all its data sets, is close to $1/\\lambda_{max}$, because $\\lambda_{max}$ is around $3/2$ on all of them.", func(t *testing.T) {
		for _, d := range []string{"cora", "citeseer", "wiki"} {
			near(t, "λmax of "+d, record(t, experiment.Run{Task: experiment.Spectrum, Dataset: d}).Scores["lambda_max"], 1.5, 0.11)
		}
	}},
}
