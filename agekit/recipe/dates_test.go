package recipe

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/inputtest"
)

// TestDates reads the same three dates in several layouts. They become years with a fraction, by hand: 2017,
// 2018 and 2020½, since 2 July is 183 days after 1 January in 2020, which has 366 days. The days of the week
// become features, the seasons do not.
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

// TestAmbiguousDates: a column whose dates may all have either the day or the month first is left out, with a
// warning.
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

// TestFeaturesOfDates checks the features of dates that are about a quarter of a year apart, and of a gap, with
// values by hand: one feature says that the date is missing, two are a point on the circle of the year, which
// is in the winter on 1 January and in the spring a quarter later, and seven are the weekday. (The first
// feature, the standardized year, is checked elsewhere.)
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
	const tolerance = 2 * math.Pi * 2 / 366 // the dates are up to two days off the quarters of the year
	for j, feature := range want {
		for i, value := range feature.values {
			if got := float64(m.Data[i*m.Stride+1+j]); math.Abs(got-value) > tolerance {
				t.Errorf("row %d, %s: %v, want about %v", i, feature.name, got, value)
			}
		}
	}
}

// TestNumbersWithWords reads a column of the numbers 0.5 to 29.5, whose mean is 15, and one word. By
// default the column is left out, and a warning names the word; if the user says that it holds numbers,
// the word is a gap.
func TestNumbersWithWords(t *testing.T) {
	var b strings.Builder
	b.WriteString("age\n")
	for i := range 30 {
		fmt.Fprintf(&b, "%d.5\n", i)
	}
	for _, word := range []string{"unknown", "n.a.", "-", "inf"} {
		nodes := readNodes(t, b.String()+word+"\n")
		r, remarks, err := New(nodes, Columns{})
		want := fmt.Sprintf(`column "age": left out, its values are numbers, but that of line 32 is %q; Source.Columns.Number takes it, with words as gaps`, word)
		if err != nil || len(r.Columns) != 0 || !slices.Equal(inputtest.Texts(remarks.Warnings), []string{want}) {
			t.Errorf("%s: %v, %q, want %q", word, r, remarks.Warnings, want)
		}
		r, remarks, err = New(nodes, Columns{Number: []string{"age"}})
		if err != nil || len(r.Columns) != 1 {
			t.Errorf("%s, as a number: %+v, %v, want one column", word, r, err)
			continue
		}
		if c := r.Columns[0]; c.Mean != 15 || !c.Gaps || !strings.Contains(remarks.Notes[0], "1 gap") {
			t.Errorf("%s, as a number: %+v, %q, want the mean 15 and a gap", word, c, remarks.Notes)
		}
		want = fmt.Sprintf(`column "age": no numbers, taken as gaps: %q`, word)
		if !slices.Equal(inputtest.Texts(remarks.Warnings), []string{want}) {
			t.Errorf("%s, as a number: %q, want %q", word, remarks.Warnings, want)
		}
	}
}

// TestSameDates: a recipe that learned dates such as 2021-02-01 makes the same features of the same
// dates written as 2021-02-01 00:00:00, as another format of tables writes them.
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
	row := func(x graph.Features, i int) []float32 {
		m := x.ToDense()
		return m.Data[i*m.Stride:][:m.Cols]
	}
	for newRow, oldRow := range []int{1, 3} { // 2021-02-01 and 2023-04-01
		if a, b := row(got, newRow), row(want, oldRow); !slices.Equal(a, b) {
			t.Errorf("row %d: features %v, want %v", newRow, a, b)
		}
	}
}
