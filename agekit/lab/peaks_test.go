package lab

import (
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit"
	"github.com/agekit/age/internal/testutil"
)

// TestPeaks: the table of a graph by hand, which consists of a star with three leaves, a
// triangle, two isolated pairs and an isolated node. It has the eigenvalues 0 five times, for
// five components, ½ 3 − 1 times, for the leaves, 1 3 − 1 times for the triangle and twice
// for the pairs, and 5/4 for the star.
func TestPeaks(t *testing.T) {
	g := fromEdges(t, 12, nil, [2]int32{0, 1}, [2]int32{0, 2}, [2]int32{0, 3},
		[2]int32{4, 5}, [2]int32{5, 6}, [2]int32{4, 6}, [2]int32{7, 8}, [2]int32{9, 10})
	values := testutil.Value(agekit.Eigenvalues(g)).OrFatal(t)
	var rows []string
	for line := range strings.Lines(Peaks(g, values).Text) {
		rows = append(rows, strings.Join(strings.Fields(line), " "))
	}
	want := []string{
		"λ eigenvalues explained by nodes groups",
		"0 5 5 connected components 12 5",
		"0.5 2 2 leaves of the same node 3 1",
		"1 4 4 linked twins 7 3",
		"2 of these, isolated pairs 4 2",
	}
	if !slices.Equal(rows, want) {
		t.Errorf("rows\n%s\nwant\n%s", strings.Join(rows, "\n"), strings.Join(want, "\n"))
	}
}
