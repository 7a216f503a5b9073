package auto

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// family is a family of graphs: what its members have in common.
type family struct {
	name string
	draw func(c *familyConfig, rnd *rand.Rand)
}

// oneOf returns one of several values.
func oneOf[T any](rnd *rand.Rand, values ...T) T { return values[rnd.IntN(len(values))] }

// families are all. draw changes what is drawn for all graphs alike.
var families = []family{
	{"words", func(c *familyConfig, rnd *rand.Rand) {
		c.Kind, c.Features, c.Separation = wordKind, oneOf(rnd, 200, 500, 1200), oneOf(rnd, .15, .25, .4)
		c.Signal = oneOf(rnd, .4, .6, .8)
	}},
	{"counts", func(c *familyConfig, rnd *rand.Rand) {
		c.Kind, c.Features, c.Separation = countKind, oneOf(rnd, 200, 500), oneOf(rnd, .2, .3, .5)
		c.Signal = oneOf(rnd, .4, .6, .8)
	}},
	{"dense", func(c *familyConfig, rnd *rand.Rand) {
		c.Kind, c.Features, c.Separation = denseKind, oneOf(rnd, 60, 200), oneOf(rnd, .15, .25, .4)
		c.Signal, c.Degree = oneOf(rnd, .5, .7, .9), oneOf(rnd, 6., 15, 30)
	}},
	{"numbers", func(c *familyConfig, rnd *rand.Rand) {
		c.Kind, c.Features, c.Separation = numberKind, oneOf(rnd, 4, 10, 30), oneOf(rnd, .5, .8, 1.5)
		c.Signal = oneOf(rnd, .4, .6, .8)
	}},
	{"factors", func(c *familyConfig, rnd *rand.Rand) {
		c.Kind, c.Features, c.Separation = factorKind, oneOf(rnd, 8, 20), oneOf(rnd, .5, 1, 2.)
		c.Signal = oneOf(rnd, .4, .6, .8)
	}},
	{"category", func(c *familyConfig, rnd *rand.Rand) {
		c.Kind, c.Features, c.Separation = categoryKind, oneOf(rnd, 16, 40, 80), oneOf(rnd, .3, .5, .7)
		c.Signal = oneOf(rnd, .4, .6, .8)
	}},
	{"weak features", func(c *familyConfig, rnd *rand.Rand) {
		c.Kind, c.Features = oneOf(rnd, numberKind, categoryKind, wordKind, denseKind), oneOf(rnd, 8, 40)
		if c.Kind == wordKind {
			c.Features = 400
		}
		c.Separation, c.Signal = oneOf(rnd, 0, .1, .2), oneOf(rnd, .6, .75, .9)
		c.Degree = oneOf(rnd, 6., 12, 25)
	}},
	{"noise columns", func(c *familyConfig, rnd *rand.Rand) {
		c.Kind, c.Features, c.Separation = oneOf(rnd, numberKind, numberKind, categoryKind), 4*(1+rnd.IntN(3)), oneOf(rnd, .5, 1, 1.5)
		c.Noise, c.Signal = oneOf(rnd, 4, 20, 80), oneOf(rnd, .4, .6, .8)
	}},
	{"random edges", func(c *familyConfig, rnd *rand.Rand) {
		c.Kind = oneOf(rnd, wordKind, numberKind, denseKind, categoryKind)
		c.Features, c.Separation = 40, oneOf(rnd, .6, .8)
		switch c.Kind {
		case wordKind:
			c.Features, c.Separation = 400, oneOf(rnd, .3, .5)
		case numberKind:
			c.Features, c.Separation = 10, oneOf(rnd, 1, 1.5)
		}
		c.Signal = oneOf(rnd, 0, .05, .1)
	}},
	{"few edges", func(c *familyConfig, rnd *rand.Rand) {
		c.Kind = oneOf(rnd, wordKind, numberKind, categoryKind)
		c.Features, c.Separation = 40, oneOf(rnd, .5, .7)
		switch c.Kind {
		case wordKind:
			c.Features, c.Separation = 400, oneOf(rnd, .3, .5)
		case numberKind:
			c.Features, c.Separation = 10, oneOf(rnd, .8, 1.2)
		}
		c.Degree, c.Signal = oneOf(rnd, .05, .5, 1), oneOf(rnd, .6, .9)
	}},
	{"unlike", func(c *familyConfig, rnd *rand.Rand) {
		c.Mixing, c.Signal, c.Degree = oneOf(rnd, unlike, ring), oneOf(rnd, .5, .7, .9), oneOf(rnd, 6., 12, 25)
		c.Classes = 2 + rnd.IntN(4)
		c.Kind, c.Features, c.Separation = oneOf(rnd, wordKind, numberKind, denseKind), 60, oneOf(rnd, .2, .35)
		switch c.Kind {
		case wordKind:
			c.Features = 400
		case numberKind:
			c.Features, c.Separation = 10, oneOf(rnd, .5, .8)
		}
	}},
	{"nearest", func(c *familyConfig, rnd *rand.Rand) {
		c.Mixing, c.Signal, c.Degree = nearby, oneOf(rnd, .7, .9, 1), oneOf(rnd, 6., 10, 20)
		c.Kind, c.Features, c.Separation = oneOf(rnd, numberKind, factorKind), oneOf(rnd, 4, 10, 30), oneOf(rnd, .6, .9, 1.5)
		c.Noise = oneOf(rnd, 0, 0, 5)
	}},
}

// familyNames returns the names of the families.
func familyNames() (names []string) {
	for _, f := range families {
		names = append(names, f.name)
	}
	return names
}

// familyGrid returns count configurations of each family, the same ones each time.
func familyGrid(count int) (configs []familyConfig) {
	for i, f := range families {
		for j := range count {
			rnd := rand.New(rand.NewPCG(uint64(i), uint64(j)))
			c := familyConfig{
				Family: f.name, Nodes: oneOf(rnd, 200, 400, 800), Classes: oneOf(rnd, 2, 3, 5, 8), Imbalance: oneOf(rnd, 1, 1, 3, 8.),
				Degree: oneOf(rnd, 3., 6, 12), Spread: oneOf(rnd, 0, .5, 1), Mixing: alike, Seed: uint64(1000*i + j),
			}
			f.draw(&c, rnd)
			configs = append(configs, c)
		}
	}
	return configs
}

// TestGenerate: the share of edges within classes is that of the mixing, sizes differ as
// asked, and the same configuration gives the same graph.
func TestGenerate(t *testing.T) {
	for mixing, within := range map[mixing]float64{alike: 0.6 + 0.4/4, unlike: 0.4 / 4, ring: 0.4 / 4} {
		c := familyConfig{Nodes: 2000, Classes: 4, Imbalance: 1, Degree: 10, Spread: 0.5, Mixing: mixing, Signal: 0.6, Kind: numberKind, Features: 5, Separation: 1, Noise: 2, Seed: 3}
		g, err := generateFamily(c)
		if err != nil {
			t.Fatal(err)
		}
		same, total := 0., 0.
		for i := range g.N() {
			for j := range g.Adjacency.Each(i) {
				total++
				if g.Labels[i] == g.Labels[j] {
					same++
				}
			}
		}
		if math.Abs(same/total-within) > 0.03 || g.Edges() != 10000 {
			t.Errorf("%s: %.3f of %d edges are within classes, want %.3f", mixing, same/total, g.Edges(), within)
		}
		again, err := generateFamily(c)
		if err != nil || g.Fingerprint() != again.Fingerprint() {
			t.Errorf("%s: another graph the second time (%v)", mixing, err)
		}
	}
}

// TestGrid: every family has as many graphs as asked, each valid, with all classes and all
// kinds of features among them.
func TestGrid(t *testing.T) {
	kinds, of := map[featureKind]bool{}, map[string]int{}
	for _, c := range familyGrid(3) {
		g, err := generateFamily(c)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Validate(); err != nil || slices.Max(g.Labels) != c.Classes-1 || g.N() != c.Nodes {
			t.Errorf("%s: %v", c.Name(), err)
		}
		kinds[c.Kind] = true
		of[c.Family]++
	}
	for _, name := range familyNames() {
		if of[name] != 3 {
			t.Errorf("%s: %d graphs", name, of[name])
		}
	}
	if len(kinds) != 6 {
		t.Errorf("kinds %v", kinds)
	}
}
