package explain

import (
	"strings"
	"testing"

	"github.com/agekit/age/agekit/views"
)

// TestCompare: if features and edges group the nodes differently, the sentences say so and by what each groups, unless
// little was found in one of them. If the views agree, there is no such sentence.
func TestCompare(t *testing.T) {
	const nodes = 60 // so that the clusters, which are independent, have an ARI of −0.0231
	halves, thirds := make([]int, nodes), make([]int, nodes)
	for i := range nodes {
		halves[i], thirds[i] = 2*i/nodes, i%3
	}
	const differ = "Features and edges group these nodes differently (ARI −0.02). Which is right depends on your question. " +
		"By features, 25 % of the edges are inside the clusters, which differ most in height and mass; by edges, 75 %."
	for _, test := range []struct {
		edges                           []int
		littleInFeatures, littleInEdges bool
		want                            string
	}{
		{thirds, false, false, differ},
		{halves, false, false, ""},
		{thirds, true, false, "Little was found in the features alone."},
		{thirds, false, true, "Little was found: clusters of data without any tell as much."},
		{thirds, true, true, "Little was found: clusters of data without any tell as much."},
	} {
		got := Compare(views.Edges, []View{
			{Name: views.Features, Labels: halves, Little: test.littleInFeatures, Measures: Measures{Inside: 0.25}, GroupsBy: []string{"height", "mass"}},
			{Name: views.Edges, Labels: test.edges, Little: test.littleInEdges, Measures: Measures{Inside: 0.75}},
		}, nil)
		if sentences := strings.Join(got.Sentences, " "); sentences != test.want || got.Little != test.littleInEdges {
			t.Errorf("little in the features %v, in the edges %v: %q, want %q", test.littleInFeatures, test.littleInEdges, sentences, test.want)
		}
	}
}
