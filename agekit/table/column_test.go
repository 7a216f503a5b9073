package table_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/inputtest"
)

// TestCellsAreKept: a table that is written has the fields that were read.
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
	if want := strings.ReplaceAll(text, ", x ,", ",\" x \","); b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
	if nodes.Columns[1].Numbers[0] != 1.5 || !math.IsNaN(nodes.Columns[1].Numbers[1]) || nodes.Columns[2].Missing() != 2 {
		t.Errorf("%+v", nodes.Columns)
	}
}
