package lab

import (
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit"
	"github.com/agekit/age/agekit/reproduce"
)

// TestPaperTables: the items have the numbers and titles of the paper's tables in the order of
// the paper's source. In table 5, each setting of a run equals the printed one, which stands
// in parentheses. Notebooks refer to tables by these numbers.
func TestPaperTables(t *testing.T) {
	var titles []string
	for _, i := range reproduce.Items() {
		if strings.HasPrefix(i.Name, "table") {
			titles = append(titles, i.Name+", "+i.Title)
		}
	}
	if want := []string{
		"table1, Table 1: the data sets", "table2, Table 2: node clustering", "table3, Table 3: link prediction",
		"table4, Table 4: the steps of the method", "table5, Table 5: the settings",
	}; !slices.Equal(titles, want) {
		t.Errorf("tables %q, want %q", titles, want)
	}
	out := must(must(reproduce.ItemByName("table5")).Render(reproduce.Selection{}, must(reproduce.Open(storedResults, false)), agekit.Load))
	if want := [][]string{
		{"Cora", "8 (8)", "0.011 (0.011)", "0.001 (0.001)", "0.1 (0.1)", "0.5 (0.5)"},
		{"Citeseer", "3 (3)", "0.0015 (0.0015)", "0.001 (0.001)", "0.1 (0.1)", "0.5 (0.5)"},
		{"Wiki", "1 (1)", "0.0011 (0.0011)", "0.001 (0.001)", "0.1 (0.1)", "0.5 (0.5)"},
		{"Pubmed", "35 (35)", "0.0013 (0.0013)", "0.001 (0.001)", "0.7 (0.7)", "0.8 (0.8)"},
	}; len(out.Tables) != 1 || !slices.EqualFunc(out.Tables[0].Rows, want, slices.Equal) {
		t.Errorf("settings %v, want %v", out.Tables, want)
	}
	for notebook, text := range map[string]string{
		"00": "| §4, §5.1, tables 1 and 2 |", "05": "this is §4 and §5.1 with tables 1 and 2.",
		"06": "table 3", "07": "This is §5.4 to §5.6, table 4 and figures 4 to 6 of the paper",
	} {
		if !strings.Contains(markdown(t)[notebook], text) {
			t.Errorf("notebook %s does not say %q", notebook, text)
		}
	}
}
