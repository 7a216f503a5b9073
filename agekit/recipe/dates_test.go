package recipe

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/internal/inputtest"
)

// TestDates: a column of dates in any of the layouts becomes years with a fraction: 2 July is
// 183 days after the first of January of 2020, a year of 366 days.
func TestDates(t *testing.T) {
	for _, dates := range [][]string{
		{"2017-01-01", "2018-01-01", "2020-07-02"},
		{"1.1.2017", "01.01.2018", "2.7.2020"},
		{"2017-01-01T00:00:00Z", "2018-01-01T00:00:00Z", "2020-07-02T00:00:00Z"},
		{"2017-01-01 00:00", "2018-01-01 00:00", "2020-07-02 00:00"},
		{`"Jan 1, 2017"`, `"Jan 1, 2018"`, `"Jul 2, 2020"`},
	} {
		nodes := readNodes(t, "date\n"+strings.Join(dates, "\n")+"\n")
		recipe, found, err := New(nodes, Columns{})
		if err != nil || len(recipe.Columns) != 1 || recipe.Columns[0].Kind != kindDate {
			t.Errorf("%q: %+v, %q, %v; want a date", dates, recipe, found.Notes, err)
			continue
		}
		want := (2017 + 2018 + (2020 + 183./366)) / 3
		// Three dates of two months are too few for seasons.
		if parts := recipe.Columns[0].Parts; !slices.Equal(parts, []string{partWeekday}) {
			t.Errorf("%q: features of %q, want those of weekdays", dates, parts)
		}
		if mean := recipe.Columns[0].Mean; math.Abs(mean-want) > 1e-9 {
			t.Errorf("%q: mean %v, want %v", dates, mean, want)
		}
	}
}

// TestAmbiguousDates: a column whose dates may have the day or the month first is left out.
func TestAmbiguousDates(t *testing.T) {
	nodes := readNodes(t, "date\n03/04/2021\n05/06/2021\n01/02/2020\n")
	recipe, found, err := New(nodes, Columns{})
	if err != nil || len(recipe.Columns) != 0 {
		t.Errorf("columns %+v, error %v; want none", recipe, err)
	}
	want := []string{`column "date": left out, dates such as "03/04/2021" may have the day or the month first: write 2006-01-02`}
	if got := inputtest.Texts(found.Warnings); !slices.Equal(got, want) {
		t.Errorf("warnings %q, want %q", got, want)
	}
}

// TestFeaturesOfDates: a date is the standardized year, whether it is missing, a point on a
// circle of the year and a weekday. The point lies in the winter on the first of January, in
// the spring a quarter of a year later, and so on.
func TestFeaturesOfDates(t *testing.T) {
	nodes := readNodes(t, "d,n\n2020-01-01,1\n2020-04-02,2\n2020-07-01,3\n2020-10-02,4\n,5\n")
	recipe, _, err := New(nodes, Columns{Drop: []string{"n"}})
	if err != nil {
		t.Fatal(err)
	}
	x, _, err := recipe.Features(nodes)
	if err != nil {
		t.Fatal(err)
	}
	// The rows are a Wednesday, Thursday, Wednesday, Friday and a gap.
	want := []struct {
		name   string
		values [5]float64
	}{
		{"d is missing", [5]float64{0, 0, 0, 0, 1}},
		{"d: winter, not summer", [5]float64{1, 0, -1, 0, 0}},
		{"d: spring, not fall", [5]float64{0, 1, 0, -1, 0}},
		{"d on a Sunday", [5]float64{}},
		{"d on a Monday", [5]float64{}},
		{"d on a Tuesday", [5]float64{}},
		{"d on a Wednesday", [5]float64{1, 0, 1, 0, 0}},
		{"d on a Thursday", [5]float64{0, 1, 0, 0, 0}},
		{"d on a Friday", [5]float64{0, 0, 0, 1, 0}},
		{"d on a Saturday", [5]float64{}},
	}
	names := []string{"d"}
	for _, feature := range want {
		names = append(names, feature.name)
	}
	if !slices.Equal(recipe.Names(), names) {
		t.Fatalf("features %q, want %q", recipe.Names(), names)
	}
	m := x.ToDense()
	for j, feature := range want {
		for i, value := range feature.values {
			// The quarters of the year are up to two days off: 2/366 of a circle.
			if got := float64(m.Data[i*m.Stride+1+j]); math.Abs(got-value) > 2*math.Pi*2/366 {
				t.Errorf("row %d, %s: %v, want about %v", i, feature.name, got, value)
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
		r, remarks, err := New(nodes, Columns{})
		warnings := remarks.Warnings
		want := fmt.Sprintf(`column "age": left out, its values are numbers, but that of line 32 is %q; Source.Columns.Number takes it, with words as gaps`, word)
		if err != nil || len(r.Columns) != 0 || !slices.Equal(inputtest.Texts(warnings), []string{want}) {
			t.Errorf("%s: %v, %q, want %q", word, r, warnings, want)
		}
		r, remarks, err = New(nodes, Columns{Number: []string{"age"}})
		notes, warnings := remarks.Notes, remarks.Warnings
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
	got, warnings, err := r.Features(newer)
	if err != nil || len(warnings) > 0 {
		t.Fatalf("warnings %q (%v)", warnings, err)
	}
	want, _, err := r.Features(inputtest.ReadText(t, "n.csv", old, false))
	if err != nil {
		t.Fatal(err)
	}
	a, b := got.ToDense(), want.ToDense()
	for j := range a.Cols {
		if a.Data[j] != b.Data[b.Stride+j] || a.Data[a.Stride+j] != b.Data[3*b.Stride+j] {
			t.Errorf("feature %d: %v and %v, want %v and %v", j, a.Data[j], a.Data[a.Stride+j], b.Data[b.Stride+j], b.Data[3*b.Stride+j])
		}
	}
}
