package recipe

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/internal/inputtest"
)

// TestDates: dates become years, seasons and weekdays, in any of the layouts, and those
// that could be read in two ways are refused.
func TestDates(t *testing.T) {
	// A Sunday and a Monday in winter, and a Thursday in the middle of the year 2020.
	for _, dates := range [][]string{
		{"2017-01-01", "2018-01-01", "2020-07-02"}, {"1.1.2017", "01.01.2018", "2.7.2020"}, {"2017-01-01T00:00:00Z", "2018-01-01T00:00:00Z", "2020-07-02T00:00:00Z"},
		{"2017-01-01 00:00", "2018-01-01 00:00", "2020-07-02 00:00"}, {"Jan 1, 2017", "Jan 1, 2018", "Jul 2, 2020"},
	} {
		r, said, err := New(readNodes(t, "d\n\""+strings.Join(dates, "\"\n\"")+"\"\n\n"), Columns{})
		notes := said.Notes
		if err != nil || len(r.Columns) != 1 || r.Columns[0].Kind != kindDate {
			t.Errorf("%q: %v, %q, %v", dates, r, notes, err)
			continue
		}
		c := r.Columns[0]
		half := 2020 + 183./366
		if want := (2017 + 2018 + half) / 3; math.Abs(c.Mean-want) > 1e-9 || strings.Join(c.Parts, " ") != partWeekday {
			t.Errorf("%q: mean %v, want %v; parts %q", dates, c.Mean, want, c.Parts)
		}
	}
	nodes := readNodes(t, "d,e\n2020-01-01,03/04/2021\n2020-04-02,05/06/2021\n2020-07-01,01/02/2020\n2020-10-02,01/01/2020\n,02/01/2020\n")
	r, said, err := New(nodes, Columns{})
	warnings := said.Warnings
	if err != nil {
		t.Fatal(err)
	}
	if want := `column "e": left out, dates such as "03/04/2021" may have the day or the month first: write 2006-01-02`; !slices.Equal(inputtest.Texts(warnings), []string{want}) {
		t.Errorf("warnings %q, want %q", warnings, want)
	}
	x, _, err := r.Features(nodes)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"d", "d is missing", "d: winter, not summer", "d: spring, not fall", "d on a Sunday", "d on a Monday", "d on a Tuesday", "d on a Wednesday", "d on a Thursday", "d on a Friday", "d on a Saturday"}
	if !slices.Equal(r.Names(), want) {
		t.Fatalf("features %q", r.Names())
	}
	m := x.ToDense()
	for i, row := range [][]float64{{0, 1, 0, 0, 0, 0, 1}, {0, 0, 1, 0, 0, 0, 0, 1}, {0, -1, 0, 0, 0, 0, 1}, {0, 0, -1, 0, 0, 0, 0, 0, 1}, {1}} {
		for j := range 10 {
			value := 0.
			if j < len(row) {
				value = row[j]
			}
			if got := float64(m.Data[i*m.Stride+1+j]); math.Abs(got-value) > 0.03 {
				t.Errorf("row %d, %s: %v, want about %v", i, want[1+j], got, value)
			}
		}
	}
}

// TestNumbersWithWords: a column of numbers with a few words names them, and --number
// takes it.
func TestNumbersWithWords(t *testing.T) {
	var b strings.Builder
	b.WriteString("age\n")
	for i := range 30 {
		fmt.Fprintf(&b, "%d.5\n", i)
	}
	for _, word := range []string{"unknown", "n.a.", "-", "inf"} {
		nodes := readNodes(t, b.String()+word+"\n")
		r, said, err := New(nodes, Columns{})
		warnings := said.Warnings
		want := fmt.Sprintf(`column "age": left out, its values are numbers, but that of line 32 is %q; Source.Columns.Number takes it, with words as gaps`, word)
		if err != nil || len(r.Columns) != 0 || !slices.Equal(inputtest.Texts(warnings), []string{want}) {
			t.Errorf("%s: %v, %q, want %q", word, r, warnings, want)
		}
		r, said, err = New(nodes, Columns{Number: []string{"age"}})
		notes, warnings := said.Notes, said.Warnings
		if err != nil || len(r.Columns) != 1 || r.Columns[0].Mean != 15 || !r.Columns[0].Gaps ||
			!slices.Equal(inputtest.Texts(warnings), []string{fmt.Sprintf(`column "age": no numbers, taken as gaps: %q`, word)}) || !strings.Contains(notes[0], "1 gap") {
			t.Errorf("%s: %+v, %q, %q, %v", word, r, notes, warnings, err)
		}
	}
}

// TestSameDates: the model of a table takes the same dates as another format writes them.
func TestSameDates(t *testing.T) {
	old := "id,d\n" + inputtest.Lines(8, func(i int) string { return fmt.Sprintf("p%d,202%d-0%d-01\n", i, i, 1+i) })
	r, _, err := New(inputtest.ReadText(t, "n.csv", old, false), Columns{Drop: []string{"id"}})
	if err != nil {
		t.Fatal(err)
	}
	newer := inputtest.ReadText(t, "n.csv", "id,d\nx,2021-02-01 00:00:00\ny,2023-04-01 00:00:00\n", false)
	got, said, err := r.Features(newer)
	if err != nil || len(said) > 0 {
		t.Fatalf("warnings %q (%v)", said, err)
	}
	was, _, err := r.Features(inputtest.ReadText(t, "n.csv", old, false))
	if err != nil {
		t.Fatal(err)
	}
	a, b := got.ToDense(), was.ToDense()
	for j := range a.Cols {
		if a.Data[j] != b.Data[b.Stride+j] || a.Data[a.Stride+j] != b.Data[3*b.Stride+j] {
			t.Errorf("feature %d: %v and %v, want %v and %v", j, a.Data[j], a.Data[a.Stride+j], b.Data[b.Stride+j], b.Data[3*b.Stride+j])
		}
	}
}
