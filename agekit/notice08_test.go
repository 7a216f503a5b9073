package agekit

import (
	"fmt"
	"slices"
	"testing"

	"github.com/agekit/age/agekit/experiment"
	"github.com/agekit/age/internal/testgraph"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

var notices08 = []notice{
	{"08", "On Cora, GAE falls from 0.42 with two layers to 0.29 with eight, while LS+RA stays between 0.39 and 0.43", func(t *testing.T) {
		gae, lsra := overLayers(t, "cora", "GAE-64"), overLayers(t, "cora", "LS+RA-64")
		for layers := 2; layers < 8; layers++ {
			below(t, fmt.Sprintf("GAE with %d layers", layers+1), gae[layers], gae[layers-1])
		}
		rounds(t, "GAE with two layers", gae[1], 0.42, 2)
		rounds(t, "GAE with eight layers", gae[7], 0.29, 2)
		rounds(t, "lowest LS+RA", slices.Min(lsra), 0.39, 2)
		rounds(t, "highest LS+RA", slices.Max(lsra), 0.43, 2)
	}},
	{"08", "On Citeseer, there is no such fall: GAE moves up and down between 0.10 and 0.22.", func(t *testing.T) {
		gae := overLayers(t, "citeseer", "GAE-64")
		rounds(t, "lowest GAE", slices.Min(gae), 0.10, 2)
		rounds(t, "highest GAE", slices.Max(gae), 0.22, 2)
		below(t, "GAE with one layer", gae[0], gae[7])
	}},
	{"08", "On Wiki, the best of all is GAE with *one* layer, at 0.496; no LS+RA is above 0.344, and no deeper GAE either.", func(t *testing.T) {
		gae, lsra := overLayers(t, "wiki", "GAE-64"), overLayers(t, "wiki", "LS+RA-64")
		rounds(t, "GAE with one layer", gae[0], 0.496, 3)
		rounds(t, "highest LS+RA", slices.Max(lsra), 0.344, 3)
		below(t, "deeper GAEs", slices.Max(gae[1:]), 0.3445)
	}},
	{"08", "on Wiki the second matrix and the ReLU cost 0.15.", func(t *testing.T) {
		rounds(t, "difference with one layer", overLayers(t, "wiki", "GAE-64")[0]-overLayers(t, "wiki", "LS+RA-64")[0], 0.15, 2)
	}},
	{"08", "On Wiki, with four, six and seven layers, at least one of the three trainings of GAE fails outright, with NMI of about 0.02. With one layer, all three are within 0.03 of each other.", func(t *testing.T) {
		for _, layers := range []int{4, 6, 7} {
			near(t, fmt.Sprintf("worst with %d layers", layers), slices.Min(gaeSeeds(t, "wiki", layers)), 0.02, 0.005)
		}
		for _, layers := range []int{1, 2, 3, 5, 8} {
			below(t, "the limit of failing", 0.025, slices.Min(gaeSeeds(t, "wiki", layers)))
		}
		one := gaeSeeds(t, "wiki", 1)
		below(t, "range with one layer", slices.Max(one)-slices.Min(one), 0.03)
	}},
	{"08", "On Cora, the three are within 0.03 of each other with two layers. With eight, the smoothed features alone have 0.484, more than LS+RA (0.420) and far more than GAE (0.291)", func(t *testing.T) {
		none := must(smoothedNMI(cora(), 1, []int{2, 8}))
		gae, lsra := overLayers(t, "cora", "GAE-64"), overLayers(t, "cora", "LS+RA-64")
		two := []float64{none[0], gae[1], lsra[1]}
		below(t, "range with two layers", floats.Max(two)-floats.Min(two), 0.03)
		rounds(t, "no weights, eight layers", none[1], 0.484, 3)
		rounds(t, "LS+RA, eight layers", lsra[7], 0.420, 3)
		rounds(t, "GAE, eight layers", gae[7], 0.291, 3)
	}},
	{"08", "On Wiki, one layer without weights has 0.496, the same as GAE with one layer to three digits: its training adds nothing there, and deeper GAEs are worse.", func(t *testing.T) {
		gae := overLayers(t, "wiki", "GAE-64")
		below(t, "deeper GAEs", slices.Max(gae[1:]), gae[0])
		rounds(t, "GAE with one layer", gae[0], 0.496, 3)
		g := testgraph.Load(t, "wiki")
		rounds(t, "no weights", must(smoothedNMI(g, 1, []int{1}))[0], 0.496, 3)
	}},
}

// gaeSeeds returns the NMI of GAE with a number of layers, by seed.
func gaeSeeds(t *testing.T, dataset string, layers int) []float64 {
	t.Helper()
	return scores(t, "NMI", experiment.Run{Dataset: dataset, Method: "GAE-64", Mode: experiment.Paper, Layers: layers})
}

// overLayers returns a method's mean NMI for one to eight layers.
func overLayers(t *testing.T, dataset, method string) []float64 {
	t.Helper()
	var means []float64
	for layers := 1; layers <= 8; layers++ {
		r := experiment.Run{Dataset: dataset, Method: method, Mode: experiment.Paper, Layers: layers}
		means = append(means, stat.Mean(scores(t, "NMI", r), nil))
	}
	return means
}
