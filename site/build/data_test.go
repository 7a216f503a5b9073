package main

import (
	"errors"
	"math"
	"testing"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/testutil"
)

// TestHomophily compares each mark on the axis of the page lab.html, homophily, with the data set: of the edges
// between nodes of known class, the share that join nodes of the same class, rounded to two decimals. Data
// sets that are not on this machine are left out.
func TestHomophily(t *testing.T) {
	for _, mark := range homophily {
		title, marked := mark[0].(string), mark[1].(float64)
		name := map[string]string{"Cora": "cora", "Citeseer": "citeseer", "Wiki": "wiki", "Pubmed": "pubmed"}[title]
		g, err := dataset.Load(t.Context(), name, dataset.Options{Offline: true})
		if errors.Is(err, dataset.ErrMissing) {
			t.Logf("%s is not here", name)
			continue
		}
		testutil.NoError(t, err)
		same, all := 0, 0
		for i := range g.N() {
			for j := range g.Adjacency.Each(i) {
				if g.Labels[i] == graph.Unknown || g.Labels[j] == graph.Unknown {
					continue
				}
				all++
				if g.Labels[i] == g.Labels[j] {
					same++
				}
			}
		}
		const rounding = 0.005
		if share := float64(same) / float64(all); math.Abs(share-marked) > rounding {
			t.Errorf("%s: %.4f of the edges join nodes of the same class, the page says %v", title, share, marked)
		}
	}
}
