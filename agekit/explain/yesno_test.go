package explain

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/recipe"
	"github.com/agekit/age/internal/testutil"
)

// TestYesAndNo: 120 nodes are in two clusters, and a column of yes and no, in many ways to write them,
// says which, with one exception in each cluster. Only what is no such column is high or has a value.
func TestYesAndNo(t *testing.T) {
	labels := make([]int, 120)
	for i := range labels {
		labels[i] = i % 2
	}
	for _, test := range []struct {
		column, no, yes, other string // other is in every tenth row; "" for none
		want                   [2]string
	}{
		{"feathers", "False", "True", "", [2]string{"without feathers", "with feathers"}},
		{"feathers", "0", "1", "", [2]string{"without feathers", "with feathers"}},
		{"feathers", "0.0", "1.0", "", [2]string{"without feathers", "with feathers"}},
		{"feathers", "no", "Yes", "", [2]string{"without feathers", "with feathers"}},
		{"feathers", "N", "Y", "", [2]string{"without feathers", "with feathers"}},
		{"feathers", "nein", "ja", "", [2]string{"without feathers", "with feathers"}},
		{"feathers", "non", "oui", "", [2]string{"without feathers", "with feathers"}},
		{"feathers", "no", "sí", "", [2]string{"without feathers", "with feathers"}},
		{"feathers", "no", "yes", "unclear", [2]string{"without feathers", "with feathers"}},
		{"has_feathers", "no", "yes", "", [2]string{"without feathers", "with feathers"}},
		{"isMember", "0", "1", "", [2]string{"not member", "member"}},
		{"island", "no", "yes", "", [2]string{"without island", "with island"}},
		{"wind", "S", "N", "", [2]string{"wind S", "wind N"}},
		{"legs", "2", "4", "", [2]string{"low legs", "high legs"}},
	} {
		var b strings.Builder
		fmt.Fprintf(&b, "id,%s\n", test.column)
		for i := range labels {
			shown := labels[i]
			if i < 2 {
				shown = 1 - shown
			}
			value := []string{test.no, test.yes}[shown]
			if test.other != "" && i%10 > 7 {
				value = test.other
			}
			fmt.Fprintf(&b, "n%d,%s\n", i, value)
		}
		file := filepath.Join(t.TempDir(), "nodes.csv")
		testutil.NoError(t, os.WriteFile(file, []byte(b.String()), 0o600))
		d := testutil.Value(input.Open(t.Context(), input.Source{Nodes: file, Neighbors: 3, Columns: recipe.Columns{Only: []string{test.column}}})).OrFatal(t)
		if got := namesOf(t, d, labels); !slices.Equal(got, test.want[:]) {
			t.Errorf("%s %s/%s: names %q, want %q", test.column, test.yes, test.no, got, test.want)
		}
	}
}
