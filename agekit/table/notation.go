package table

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Notation is a way to write numbers: with a decimal mark, and perhaps a mark between thousands. The zero
// value, called the plain notation, has a decimal point and no mark between thousands. A notation is an
// index of marks, whose order must stay, since stored models have the index.
type Notation int

// marks are the marks of each notation; a thousands mark of 0 means none.
var marks = []struct{ decimal, thousands byte }{{'.', 0}, {',', 0}, {'.', ','}, {',', '.'}, {'.', ' '}, {',', ' '}, {'.', '\''}}

// noBreak replaces no-break spaces, wide and narrow, which French texts put between thousands, by spaces.
var noBreak = strings.NewReplacer("\u00a0", " ", "\u202f", " ")

// HasMark reports whether a field has a character that is a mark in some notation, or one that is not
// ASCII, as no-break spaces are.
func HasMark(field string) bool {
	for k := range len(field) {
		if c := field[k]; c == '.' || c == ',' || c == ' ' || c == '\'' || c >= utf8.RuneSelf {
			return true
		}
	}
	return false
}

// Number parses a field as a finite number in the notation w, and returns false if the field is none.
// Codes with leading zeros, such as 0501, are no numbers, and neither are integers of 2⁵³ and more, which
// a float64 may change, nor what only Go takes for numbers, such as 0x1F, 1_000 and Inf.
func (w Notation) Number(field string) (v float64, ok bool) {
	if w != 0 {
		if field, ok = w.withPoint(noBreak.Replace(field)); !ok {
			return 0, false
		}
	}
	unsigned := strings.TrimLeft(field, "+-")
	if strings.ContainsAny(unsigned, "xXpP_iInN") { // of 0x1p-2, 1_000, Inf and NaN
		return 0, false
	}
	if len(unsigned) > 1 && unsigned[0] == '0' && unsigned[1] >= '0' && unsigned[1] <= '9' {
		return 0, false
	}
	v, err := strconv.ParseFloat(field, 64)
	if err != nil {
		return 0, false
	}
	isInteger := !strings.ContainsAny(unsigned, ".eE")
	if isInteger && math.Abs(v) >= 1<<53 {
		return 0, false
	}
	return v, true
}

// withPoint rewrites a number from the notation w to the plain one: with a decimal point and without marks
// between thousands. It returns false if the marks are not at their places: a mark between thousands
// stands before each group of three digits, or there is none at all in a number of up to three digits.
func (w Notation) withPoint(field string) (number string, ok bool) {
	mark := marks[w]
	whole, decimals, split := strings.Cut(field, string(mark.decimal))
	groups := []string{whole}
	if mark.thousands != 0 {
		groups = strings.Split(whole, string(mark.thousands))
		first := strings.TrimLeft(groups[0], "+-")
		if len(first) > 3 { // a mark is missing
			return "", false
		}
		if len(groups) > 1 && (first == "" || first[0] == '0') { // as in .123 and 0.123
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

// Decimal returns the mark before decimals, '.' or ','.
func (w Notation) Decimal() byte { return marks[w].decimal }

// Valid reports whether w is one of the known notations, as a number in a damaged file may not be.
func (w Notation) Valid() bool { return w >= 0 && int(w) < len(marks) }

// IsNumber reports whether a field, trimmed, is a number with a decimal point or a decimal comma.
func IsNumber(field string) bool {
	field = strings.TrimSpace(field)
	const point, comma = Notation(0), Notation(1)
	if _, ok := point.Number(field); ok {
		return true
	}
	_, ok := comma.Number(field)
	return ok
}

// NotationOf returns the notation in which most of the fields are numbers: see [numerals.best].
func NotationOf(fields []string) Notation {
	var n numerals
	for _, field := range fields {
		n.add(field)
	}
	return n.best()
}

// numerals counts, for each notation, the fields that are numbers in it, to tell how the numbers of a
// column are written.
type numerals struct {
	fields  int    // how many fields were added
	fits    [7]int // for each of marks, how many fields are numbers in that notation
	grouped [7]int // for each of marks, how many of these fields have its mark between thousands
	small   bool   // some number other than 0 has no mark
}

// none reports whether no notation fits all fields.
func (n *numerals) none() bool { return n.fits[0] < n.fields && slices.Max(n.fits[:]) < n.fields }

// add counts a field, and returns the number that the field is in the plain notation, and false if it is
// none.
func (n *numerals) add(field string) (v float64, ok bool) {
	n.fields++
	v, ok = Notation(0).Number(field)
	marked := HasMark(field)
	n.small = n.small || ok && !marked && v != 0
	for w, mark := range marks {
		if ok && (!marked || mark.decimal == '.') { // notation w reads the same number v
			if mark.thousands == 0 || math.Abs(v) < 1000 { // else its mark between thousands is missing
				n.fits[w]++
			}
			continue
		}
		if ok && mark.thousands != '.' { // the field has a point, which notation w has not
			continue
		}
		// The point of a plain number may stand between thousands. To save time, that is not tried once
		// some field before does not fit the notation.
		if ok && n.fits[w] < n.fields-1 {
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

// best returns the notation that fits most fields. Among notations that fit equally many, one whose marks
// between thousands were seen comes first, if there are also numbers without marks: a column that has
// three decimals throughout, such as 1.234 and 12.345, has none of those. A point between thousands must
// be seen three times, since it is more often a decimal point; another mark once.
func (n *numerals) best() (best Notation) {
	for w := range marks {
		if n.fits[w] > n.fits[best] {
			best = Notation(w)
		}
	}
	for w, mark := range marks {
		enough := 1
		if mark.thousands == '.' {
			enough = 3
		}
		if n.fits[w] == n.fits[best] && n.small && n.grouped[w] >= enough {
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

// IsInteger reports whether a field is an integer that is written with .0, as in 12.0, without a sign.
func IsInteger(field string) bool {
	digits, ok := strings.CutSuffix(field, ".0")
	return ok && IsDigits(digits) && (digits[0] != '0' || digits == "0")
}

// duration is a time as pandas writes it, such as "-1 days +04:05:06.5", or one without days.
var duration = regexp.MustCompile(`^(?:(-?\d+) days? \+?)?(\d+):([0-5]?\d):([0-5]?\d(?:\.\d+)?)$`)

// hours parses a duration and returns it in hours, and false if the word is none.
func hours(word string) (sum float64, ok bool) {
	match := duration.FindStringSubmatch(word)
	if match == nil {
		return 0, false
	}
	hoursIn := []float64{24, 1, 1. / 60, 1. / 3600} // a day, an hour, a minute and a second
	for k, digits := range match[1:] {
		v, _ := strconv.ParseFloat(digits, 64) // the pattern leaves nothing but numbers, and "" for no days, which are 0
		sum += v * hoursIn[k]
	}
	return sum, true
}

// ParseNumbers returns the numbers that the distinct words of a column are: values[k] for c.Values[k], NaN
// if that is no number. Others are the words that are no numbers. It sets c.Notation to that of the
// numbers. If each word is a duration or stands for a missing value, the durations are the numbers, in
// hours.
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
