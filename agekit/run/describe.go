package run

import (
	"math"
	"strconv"

	"github.com/agekit/age/agekit/explain"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
)

// described returns what an explanation says of the clusters. Numbers that were
// standardized are given in the user's unit.
func described(d *input.Data, e *explain.Explanation) []Cluster {
	standardized := map[string]input.RecipeColumn{}
	if d.Recipe != nil {
		for _, c := range d.Recipe.Columns {
			if c.Deviation > 0 {
				standardized[c.Name] = c
			}
		}
	}
	var all []Cluster
	for k, c := range e.Clusters {
		r := Cluster{Cluster: k, Size: c.Size, Cohesion: c.Cohesion, Inside: c.Inside, Neighbors: c.Neighbors}
		for _, f := range c.Features {
			one := Feature{Name: f.Name, Inside: f.Inside, Outside: f.Outside, Binary: f.Binary, Strength: f.Strength}
			if !math.IsInf(f.Lift, 0) {
				one.Lift = &f.Lift
			}
			if c, ok := standardized[f.Name]; ok && !f.Binary {
				one.Inside, one.Outside = c.Mean+c.Deviation*f.Inside, c.Mean+c.Deviation*f.Outside
			}
			r.Features = append(r.Features, one)
		}
		for _, i := range c.Central {
			r.Central = append(r.Central, nodeName(d.Graph, i))
		}
		all = append(all, r)
	}
	return all
}

// nodeName returns a node's id, or its number if it has none.
func nodeName(g *graph.Graph, i int) string {
	if g.NodeNames != nil {
		return g.NodeNames[i]
	}
	return strconv.Itoa(i)
}
