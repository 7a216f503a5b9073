package agekit

import "testing"

var notices00 = []notice{
	{"00", "On Cora, 80 of the 94 drawn edges join papers of the same class.", func(t *testing.T) {
		corner, _ := Corner(cora(), 60)
		edges, same := 0, 0
		for i := range corner.N() {
			neighbors, _ := corner.Adjacency.Row(i)
			for _, j := range neighbors {
				if i < int(j) {
					edges++
					if corner.Labels[i] == corner.Labels[j] {
						same++
					}
				}
			}
		}
		if same != 80 || edges != 94 {
			t.Errorf("%d of %d edges", same, edges)
		}
	}},
}
