package table

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agekit/age/internal/message"
)

// ListOf parses a text that is a list of numbers in brackets or parentheses: [1, 2] as Python and JSON
// write it, [1 2] as NumPy does, (1, 2) as a tuple. It returns the numbers, and false if the text is
// something else, as the interval (1, 2] is, or the list is empty.
func ListOf(text string) (list []float64, ok bool) {
	if !inBrackets(text) {
		return nil, false
	}
	for number := range strings.FieldsFuncSeq(text[1:len(text)-1], separatesNumbers) {
		v, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return nil, false
		}
		list = append(list, v)
	}
	return list, len(list) > 0
}

// inBrackets reports whether a text is in brackets, or in parentheses.
func inBrackets(text string) bool {
	n := len(text)
	return n >= len("[]") && (text[0] == '[' && text[n-1] == ']' || text[0] == '(' && text[n-1] == ')')
}

// separatesNumbers reports whether a character may stand between the numbers of a list.
func separatesNumbers(r rune) bool { return r == ',' || r == ';' || unicode.IsSpace(r) }

// isCut reports whether a text is a list of numbers with dots in place of some, as NumPy prints a long array.
func isCut(text string) bool {
	whole := strings.NewReplacer("...", " ", "…", " ").Replace(text)
	_, ok := ListOf(whole)
	return ok && whole != text
}

// HasLists reports whether most values of a column are lists of numbers, unless the column is known to hold
// words or has intervals.
func (c *Column) HasLists() bool {
	if c.words {
		return false
	}
	lists := 0
	for _, value := range c.Values {
		if _, ok := ListOf(value); ok {
			lists++
		}
	}
	return 2*lists > len(c.Values) && !c.hasIntervals()
}

// hasIntervals reports whether the values of a column are intervals that follow each other without a gap,
// such as [0, 5] and [5, 9], of which some stand in several rows. pandas writes those that are open at one
// end as (0, 5], which is no list anyway.
func (c *Column) hasIntervals() bool {
	var all [][]float64
	for _, value := range c.Values {
		list, _ := ListOf(value)
		if len(list) != 2 || !(list[0] < list[1]) {
			return false
		}
		all = append(all, list)
	}
	slices.SortFunc(all, slices.Compare)
	for k, interval := range all[1:] {
		if all[k][1] != interval[0] {
			return false
		}
	}
	return len(all) > 1 && len(all) < len(c.Codes)
}

// Spread splits each column whose values are lists of numbers of one length, except those for which keep
// reports true: column j of them has number j of each list, and the name with j, from 1. It returns the
// place of each old column, or of its first part, among the new ones. A list that lacks some of its
// numbers, as NumPy prints a long array, is an error.
func (t *Table) Spread(keep func(k int) bool) (places []int, err error) {
	var columns []Column
	for k := range t.Columns {
		places = append(places, len(columns))
		c := &t.Columns[k]
		if keep(k) {
			columns = append(columns, *c)
			continue
		}
		if code := slices.IndexFunc(c.Values, isCut); code >= 0 {
			row := slices.Index(c.Codes, int32(code))
			return nil, t.Errorf(row, "column %s: %s is a list without its middle, as NumPy prints a long array a: want all numbers, as str(a.tolist()) writes them", t.Label(k), message.Quote(c.Values[code]))
		}
		columns = append(columns, c.spread()...)
	}
	t.Columns = columns
	return places, nil
}

// spread returns the columns into which a column of lists of numbers is split. It returns c alone if the
// values of c are not all lists of the same length.
func (c *Column) spread() []Column {
	if !c.HasLists() {
		return []Column{*c}
	}
	var places [][]float64 // places[j][k] is number j of the list that is c.Values[k]
	for k, text := range c.Values {
		list, _ := ListOf(text)
		if k == 0 {
			places = make([][]float64, len(list))
		}
		if len(list) == 0 || len(list) != len(places) {
			return []Column{*c}
		}
		for j, v := range list {
			places[j] = append(places[j], v)
		}
	}
	var all []Column
	for j, values := range places {
		all = append(all, Column{Name: fmt.Sprintf("%s %d", c.Name, j+1), Numbers: c.PerRow(values)})
	}
	return all
}

// WordList returns a list of words as JSON writes it, which [WordsOf] parses.
func WordList(words []string) string {
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	_ = e.Encode(words) // words can always be written
	return strings.TrimSpace(text.String())
}

// WordsOf parses a text that is a list of words: ["a", "b"] as JSON writes it, ['a', 'b'], ('a', 'b') and
// {'a', 'b'} as Python does, ['a' 'b'] as NumPy does, [a, b] or {a,b}. It returns the words, none for an
// empty list, and false if the text is something else.
func WordsOf(text string) (words []string, ok bool) {
	n := len(text)
	isSet := n >= 2 && text[0] == '{' && text[n-1] == '}'
	if !isSet && !inBrackets(text) {
		return nil, false
	}
	if json.Unmarshal([]byte(text), &words) == nil {
		return words, true
	}
	words = nil
	rest := text[1 : n-1]
	for {
		rest = strings.TrimLeftFunc(rest, separatesNumbers)
		if rest == "" {
			return words, true
		}
		word := ""
		if quote := rest[0]; quote == '\'' || quote == '"' {
			if word, rest, ok = unquote(rest); !ok {
				return nil, false
			}
		} else {
			end := strings.IndexAny(rest+",", ",;")
			word, rest = strings.TrimSpace(rest[:end]), rest[end:]
			// Words in parentheses without quotation marks are a remark, no list; nested lists and
			// objects, as in {'a': 1}, are no words.
			if text[0] == '(' && !IsNumber(word) || strings.ContainsAny(word, `[]{}():'"`) {
				return nil, false
			}
			if several := strings.Fields(word); !slices.ContainsFunc(several, func(w string) bool { return !IsNumber(w) }) && len(several) > 1 {
				words = append(words, several...) // NumPy's [1 2]
				continue
			}
		}
		if !IsMissing(word) {
			words = append(words, word)
		}
	}
}

// unquote returns the word in quotation marks with which a text begins, and the rest of the text, which is
// empty or begins with a separator or another quotation mark. It returns false if the word does not end so.
func unquote(text string) (word, rest string, ok bool) {
	var b strings.Builder
	for k := 1; k < len(text); k++ {
		switch c := text[k]; {
		case c == '\\' && k+1 < len(text):
			k++
			b.WriteByte(text[k])
		case c == text[0]:
			rest = text[k+1:]
			next, _ := utf8.DecodeRuneInString(rest)
			return b.String(), rest, rest == "" || separatesNumbers(next) || next == '\'' || next == '"'
		default:
			b.WriteByte(c)
		}
	}
	return "", "", false
}
