package table_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/inputtest"
)

// TestWrite writes a table of results, with quotes, line ends and gaps in it, and reads it: it is shown as it
// was. A format that cannot be written is an error.
func TestWrite(t *testing.T) {
	nodes, _ := inputtest.Result(t)
	for _, name := range []string{"t.csv", "t.tsv"} {
		path := filepath.Join(t.TempDir(), name)
		write, err := table.Writer(path)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := write(&b, nodes); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := table.Read(context.Background(), path, table.Options{})
		if err != nil || inputtest.Shown(got) != inputtest.ResultShown {
			t.Errorf("%s: %v, %v; want %s", name, got, err, inputtest.ResultShown)
		}
	}
	if _, err := table.Writer("t.xlsx"); err == nil || !strings.Contains(err.Error(), `t.xlsx: table of type ".xlsx", want .csv`) {
		t.Error(err)
	}
}

// TestWriteHash writes tables whose ids and whose name of the id column begin with #, and reads them as they
// were: such lines are no comments.
func TestWriteHash(t *testing.T) {
	write, err := table.Writer("t.csv")
	if err != nil {
		t.Fatal(err)
	}
	for _, columns := range [][]table.Column{
		{table.NewWords("#id", []string{"#1", `#"2"`, "three"}), table.NewNumbers("cluster", []int{0, 1, 1})},
		{table.NewWords("#id", []string{"#1", `#"2"`, "three"})},
	} {
		want := &table.Table{Rows: 3, Columns: columns}
		var b bytes.Buffer
		if err := write(&b, want); err != nil {
			t.Fatal(err)
		}
		got, err := table.Read(context.Background(), inputtest.WriteText(t, "t.csv", b.String()), table.Options{})
		if err != nil || inputtest.Shown(got) != inputtest.Shown(want) {
			t.Errorf("%q is read as %v, %v; want %s", b.String(), got, err, inputtest.Shown(want))
		}
	}
}
