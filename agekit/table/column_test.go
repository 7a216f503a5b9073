package table_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/inputtest"
)

// TestCellsAreKept reads a table and writes it again: the text is the same, with all the ways to write a
// number, a missing value and spaces, but for quotes around the field " x " with spaces. It also checks
// the values that stand behind the fields 1.50, ? and n/a.
func TestCellsAreKept(t *testing.T) {
	text := "id,n,word,when\n#1,1.50,n/a,2020-01-01\nb,?,NA,\n\" c\",1e3, x ,2021-02-03\n"
	nodes, err := table.Read(context.Background(), inputtest.WriteText(t, "n.csv", text), table.Options{Names: []string{"id"}})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	write, err := table.Writer("n.csv")
	if err != nil {
		t.Fatal(err)
	}
	if err := write(&b, nodes); err != nil {
		t.Fatal(err)
	}
	want := strings.ReplaceAll(text, ", x ,", ",\" x \",") // package csv quotes fields that begin with a space
	if b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
	n, word := nodes.Columns[1], nodes.Columns[2]
	if n.Numbers[0] != 1.5 || !math.IsNaN(n.Numbers[1]) {
		t.Errorf("numbers %v, want 1.5 and a gap first", n.Numbers)
	}
	if word.Missing() != 2 { // n/a and NA
		t.Errorf("%d words are missing, want 2", word.Missing())
	}
}
