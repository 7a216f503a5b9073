package recipe

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/inputtest"
)

// kindsOf returns the names and kinds of the columns of a recipe that is guessed from a text.
func kindsOf(t *testing.T, text string, o Columns) (kinds []string, r *Recipe, found table.Remarks) {
	t.Helper()
	r, found, err := New(readNodes(t, text), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Columns {
		kinds = append(kinds, c.Name+" "+c.Kind)
	}
	return kinds, r, found
}

// column returns a table of one column v, with n rows that are quoted.
func column(n int, value func(i int) string) string {
	return "v,z\n" + inputtest.Lines(n, func(i int) string {
		return fmt.Sprintf("%q,%d\n", value(i), (i*7+3)%5)
	})
}

// TestUnits: numbers with a unit have the same features as the numbers alone, with gaps among them, in each
// notation and in new rows; and the kind does not depend on the order of the rows.
func TestUnits(t *testing.T) {
	const n = 60
	random := rand.New(rand.NewPCG(1, 2))
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = 1000*random.IntN(9) + random.IntN(30)
	}
	formatted := func(format string) func(i int) string {
		return func(i int) string {
			if i%11 == 4 {
				return ""
			}
			return fmt.Sprintf(format, numbers[i])
		}
	}
	features := func(r *Recipe, nodes *table.Table) string {
		x, warnings, err := r.Features(nodes)
		if err != nil || len(warnings) > 0 {
			t.Errorf("warnings %q, error %v", warnings, err)
		}
		return fmt.Sprint(x.ToDense())
	}
	plain := column(n, formatted("%d"))
	_, want, _ := kindsOf(t, plain, Columns{})
	for format, unit := range map[string]string{
		"%d kg": "kg", "%dkm": "km", "€%d": "€", "$%d": "$", "US$ %d": "US$", "%d%%": "%", "%d km per day": "km per day", "USD %d": "USD",
		"%d m²": "m²", "%d.0 °C": "°C", "%de0 m": "m", "Rs. %d": "Rs.", "%d µg/m3": "µg/m3",
	} {
		text := column(n, formatted(format))
		kinds, r, found := kindsOf(t, text, Columns{})
		if !slices.Equal(kinds, []string{"v number", "z number"}) || !slices.Equal(r.Columns[0].Units, []string{unit}) {
			t.Errorf("%s: %q with the units %q, want numbers in %s", format, kinds, r.Columns[0].Units, unit)
			continue
		}
		if got := features(r, readNodes(t, text)); got != features(want, readNodes(t, plain)) {
			t.Errorf("%s: other features than those of the numbers alone", format)
		}
		if notes := strings.Join(found.Notes, "\n"); !strings.Contains(notes, "number in") {
			t.Errorf("%s: notes %q, want the unit", format, notes)
		}
		if warnings := inputtest.Texts(found.Warnings); len(warnings) != 1 || !strings.Contains(warnings[0], `column "v": numbers with a unit count as numbers`) {
			t.Errorf("%s: warnings %q", format, warnings)
		}
		lines := strings.SplitAfter(strings.TrimSpace(text), "\n")
		rows := lines[1:]
		rows[len(rows)-1] += "\n"
		random.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		if again, _, _ := kindsOf(t, lines[0]+strings.Join(rows, ""), Columns{}); !slices.Equal(again, kinds) {
			t.Errorf("%s: in another order %q, not %q", format, again, kinds)
		}
	}
	// New rows: with the unit, without one, and with another, which says nothing.
	_, r, _ := kindsOf(t, column(n, func(i int) string { return fmt.Sprintf("$%d,%03d.50", 1+i, numbers[i]%1000) }), Columns{})
	x, warnings, err := r.Features(readNodes(t, "v,z\n\"$1,500.50\",1\n1500.5,1\n£1500.5,1\n"))
	if err != nil || x.At(0, 0) != x.At(1, 0) || x.At(0, 0) == 0 || x.At(2, 0) != 0 || len(warnings) != 1 {
		t.Errorf("new rows %v %v %v, warnings %q, error %v", x.At(0, 0), x.At(1, 0), x.At(2, 0), warnings, err)
	}
}

// TestSeveralUnits: numbers with several units are categories, or nothing, with a warning that names two and
// the option that takes them; the option does.
func TestSeveralUnits(t *testing.T) {
	text := column(40, func(i int) string { return fmt.Sprintf("%d %s", 10+i%8, []string{"kg", "lb"}[i%2]) })
	kinds, _, found := kindsOf(t, text, Columns{})
	if !slices.Equal(kinds, []string{"v category", "z number"}) {
		t.Errorf("%q, want categories", kinds)
	}
	want := `column "v": numbers with several units, such as "10 kg" and "11 lb", are no measure together; Source.Columns.Number takes the numbers as they are`
	if len(found.Warnings) != 1 || found.Warnings[0].String() != want {
		t.Errorf("warnings %q, want %q", found.Warnings, want)
	}
	kinds, r, _ := kindsOf(t, text, Columns{Number: []string{"v"}})
	if !slices.Equal(kinds, []string{"v number", "z number"}) || !slices.Equal(r.Columns[0].Units, []string{"kg", "lb"}) || r.Columns[0].Mean != 13.5 {
		t.Errorf("%q, %+v; want numbers with the mean 13.5", kinds, r.Columns[0])
	}
}

// TestNoUnits: codes and names with digits are no numbers with units.
func TestNoUnits(t *testing.T) {
	for name, value := range map[string]func(i int) string{
		"paper":   func(i int) string { return fmt.Sprintf("A%d", i%6) },
		"robots":  func(i int) string { return fmt.Sprintf("R%d D%d", i%6, i%3) },
		"streets": func(i int) string { return fmt.Sprintf("%dth Avenue", 4+i%9) },
		"ranks":   func(i int) string { return []string{"1st", "2nd", "3rd", "4th"}[i%4] },
		"classes": func(i int) string { return fmt.Sprintf("%da", 1+i%4) },
		"ranges":  func(i int) string { return fmt.Sprintf("%d-%d years", 10*(i%7), 10*(i%7)+9) },
		"zip":     func(i int) string { return fmt.Sprintf("0%d kg", 10+i%8) },
		"times":   func(i int) string { return fmt.Sprintf("%d:30", 10+i%8) },
		"seats":   func(i int) string { return fmt.Sprintf("%d%c", 1+i%3, 'A'+i%4) },
	} {
		if kinds, _, _ := kindsOf(t, column(48, value), Columns{}); !slices.Equal(kinds, []string{"v category", "z number"}) {
			t.Errorf("%s: %q, want categories", name, kinds)
		}
	}
}
