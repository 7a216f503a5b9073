package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestErrors: a traceback of the compiler, as GoNB v0.11.5 sends it, becomes a list of the cells' lines, each
// with its errors below it, and with advice above if there is some. This is so in the message of the error
// and in the reply that the cell has failed. A traceback about no cell stays as it is.
func TestErrors(t *testing.T) {
	const red, plain = "\x1b[31m", "\x1b[0m"
	for name, c := range map[string]struct {
		trace []string
		want  string
	}{
		"two errors in one line, one of two lines, colors": {
			[]string{
				red + "# gonb_2049bece" + plain,
				"Cell[4]: Line 2\n\nfunc main() {\n\tflag.Parse()\n\tf(x)\n ^\ny := 1\n\n\n" + red + "not enough arguments in call to f" + plain,
				red + "\thave (int)" + plain,
				"Cell[4]: Line 3\n\tflag.Parse()\n\tf(x)\n  y := 1\n  ^\n}\n\n" + red + "declared and not used: y" + plain,
				"Cell[4]: Line 3\n\tflag.Parse()\n\tf(x)\n  y := 1\n        ^\n}\n\n" + red + "another" + plain,
				"",
			},
			"Cell [4] Line 2:  f(x)\n    not enough arguments in call to f\n\thave (int)\n" +
				"Cell [4] Line 3:  y := 1\n    declared and not used: y\n    another",
		},
		"no line with %%": {
			[]string{"Cell[1]: Line 1\npackage main\n\ng := 1\n^\nfmt.Println(g)\n\n\nexpected declaration, found g"},
			"Put a line with only %% above the first statement: above it, a cell can only declare (import, func, type, const, var).\n" +
				"Cell [1] Line 1:  g := 1\n    expected declaration, found g",
		},
		"the end of the file": {
			[]string{"for i := range 3 {\n\tfmt.Println(i)\n\n}\n  ^\n\n\nexpected '}', found 'EOF'"},
			"A { has no }: each block and each function must be closed, those above %% too.\nexpected '}', found 'EOF'",
		},
		"a package that is not there": {
			[]string{"Cell[2]: Line 1\npackage main\n\nimport (\n  \"no/such\"\n  ^\n)\n\nno required module provides package no/such; to add it:", "\tgo get no/such", ""},
			"This package is not there, and cells download nothing.\nCell [2] Line 1:  \"no/such\"\n    no required module provides package no/such",
		},
		"no cell": {
			[]string{"failed to run \"go get\": exit status 1", "", "go: gonb_1a imports"},
			"failed to run \"go get\": exit status 1\n\ngo: gonb_1a imports",
		},
	} {
		for _, kind := range []string{"error", "execute_reply"} {
			content := map[string]any{"evalue": "value", "traceback": c.trace}
			got := pass(t, message{kind, content})[0].content
			var lines []string
			for _, line := range got["traceback"].([]any) {
				lines = append(lines, line.(string))
			}
			trace := strings.Join(lines, "\n")
			if trace != c.want {
				t.Errorf("%s, %s: traceback\n%s\nwant\n%s", name, kind, trace, c.want)
			}
			if value := got["evalue"]; value != trace && name != "no cell" {
				t.Errorf("%s, %s: evalue %q is not the traceback", name, kind, value)
			}
		}
	}
}

// TestMatches: of the completions, those remain whose first letters, as many as were typed, are those of the
// first completion, in upper or lower case. The second name has the letters S and m, but does not begin with
// them.
func TestMatches(t *testing.T) {
	for _, c := range []struct {
		typed         int // letters
		matches, want []string
	}{
		{2, []string{"Smooth", "SimilarityHistogram", "smoothed", "S"}, []string{"Smooth", "smoothed"}},
		{0, []string{"Smooth", "Cluster"}, []string{"Smooth", "Cluster"}},
		{3, []string{}, []string{}},
	} {
		reply := map[string]any{"matches": c.matches, "cursor_start": 40, "cursor_end": 40 + c.typed}
		got := pass(t, message{"complete_reply", reply})[0].content["matches"]
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%d letters, %v: passed %v, want %v", c.typed, c.matches, got, c.want)
		}
	}
}
