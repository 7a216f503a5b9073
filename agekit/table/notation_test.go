package table_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/agekit/age/internal/inputtest"
)

// TestNotations reads columns of numbers in the notations of several languages. The notation of a column
// follows from all of its fields; the values are written by hand. The fields are kept, and a warning tells
// of each notation other than the plain one.
func TestNotations(t *testing.T) {
	for name, test := range map[string]struct {
		text string    // the fields of the column, with spaces between them
		want []float64 // nil if the column holds words
	}{
		"points":                        {"1.5 12.25 3", []float64{1.5, 12.25, 3}},
		"three decimals":                {"1.234 12.345 0.500", []float64{1.234, 12.345, 0.5}},
		"three decimals throughout":     {"1.234 12.345 999.500", []float64{1.234, 12.345, 999.5}},
		"German thousands":              {"1.234 12.345 987 1.000.000", []float64{1234, 12345, 987, 1e6}},
		"German thousands, few digits":  {"1.234 12.345 987 5.500", []float64{1234, 12345, 987, 5500}},
		"German thousands and decimals": {"1.234,5 12,25 3", []float64{1234.5, 12.25, 3}},
		"English thousands":             {"1,234 12,345 987", []float64{1234, 12345, 987}},
		"English, with decimals":        {"1,234.5 12.25 3", []float64{1234.5, 12.25, 3}},
		"decimal commas":                {"1,5 12,25 3 -0,125", []float64{1.5, 12.25, 3, -0.125}},
		"Swiss":                         {"1'234.5 12'000 3", []float64{1234.5, 12000, 3}},
		"French":                        {"1\u202f234,5 12\u00a0000 3", []float64{1234.5, 12000, 3}},
		"a thousand without a mark":     {"1.234 1500 3", []float64{1.234, 1500, 3}},
		"codes":                         {"1.2.3 4.5.6", nil},
		"leading zeros":                 {"0.123.456 0.111.222", nil},
		"both ways":                     {"1,5 1.5", nil},
	} {
		fields := strings.Split(test.text, " ")
		table := inputtest.ReadText(t, "n.csv", "id,v\n"+inputtest.Lines(len(fields), func(i int) string { return fmt.Sprintf("p%d,\"%s\"\n", i, fields[i]) }), false)
		c := table.Columns[1]
		if len(c.Numbers) != len(test.want) {
			t.Errorf("%s: numbers %v, want %v", name, c.Numbers, test.want)
			continue
		}
		for i, v := range c.Numbers {
			if math.Abs(v-test.want[i]) > 1e-12 || c.Cell(i) != fields[i] {
				t.Errorf("%s: %v from %q, want %v", name, v, c.Cell(i), test.want[i])
			}
		}
		isPlain := test.want == nil || !strings.HasPrefix(name, "German") && !strings.ContainsAny(test.text, ",'\u202f")
		if warned := strings.Contains(fmt.Sprint(table.Warnings), "numbers with"); warned == isPlain {
			t.Errorf("%s: warnings %q", name, table.Warnings)
		}
	}
}
