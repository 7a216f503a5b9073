package recipe

import (
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/inputtest"
)

// quotedTable returns a table of a column v with values, quoted, and one of numbers.
func quotedTable(values []string) string {
	var text strings.Builder
	w := csv.NewWriter(&text)
	_ = w.Write([]string{"v", "z"})
	for i, value := range values {
		_ = w.Write([]string{value, fmt.Sprint((i*7 + 3) % 5)})
	}
	w.Flush()
	return text.String()
}

// TestTags: lists of words have one feature for each word, the same in every way to write a list and in every
// order of the rows, with 1/√m for each of a row's m words.
func TestTags(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	bank := [][]string{{"C", "C++"}, {"pie crust", "jam"}, {"🏃", "gym"}}
	var lists [][]string
	for i := range 90 {
		list := slices.Clone(bank[i%3])
		random.Shuffle(2, func(a, b int) { list[a], list[b] = list[b], list[a] })
		lists = append(lists, list[:1+random.IntN(2)])
	}
	quoted := func(quote, separator string) func(list []string) string {
		return func(list []string) string { return quote + strings.Join(list, quote+separator+quote) + quote }
	}
	bracketed := func(open, end string, inside func([]string) string) func([]string) string {
		return func(list []string) string { return open + inside(list) + end }
	}
	for name, write := range map[string]func([]string) string{
		"semicolon": quoted("", ";"), "semicolon, space": quoted("", "; "), "bar": quoted("", "|"), "slash": quoted("", "/"), "lines": quoted("", "\n"), "CJK": quoted("", "、"), "comma": quoted("", ", "), "last": bracketed("", ";", quoted("", ";")),
		"JSON": table.WordList, "Python": bracketed("[", "]", quoted("'", ", ")), "set": bracketed("{", "}", quoted("'", ", ")), "tuple": bracketed("(", ",)", quoted("'", ", ")),
		"NumPy": bracketed("[", "]", quoted("'", " ")), "Java": bracketed("[", "]", quoted("", ", ")), "Postgres": bracketed("{", "}", quoted("", ",")),
	} {
		var values []string
		for _, list := range lists {
			values = append(values, write(list))
		}
		text := quotedTable(values)
		kinds, r, found := kindsOf(t, text, Columns{})
		if !slices.Equal(kinds, []string{"v tags", "z number"}) {
			t.Errorf("%s: %q, want tags; %q", name, kinds, found.Warnings)
			continue
		}
		if names := r.Names()[:6]; !slices.Equal(names, []string{"v: C", "v: C++", "v: gym", "v: jam", "v: pie crust", "v: 🏃"}) {
			t.Errorf("%s: features %q", name, names)
		}
		x, _, err := r.Features(readNodes(t, text))
		if err != nil {
			t.Fatal(err)
		}
		for i, list := range lists {
			for j, tag := range r.Columns[0].Values {
				want := float32(0)
				if slices.Contains(list, tag) {
					want = float32(1 / math.Sqrt(float64(len(list))))
				}
				if got := x.At(i, j); got != want {
					t.Fatalf("%s, row %d, %s: %v, want %v", name, i, tag, got, want)
				}
			}
		}
		if warnings := inputtest.Texts(found.Warnings); (r.Columns[0].Separator != tagList) != (len(warnings) == 1) {
			t.Errorf("%s: warnings %q", name, warnings)
		}
		random.Shuffle(len(values), func(a, b int) { values[a], values[b] = values[b], values[a] })
		if again, _, _ := kindsOf(t, quotedTable(values), Columns{}); !slices.Equal(again, kinds) {
			t.Errorf("%s: in another order %q", name, again)
		}
		for kind, o := range map[string]Columns{kindCategory: {Category: []string{"v"}}, kindText: {Text: []string{"v"}}, kindTags: {Types: Types{"v": kindTags}}} {
			if _, r, _ := kindsOf(t, text, o); r.Columns[0].Kind != kind {
				t.Errorf("%s: %s, want %s", name, r.Columns[0].Kind, kind)
			}
		}
	}
}

// TestNoTags: names, places, texts and addresses with commas, and points, are no lists of words.
func TestNoTags(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	pick := func(words string) string {
		all := strings.Fields(words)
		return all[random.IntN(len(all))]
	}
	last := func() string { return pick("Lee Kim Park Choi Jung Kang Cho Yoon Jang Lim Han Oh Seo Shin") }
	first := func() string { return pick("Ann Bob Cid Dora Eve Finn Gus Hans Ida Jo") }
	for name, value := range map[string]func() string{
		"names":     func() string { return last() + ", " + first() },
		"places":    func() string { return pick("Paris,_France Rome,_Italy Oslo,_Norway Singapore Lyon,_France") },
		"one comma": func() string { return pick("Arts,_Media Sports Arts,_Media Law Science") },
		"records":   func() string { return fmt.Sprintf("('%s', '%s')", last(), first()) },
		"paths":     func() string { return pick("art law art/film art/song law/tax law/tax/eu") },
		"ratios":    func() string { return fmt.Sprintf("%d/%d", 1+random.IntN(3), 1+random.IntN(3)) },
		"intervals": func() string { return pick("(17.9,_33.4] (33.4,_48.5] (48.5,_60.1]") },
		"pairs":     func() string { return fmt.Sprintf("%d;%d", random.IntN(4), random.IntN(4)) },
		"texts": func() string {
			return fmt.Sprintf("a %s went to %s, and then, %s said, it rained %d days", last(), first(), first(), random.IntN(90))
		},
		"addresses": func() string {
			return fmt.Sprintf("%d Main St, Apt %d, %s, %s", random.IntN(900), random.IntN(90), last(), first())
		},
		"remarks": func() string { return "(" + pick("none few many") + ")" },
		"ids":     func() string { return fmt.Sprintf("%d|%d", random.IntN(9000), random.IntN(9000)) },
	} {
		var values []string
		for range 120 {
			values = append(values, strings.ReplaceAll(value(), "_", " "))
		}
		if kinds, _, _ := kindsOf(t, quotedTable(values), Columns{}); slices.Contains(kinds, "v tags") {
			t.Errorf("%s, such as %q: tags", name, values[:3])
		}
	}
}
