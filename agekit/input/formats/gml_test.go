package formats

import (
	"strings"
	"testing"

	"github.com/agekit/age/internal/inputtest"
)

// TestGMLRefuses reads damaged texts: the errors, written by hand, say what was found and what was expected.
func TestGMLRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"graph [\nnode [ label \"a\" ] ]":           "g.gml: line 2: node without id",
		"graph [ node [ id 1 ] edge [ source 1 ] ]": "edge without target",
		"graph [ node [ id 1 ]":                     "unexpected EOF",
		"graph [ node [ id \"a ] ]":                 "a text without an end",
		"graph [ node 3 ]":                          `node "3": want a list`,
		"graph [ node [ id ] ]":                     `"id" has no value`,
		"[ 1 ]":                                     `"[": want a key`,
		strings.Repeat("a [ ", 200):                 "more than 100 lists in each other",
		"Version 1":                                 "no nodes: want a graph",
	} {
		_, err := ReadTables(t.Context(), inputtest.WriteText(t, "g.gml", text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
