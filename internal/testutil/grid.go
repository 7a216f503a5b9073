package testutil

import "math/rand/v2"

// family is a family of graphs: what its members have in common.
type family struct {
	name string
	draw func(c *FamilyConfig, rnd *rand.Rand)
}

// one returns one of several values.
func one[T any](rnd *rand.Rand, values ...T) T { return values[rnd.IntN(len(values))] }

// all are the families. draw changes what is drawn for all graphs alike.
var all = []family{
	{"words", func(c *FamilyConfig, rnd *rand.Rand) {
		c.Kind, c.Features, c.Separation = Words, one(rnd, 200, 500, 1200), one(rnd, .15, .25, .4)
		c.Signal = one(rnd, .4, .6, .8)
	}},
	{"counts", func(c *FamilyConfig, rnd *rand.Rand) {
		c.Kind, c.Features, c.Separation = Counts, one(rnd, 200, 500), one(rnd, .2, .3, .5)
		c.Signal = one(rnd, .4, .6, .8)
	}},
	{"dense", func(c *FamilyConfig, rnd *rand.Rand) {
		c.Kind, c.Features, c.Separation = Dense, one(rnd, 60, 200), one(rnd, .15, .25, .4)
		c.Signal, c.Degree = one(rnd, .5, .7, .9), one(rnd, 6., 15, 30)
	}},
	{"numbers", func(c *FamilyConfig, rnd *rand.Rand) {
		c.Kind, c.Features, c.Separation = Numbers, one(rnd, 4, 10, 30), one(rnd, .5, .8, 1.5)
		c.Signal = one(rnd, .4, .6, .8)
	}},
	{"factors", func(c *FamilyConfig, rnd *rand.Rand) {
		c.Kind, c.Features, c.Separation = Factors, one(rnd, 8, 20), one(rnd, .5, 1, 2.)
		c.Signal = one(rnd, .4, .6, .8)
	}},
	{"category", func(c *FamilyConfig, rnd *rand.Rand) {
		c.Kind, c.Features, c.Separation = Category, one(rnd, 16, 40, 80), one(rnd, .3, .5, .7)
		c.Signal = one(rnd, .4, .6, .8)
	}},
	{"weak features", func(c *FamilyConfig, rnd *rand.Rand) {
		c.Kind, c.Features = one(rnd, Numbers, Category, Words, Dense), one(rnd, 8, 40)
		if c.Kind == Words {
			c.Features = 400
		}
		c.Separation, c.Signal = one(rnd, 0, .1, .2), one(rnd, .6, .75, .9)
		c.Degree = one(rnd, 6., 12, 25)
	}},
	{"noise columns", func(c *FamilyConfig, rnd *rand.Rand) {
		c.Kind, c.Features, c.Separation = one(rnd, Numbers, Numbers, Category), 4*(1+rnd.IntN(3)), one(rnd, .5, 1, 1.5)
		c.Noise, c.Signal = one(rnd, 4, 20, 80), one(rnd, .4, .6, .8)
	}},
	{"random edges", func(c *FamilyConfig, rnd *rand.Rand) {
		c.Kind = one(rnd, Words, Numbers, Dense, Category)
		c.Features, c.Separation = 40, one(rnd, .6, .8)
		switch c.Kind {
		case Words:
			c.Features, c.Separation = 400, one(rnd, .3, .5)
		case Numbers:
			c.Features, c.Separation = 10, one(rnd, 1, 1.5)
		}
		c.Signal = one(rnd, 0, .05, .1)
	}},
	{"few edges", func(c *FamilyConfig, rnd *rand.Rand) {
		c.Kind = one(rnd, Words, Numbers, Category)
		c.Features, c.Separation = 40, one(rnd, .5, .7)
		switch c.Kind {
		case Words:
			c.Features, c.Separation = 400, one(rnd, .3, .5)
		case Numbers:
			c.Features, c.Separation = 10, one(rnd, .8, 1.2)
		}
		c.Degree, c.Signal = one(rnd, .05, .5, 1), one(rnd, .6, .9)
	}},
	{"unlike", func(c *FamilyConfig, rnd *rand.Rand) {
		c.Mixing, c.Signal, c.Degree = one(rnd, Unlike, Ring), one(rnd, .5, .7, .9), one(rnd, 6., 12, 25)
		c.Classes = 2 + rnd.IntN(4)
		c.Kind, c.Features, c.Separation = one(rnd, Words, Numbers, Dense), 60, one(rnd, .2, .35)
		switch c.Kind {
		case Words:
			c.Features = 400
		case Numbers:
			c.Features, c.Separation = 10, one(rnd, .5, .8)
		}
	}},
	{"nearest", func(c *FamilyConfig, rnd *rand.Rand) {
		c.Mixing, c.Signal, c.Degree = Nearby, one(rnd, .7, .9, 1), one(rnd, 6., 10, 20)
		c.Kind, c.Features, c.Separation = one(rnd, Numbers, Factors), one(rnd, 4, 10, 30), one(rnd, .6, .9, 1.5)
		c.Noise = one(rnd, 0, 0, 5)
	}},
}

// FamilyNames returns the names of the families.
func FamilyNames() (names []string) {
	for _, f := range all {
		names = append(names, f.name)
	}
	return names
}

// FamilyGrid returns count configurations of each family, the same ones each time.
func FamilyGrid(count int) (configs []FamilyConfig) {
	for i, f := range all {
		for j := range count {
			rnd := rand.New(rand.NewPCG(uint64(i), uint64(j)))
			c := FamilyConfig{
				Family: f.name, Nodes: one(rnd, 200, 400, 800), Classes: one(rnd, 2, 3, 5, 8), Imbalance: one(rnd, 1, 1, 3, 8.),
				Degree: one(rnd, 3., 6, 12), Spread: one(rnd, 0, .5, 1), Mixing: Alike, Seed: uint64(1000*i + j),
			}
			f.draw(&c, rnd)
			configs = append(configs, c)
		}
	}
	return configs
}
