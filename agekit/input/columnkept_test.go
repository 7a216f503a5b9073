package input

import (
	"context"
	"math"
	"strings"
	"testing"
)

// TestCellsAreKept: a table that is written has the fields that were read.
func TestCellsAreKept(t *testing.T) {
	text := "id,n,word,when\n#1,1.50,n/a,2020-01-01\nb,?,NA,\n\" c\",1e3, x ,2021-02-03\n"
	table, err := ReadTable(context.Background(), writeText(t, "n.csv", text), TableOptions{Names: []string{"id"}})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := writeSeparated(',')(&b, table); err != nil {
		t.Fatal(err)
	}
	if want := strings.ReplaceAll(text, ", x ,", ",\" x \","); b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
	if table.Columns[1].Numbers[0] != 1.5 || !math.IsNaN(table.Columns[1].Numbers[1]) || table.Columns[2].Missing() != 2 {
		t.Errorf("%+v", table.Columns)
	}
}
