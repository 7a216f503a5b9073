package table

import (
	"slices"
	"strings"
	"testing"
)

// TestSpread: lists of numbers are split, but not intervals, a column that is kept, and words; the places are
// those of the old columns.
func TestSpread(t *testing.T) {
	columns := func() []Column {
		return []Column{
			NewWords("id", []string{"(0, 1)", "(0, 2)", "(1, 2)"}), NewWords("e", []string{"[1, 2, 3]", "", "[3 4 5]"}),
			NewWords("age", []string{"(17.9, 33.4]", "(33.4, 50.0]", "(17.9, 33.4]"}), NewWords("closed", []string{"[0, 5]", "[5, 9]", "[0, 5]"}),
			NewWords("xy", []string{"(0, 5)", "(5, 9)", "(5, 3)"}), NewWords("w", []string{"[a]", "[b]", "[c]"}),
		}
	}
	nodes := &Table{Rows: 3, Columns: columns()}
	places, err := nodes.Spread(func(k int) bool { return k == 0 })
	if err != nil {
		t.Fatal(err)
	}
	if want := `"id", "e 1", "e 2", "e 3", "age", "closed", "xy 1", "xy 2", "w"`; nodes.Names() != want || !slices.Equal(places, []int{0, 1, 4, 5, 6, 8}) {
		t.Errorf("columns %s at %v, want %s", nodes.Names(), places, want)
	}
	cut := &Table{Path: "n.csv", Rows: 2, Columns: []Column{NewWords("e", []string{"[1.0 2.0]", "[ 1.2e-01  3.4e-01 ... -5e-02\n  3e-01]"})}}
	if _, err := cut.Spread(func(int) bool { return false }); err == nil || !strings.Contains(err.Error(), `n.csv: row 2: column "e"`) || !strings.Contains(err.Error(), "without its middle") {
		t.Errorf("a list that NumPy cut: error %v", err)
	}
	if _, err := cut.Spread(func(int) bool { return true }); err != nil {
		t.Errorf("kept as it is: %v", err)
	}
}

// TestWordsOf reads lists as several programs write them, and refuses what only looks like one.
func TestWordsOf(t *testing.T) {
	for text, want := range map[string]string{
		`["a", "b\u00e9"]`: "a|bé", `['a', "it's"]`: "a|it's", `['a' 'b']`: "a|b", `('a',)`: "a", `{'a', 'b c'}`: "a|b c", `{a,b}`: "a|b", "[a b, c]": "a b|c",
		"[]": "", `['a', None]`: "a", `['it\'s']`: "it's", "[1, 2]": "1|2", "[1 2]": "1|2",
	} {
		if got, ok := WordsOf(text); !ok || strings.Join(got, "|") != want {
			t.Errorf("%s: %q, %v; want %s", text, got, ok, want)
		}
	}
	for _, text := range []string{"a, b", "(a, b)", "{'a': 1}", `[{"id": 1}]`, "['a", "[x](y)", "[a](b)]", "(17.9, 33.4]", ""} {
		if got, ok := WordsOf(text); ok {
			t.Errorf("%s: %q, want no list", text, got)
		}
	}
}
