package testutil_test

import (
	"math"
	"slices"
	"testing"

	"github.com/agekit/age/internal/testutil"
)

// TestGenerate: the share of edges within classes is that of the mixing, sizes differ as
// asked, and the same configuration gives the same graph.
func TestGenerate(t *testing.T) {
	for mixing, within := range map[testutil.Mixing]float64{testutil.Alike: 0.6 + 0.4/4, testutil.Unlike: 0.4 / 4, testutil.Ring: 0.4 / 4} {
		c := testutil.FamilyConfig{Nodes: 2000, Classes: 4, Imbalance: 1, Degree: 10, Spread: 0.5, Mixing: mixing, Signal: 0.6, Kind: testutil.Numbers, Features: 5, Separation: 1, Noise: 2, Seed: 3}
		g, err := testutil.GenerateFamily(c)
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
		again, err := testutil.GenerateFamily(c)
		if err != nil || g.Fingerprint() != again.Fingerprint() {
			t.Errorf("%s: another graph the second time (%v)", mixing, err)
		}
	}
}

// TestGrid: every family has as many graphs as asked, each valid, with all classes and all
// kinds of features among them.
func TestGrid(t *testing.T) {
	kinds, of := map[testutil.FeatureKind]bool{}, map[string]int{}
	for _, c := range testutil.FamilyGrid(3) {
		g, err := testutil.GenerateFamily(c)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Validate(); err != nil || slices.Max(g.Labels) != c.Classes-1 || g.N() != c.Nodes {
			t.Errorf("%s: %v", c.Name(), err)
		}
		kinds[c.Kind] = true
		of[c.Family]++
	}
	for _, name := range testutil.FamilyNames() {
		if of[name] != 3 {
			t.Errorf("%s: %d graphs", name, of[name])
		}
	}
	if len(kinds) != 6 {
		t.Errorf("kinds %v", kinds)
	}
}
