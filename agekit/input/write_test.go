package input

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWrite: what is written is read as it was.
func TestWrite(t *testing.T) {
	nodes, _ := result(t)
	for _, name := range []string{"t.csv", "t.tsv"} {
		path := filepath.Join(t.TempDir(), name)
		write, err := TableWriter(path)
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
		got, err := ReadTable(context.Background(), path, TableOptions{})
		if err != nil || shown(got) != resultShown {
			t.Errorf("%s: %v, %v; want %s", name, got, err, resultShown)
		}
	}
	if _, err := TableWriter("t.xlsx"); err == nil || !strings.Contains(err.Error(), `t.xlsx: table of type ".xlsx", want .csv`) {
		t.Error(err)
	}
}

// TestWriteHash: ids and names that begin with # are no comments.
func TestWriteHash(t *testing.T) {
	write, err := TableWriter("t.csv")
	if err != nil {
		t.Fatal(err)
	}
	for _, columns := range [][]Column{
		{NewWords("#id", []string{"#1", `#"2"`, "three"}), NewNumbers("cluster", []int{0, 1, 1})},
		{NewWords("#id", []string{"#1", `#"2"`, "three"})},
	} {
		want := &Table{Rows: 3, Columns: columns}
		var b bytes.Buffer
		if err := write(&b, want); err != nil {
			t.Fatal(err)
		}
		got, err := ReadTable(context.Background(), writeText(t, "t.csv", b.String()), TableOptions{})
		if err != nil || shown(got) != shown(want) {
			t.Errorf("%q is read as %v, %v; want %s", b.String(), got, err, shown(want))
		}
	}
}
