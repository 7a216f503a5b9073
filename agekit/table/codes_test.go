package table

import (
	"os"
	"path/filepath"
	"testing"
)

// TestNamibia: NA among codes of two letters is a gap, with a warning of its own, and a code in a column that is
// known to hold words; among other words it is a gap in any case.
func TestNamibia(t *testing.T) {
	read := func(text string, words ...string) *Table {
		path := filepath.Join(t.TempDir(), "n.csv")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := Read(t.Context(), path, Options{Words: words})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	const codes = "id,country\n1,DE\n2,NA\n3,FR\n4,ZA\n5,\n6,NA\n"
	want := `column "country": NA among codes of two letters counts as a gap, not as a code, such as "NA" in line 3; Source.Schema with the type category for the column keeps it`
	if got := read(codes); got.Columns[1].Missing() != 3 || len(got.Warnings) != 1 || got.Warnings[0].String() != want {
		t.Errorf("%d gaps, warnings %q; want 3, %q", got.Columns[1].Missing(), got.Warnings, want)
	}
	got := read(codes, "country")
	if word, ok := got.Columns[1].Text(1); word != "NA" || !ok || got.Columns[1].Missing() != 1 || len(got.Warnings) != 0 {
		t.Errorf("a column of words: %q, %d gaps, warnings %q", word, got.Columns[1].Missing(), got.Warnings)
	}
	if got := read("id,country\n1,Germany\n2,NA\n3,FR\n4,ZA\n", "country"); got.Columns[1].Missing() != 1 || len(got.Warnings) != 1 {
		t.Errorf("other words: %d gaps, warnings %q", got.Columns[1].Missing(), got.Warnings)
	}
}
