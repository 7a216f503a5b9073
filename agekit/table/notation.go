package table

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Notation is a way to write numbers: with a decimal mark, and perhaps one between thousands. The
// zero value has a point and none. It is a place in a list whose order stays, since models keep it.
type Notation int

var marks = []struct{ decimal, thousands byte }{{'.', 0}, {',', 0}, {'.', ','}, {',', '.'}, {'.', ' '}, {',', ' '}, {'.', '\''}}

// noBreak replaces the no-break spaces that stand for spaces.
var noBreak = strings.NewReplacer("\u00a0", " ", "\u202f", " ")

// HasMark reports whether a field has a mark, or a character that is not ASCII.
func HasMark(field string) bool {
	for k := range len(field) {
		if c := field[k]; c == '.' || c == ',' || c == ' ' || c == '\'' || c >= utf8.RuneSelf {
			return true
		}
	}
	return false
}

// Number parses a field as a finite number. Codes with leading zeros are no numbers, and
// neither are integers that a float64 would change.
func (w Notation) Number(field string) (v float64, ok bool) {
	if w != 0 {
		if field, ok = w.withPoint(noBreak.Replace(field)); !ok {
			return 0, false
		}
	}
	digits := strings.TrimLeft(field, "+-")
	if strings.ContainsAny(digits, "xXpP_iInN") || len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9' {
		return 0, false
	}
	v, err := strconv.ParseFloat(field, 64)
	if err != nil || math.Abs(v) >= 1<<53 && !strings.ContainsAny(digits, ".eE") {
		return 0, false
	}
	return v, true
}

// withPoint returns a number with a decimal point and without other marks, and false if the
// marks are not at their places: those between thousands before each three digits.
func (w Notation) withPoint(field string) (number string, ok bool) {
	mark := marks[w]
	whole, decimals, split := strings.Cut(field, string(mark.decimal))
	groups := []string{whole}
	if mark.thousands != 0 {
		groups = strings.Split(whole, string(mark.thousands))
		first := strings.TrimLeft(groups[0], "+-")
		if len(first) > 3 || len(groups) > 1 && (first == "" || first[0] == '0') {
			return "", false
		}
		for _, group := range groups[1:] {
			if len(group) != 3 || strings.Trim(group, "0123456789") != "" {
				return "", false
			}
		}
	}
	if number = strings.Join(groups, ""); strings.Contains(number, ".") || strings.Contains(decimals, ".") {
		return "", false
	}
	if split {
		number += "." + decimals
	}
	return number, true
}

// Decimal returns the mark before decimals.
func (w Notation) Decimal() byte { return marks[w].decimal }

// Valid reports whether there is such a notation.
func (w Notation) Valid() bool { return w >= 0 && int(w) < len(marks) }

// IsNumber reports whether a field is a number with a decimal point or a comma.
func IsNumber(field string) bool {
	field = strings.TrimSpace(field)
	if _, ok := Notation(0).Number(field); ok {
		return true
	}
	_, ok := Notation(1).Number(field)
	return ok
}

// NotationOf returns the notation that fits most of the fields.
func NotationOf(fields []string) Notation {
	var n numerals
	for _, field := range fields {
		n.add(field)
	}
	return n.best()
}

// numerals tells from fields how the numbers of a column are written.
type numerals struct {
	fields  int
	fits    [7]int // the fields that each notation fits
	grouped [7]int // and that have its mark between thousands
	small   bool   // some number, but 0, is without marks
}

// none reports whether no notation fits all fields.
func (n *numerals) none() bool { return n.fits[0] < n.fields && slices.Max(n.fits[:]) < n.fields }

// add takes a field, and returns the number that it is in the plain notation.
func (n *numerals) add(field string) (v float64, ok bool) {
	n.fields++
	v, ok = Notation(0).Number(field)
	marked := HasMark(field)
	n.small = n.small || ok && !marked && v != 0
	for w, mark := range marks {
		if ok && (!marked || mark.decimal == '.') { // the notation reads the same number
			if mark.thousands == 0 || math.Abs(v) < 1000 { // else its mark between thousands is missing
				n.fits[w]++
			}
			continue
		}
		// The point of a plain number may be one between thousands. It is not looked for where some
		// field before does not fit.
		if ok && (mark.thousands != '.' || n.fits[w] < n.fields-1) {
			continue
		}
		if _, fits := Notation(w).Number(field); fits {
			n.fits[w]++
			if mark.thousands != 0 && strings.IndexByte(noBreak.Replace(field), mark.thousands) >= 0 {
				n.grouped[w]++
			}
		}
	}
	return v, ok
}

// best returns the notation that fits most fields. One with marks
// between thousands comes before others if there are numbers without marks too, which 1.234
// and 12.345 with three decimals throughout would not have; three of them, for a point.
func (n *numerals) best() (best Notation) {
	for w := range marks {
		if n.fits[w] > n.fits[best] {
			best = Notation(w)
		}
	}
	for w, mark := range marks {
		if n.fits[w] == n.fits[best] && n.small && (n.grouped[w] > 2 || n.grouped[w] > 0 && mark.thousands != '.') {
			best = Notation(w)
			break
		}
	}
	return best
}

// IsDigits reports whether a text is a number of digits alone, as most ids are.
func IsDigits(text string) bool {
	for k := range len(text) {
		if text[k] < '0' || text[k] > '9' {
			return false
		}
	}
	return text != ""
}

// IsInteger reports whether a field is a number that is an integer with .0, as in 12.0.
func IsInteger(field string) bool {
	digits, ok := strings.CutSuffix(field, ".0")
	return ok && IsDigits(digits) && (digits[0] != '0' || digits == "0")
}

// duration is a time as pandas writes it, such as "-1 days +04:05:06.5".
var duration = regexp.MustCompile(`^(-?\d+) days? \+?(\d+):(\d+):(\d+(?:\.\d+)?)$`)

// hours returns a duration in hours.
func hours(word string) (sum float64, ok bool) {
	parts := duration.FindStringSubmatch(word)
	for k := range parts[min(1, len(parts)):] {
		v, _ := strconv.ParseFloat(parts[k+1], 64) // which the pattern is
		sum += v * []float64{24, 1, 1. / 60, 1. / 3600}[k]
	}
	return sum, parts != nil
}

// ParseNumbers returns the distinct values of a column of words as numbers, NaN for those that
// are none, and these, and sets the notation of the numbers. Durations are in hours, if all
// values are durations that do not say that they are missing.
func (c *Column) ParseNumbers() (values []float64, others []string) {
	var n numerals
	durations, missing := 0, 0
	for _, word := range c.Values {
		n.add(word)
		if _, ok := hours(word); ok {
			durations++
		} else if IsMissing(word) {
			missing++
		}
	}
	c.Notation = n.best()
	read := c.Notation.Number
	if durations > 0 && durations+missing == len(c.Values) {
		read = hours
	}
	for _, word := range c.Values {
		v, ok := read(word)
		if !ok {
			v, others = math.NaN(), append(others, word)
		}
		values = append(values, v)
	}
	return values, others
}
