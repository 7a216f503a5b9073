package table

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/agekit/age/internal/message"
)

// headerOption names the option that says whether the first line is a header: a field of package input's
// Source.
const headerOption message.Option = "Source.Header"

// evidence adds up what the first record of a table says about two readings: that it names the columns,
// and that it is a row like the others. The unit is the bit: one point makes the header twice as likely.
// Most points are the logarithm of a ratio of two chances: that names of columns have a property, which
// is estimated once for all tables (the constants below), and that a row has it, which is counted in the
// other rows.
type evidence struct {
	points    float64 // above 0 for a header, below for a row
	strongest [2]struct {
		points float64
		reason string
	} // the reason with the most points for a row, and for a header
}

// add adds points, and their reason.
func (e *evidence) add(points float64, format string, args ...any) {
	e.points += points
	side := 0
	if points > 0 {
		side = 1
	}
	if best := &e.strongest[side]; math.Abs(points) > best.points {
		best.points, best.reason = math.Abs(points), fmt.Sprintf(format, args...)
	}
}

// isHeader reports which reading is the likelier one.
func (e *evidence) isHeader() bool { return e.points > 0 }

// isDoubtful reports whether the other reading is nearly as likely: less than three times less.
func (e *evidence) isDoubtful() bool { return math.Abs(e.points) < math.Log2(3) }

// reason returns the strongest reason for the likelier reading.
func (e *evidence) reason() string {
	if e.isHeader() {
		return e.strongest[1].reason
	}
	return e.strongest[0].reason
}

// ratio returns the points for a property that the first record has: names of columns have it with the
// chance ofNames, and count of n rows have it. Chance is what the rows are taken to have before any is
// counted.
func ratio(ofNames float64, count, n int, chance float64) float64 {
	return math.Log2(ofNames * (float64(n) + 1) / (float64(count) + chance))
}

// limit returns the points between −most and most.
func limit(points, most float64) float64 { return max(-most, min(most, points)) }

// rowsWeighed is how many rows after the first are compared with it: more change no decision.
const rowsWeighed = 200

// weighHeader weighs whether the first of some records, all with the same number of fields, names the
// columns ([evidence]). Options decide before all else; then given is true.
func (s *style) weighHeader(records [][]string) (e evidence, given bool) {
	first := make([]string, len(records[0]))
	for k, field := range records[0] {
		first[k] = strings.TrimSpace(unguarded(field))
	}
	if s.Header != nil {
		e.points = -1
		if *s.Header {
			e.points = 1
		}
		return e, true
	}
	for _, name := range s.Names {
		if k, err := strconv.Atoi(name); err == nil && 1 <= k && k <= len(first) {
			continue // the number of a column
		}
		if name != "" && slices.Contains(first, name) {
			e.points = 1
			return e, true
		}
	}
	var rest [][]string // the rows after the first, trimmed
	for _, record := range records[1:] {
		if len(record) != len(first) {
			continue
		}
		row := make([]string, len(record))
		for k, field := range record {
			row[k] = strings.TrimSpace(field)
		}
		if rest = append(rest, row); len(rest) == rowsWeighed {
			break
		}
	}
	e.weighOrdinary(s.Options, first, rest)
	e.weighNames(s.Pairs, first, rest)
	if s.IsKey != nil {
		e.weighKeys(s.IsKey, first, rest)
	}
	ends := map[int]bool{}
	if s.Pairs && len(first) > 1 {
		pair := FindPair(make([]string, len(first)), rest, EndOptions{Source: -1, Target: -1, Weight: -1, IsNode: s.IsKey})
		ends[pair.Source], ends[pair.Target] = true, true
		e.weighEnds(pair, first, rest)
	}
	var numbers []int // the columns that hold numbers, in the first record too
	sum := 0.         // of their points, which depend on each other
	plain := 0.       // of the points below 0 about words that look like all others
	for k, field := range first {
		fields := make([]string, 0, len(rest))
		missing := 0
		for _, row := range rest {
			if IsMissing(row[k]) {
				missing++
			} else {
				fields = append(fields, row[k])
			}
		}
		words := 0
		for _, text := range fields {
			if !IsNumber(text) {
				words++
			}
		}
		switch areNumbers := len(fields) > 0 && words == 0; {
		case field == "" && len(rest) > 0:
			if k == 0 { // as programs write row numbers
				e.add(limit(ratio(0.2, missing, len(rest), 0.5), 5), "its first field is empty")
			} else {
				e.add(-1, "field %d is empty", k+1)
			}
		case IsMissing(field), len(fields) == 0:
		case 2*words < len(fields) && !IsNumber(field):
			e.add(limit(ratio(0.9, words, len(fields), 0.1), 6), "%s stands over numbers", message.Quote(field))
		case areNumbers && s.Pairs && ends[k]:
			// The first edge is seldom one of many: lists are sorted.
			numbers = append(numbers, k)
		case areNumbers:
			numbers = append(numbers, k)
			sum += limit(weighNumber(field, fields), 3)
		default:
			points, isPlain := weighWord(field, fields, !ends[k])
			if points = limit(points, 3.5); isPlain && points < 0 {
				plain += points
				continue
			}
			e.add(points, "%s stands over %s", message.Quote(field), message.Quote(fields[0]))
		}
	}
	const mostPlain = 2
	e.add(max(plain, -mostPlain), "its words look like those below")
	if len(numbers) > 0 {
		e.weighNumbers(s.Pairs && (ends[numbers[0]] || len(numbers) == len(first)), numbers, first, rest)
		e.add(max(-4, min(8, sum)), "its numbers are %s those below", map[bool]string{true: "unlike", false: "like"}[sum > 0])
	}
	return e, false
}

// weighOrdinary weighs what is known before a field is read: most tables have a header, most lists of
// pairs have none, and a matrix has one or not. A table of one line is a header if it has no number.
func (e *evidence) weighOrdinary(o Options, first []string, rest [][]string) {
	switch {
	case o.Pairs:
		e.add(-1.5, "lists of pairs seldom have a header")
	case len(rest) == 0 && slices.ContainsFunc(first, IsNumber):
		e.add(-3, "it has a number")
	case !o.EveryLine:
		e.add(3, "tables mostly have a header")
	default:
		e.add(0.5, "it comes first")
	}
}

// weighNames weighs whether the fields are names as programs give them to columns, and whether they are
// different, as names are.
func (e *evidence) weighNames(pairs bool, first []string, rest [][]string) {
	seen := map[string]bool{}
	for _, field := range first {
		if seen[field] && field != "" {
			points := -3.
			if IsNumber(field) {
				points = -6
			}
			e.add(points, "%s is there twice", message.Quote(field))
			break
		}
		seen[field] = true
	}
	for _, field := range first {
		name := plainName(field)
		isName := slices.Contains(identifierNames, name)
		if pairs {
			isName = slices.Contains(sourceNames, name) || slices.Contains(targetNames, name) || slices.Contains(weightNames, name)
		}
		// The values u and v occur again in a list of pairs without a header.
		if isName && !slices.ContainsFunc(rest, func(row []string) bool { return slices.Contains(row, field) }) {
			e.add(3, "%s is a usual name of a column", message.Quote(field))
		}
	}
}

// identifierNames are what most programs call the column of identifiers, as plainName gives it.
var identifierNames = []string{"id", "node", "name", "label", "key"}

// weighKeys weighs whether the first record has a key in the column that has most keys. One that no other row
// has outweighs all else.
func (e *evidence) weighKeys(isKey func(field string) bool, first []string, rest [][]string) {
	column, most := 0, 0
	for k := range first {
		keys := 0
		for _, row := range rest {
			if isKey(row[k]) {
				keys++
			}
		}
		if keys > most {
			column, most = k, keys
		}
	}
	switch {
	case 2*most <= len(rest):
	case isKey(first[column]) && slices.ContainsFunc(rest, func(row []string) bool { return row[column] == first[column] }):
		// As a row it would be there twice.
	case isKey(first[column]):
		e.add(-20, "%s is the id of a node that edges have", message.Quote(first[column]))
	default:
		e.add(limit(ratio(0.97, len(rest)-most, len(rest), 0.5), 5), "%s is the id of no edge, unlike those below", message.Quote(first[column]))
	}
}

// weighEnds weighs whether the first pair has an end in common with another pair, as far as the other pairs
// have.
func (e *evidence) weighEnds(pair Pair, first []string, rest [][]string) {
	times := map[string]int{} // how often each end is there, the first pair's apart
	for _, row := range rest {
		times[row[pair.Source]]++
		times[row[pair.Target]]++
	}
	alone := 0 // pairs of the rest
	for _, row := range rest {
		if times[row[pair.Source]] == 1 && times[row[pair.Target]] == 1 {
			alone++
		}
	}
	u, v := first[pair.Source], first[pair.Target]
	switch {
	case len(rest) == 0:
	case times[u] == 0 && times[v] == 0:
		e.add(limit(ratio(0.95, alone, len(rest), 0.5), 4), "%s and %s are in no other line", message.Quote(u), message.Quote(v))
	default:
		if times[u] == 0 {
			u = v
		}
		e.add(limit(ratio(0.03, len(rest)-alone, len(rest), 0.5), 5), "%s is in another line too", message.Quote(u))
	}
}

// weighNumber weighs a number of the first record that stands over numbers: its form, its size, and whether
// it is one of them.
func weighNumber(field string, below []string) (points float64) {
	n := len(below)
	form := decimalsOf(field)
	alike, years, same := 0, 0, 0
	times := map[string]int{}
	values := make([]float64, n)
	for i, text := range below {
		if decimalsOf(text) == form {
			alike++
		}
		if isYear(text) {
			years++
		}
		if text == field {
			same++
		}
		times[text]++
		values[i] = numberOf(text)
	}
	ofNames := 0.85 // most numbers that are names are whole
	if form > 0 {
		ofNames = 0.1
	}
	points += ratio(ofNames, alike, n, 0.5)
	points += weighNew(0.7, same > 0, times, n)
	v := numberOf(field)
	smallest, largest := slices.Min(values), slices.Max(values)
	descending := slices.Clone(values)
	slices.Reverse(descending)
	continues := slices.IsSorted(values) && v <= values[0] || slices.IsSorted(descending) && v >= values[0]
	switch isOutside := v < smallest || v > largest; {
	case isYear(field):
		points += limit(ratio(0.4, years, n, 0.1), 4)
	case continues && n > 1: // as the first row of a sorted table does
	case isOutside:
		points += ratio(0.7, 2, n, 0)
	default:
		points += ratio(0.3, n, n, 0.5)
	}
	return points
}

// weighWord weighs a word, or a number, of the first record that stands over words: its pattern, and, if
// repeats says that the values of the column may come again, whether it is one of them. It is plain if its
// pattern has only letters and is that of most words.
func weighWord(field string, below []string, repeats bool) (points float64, isPlain bool) {
	n := len(below)
	pattern := patternOf(field)
	same := 0
	times, patterns := map[string]int{}, map[string]int{} // how often each word and each pattern is there
	for _, text := range below {
		patterns[patternOf(text)]++
		if text == field {
			same++
		}
		times[text]++
	}
	alike := patterns[pattern]
	if alike == 0 { // a row has a new pattern about as often as patterns are there once
		for _, count := range patterns {
			if count == 1 {
				alike++
			}
		}
	}
	ofNames := 0.6 // how often names of columns have such a pattern
	switch {
	case len([]rune(field)) == 1:
		ofNames = 0.25
	case strings.ContainsAny(pattern, "0:/@=<>"): // in ids, dates, addresses
		ofNames = 0.05
	case strings.ContainsRune(pattern, 'A'):
		ofNames = 0.4
	}
	points = ratio(ofNames, alike, n, 0.5)
	isPlain = ofNames > 0.05
	if repeats {
		isNew := weighNew(0.97, same > 0, times, n)
		points += isNew
		isPlain = isPlain && isNew > -1
	}
	return points, isPlain
}

// weighNew weighs whether a field is one of the values below it, of which times says how often each is
// there in n rows. A row has a new value about as often as values are there once. OfNames is the chance that a
// name is no value.
func weighNew(ofNames float64, isOld bool, times map[string]int, n int) float64 {
	once := 0
	for _, count := range times {
		if count == 1 {
			once++
		}
	}
	if isOld {
		return limit(ratio(1-ofNames, n-once, n, 0.5), 3)
	}
	return limit(ratio(ofNames, once, n, 0.5), 3)
}

// weighNumbers weighs a first record that has numbers over numbers in some columns: names are seldom
// numbers, and those that are mostly count up in even steps, as years do, or at least get larger. EndsOrAll
// says that the numbers are those of pairs, whose names are hardly ever numbers.
func (e *evidence) weighNumbers(endsOrAll bool, columns []int, first []string, rest [][]string) {
	points := -4.6 // one header in twenty-five has numbers as names
	if endsOrAll {
		points = -10
	}
	e.add(points, "%s is a number, as those below", message.Quote(first[columns[0]]))
	if len(columns) < 2 || endsOrAll {
		return
	}
	step := stepsOf(columns, first)
	alike := 0
	for _, row := range rest {
		if stepsOf(columns, row) == step {
			alike++
		}
	}
	switch step {
	case even:
		// As 0, 1, 2 or 1, 2, 3 hardly anything but names counts.
		most := 6.
		begin, next := numberOf(first[columns[0]]), numberOf(first[columns[1]])
		switch {
		case len(columns) == 2:
			most = 4
		case next == begin+1 && (begin == 0 || begin == 1):
			most = 10
		}
		e.add(limit(ratio(0.6, alike, len(rest), 0.05), most), "its numbers count up from %s in even steps", first[columns[0]])
	case rising:
		e.add(limit(ratio(0.3, alike, len(rest), 0.2), 4), "its numbers get larger from %s", first[columns[0]])
	default:
		e.add(limit(ratio(0.1, alike, len(rest), 0.5), 4), "its numbers do not count up")
	}
}

// steps says how the numbers in a row follow each other.
type steps int

const (
	unordered steps = iota
	rising          // each is larger than the one before
	even            // each is larger by the same step; a step of two numbers is 1
)

// stepsOf returns how the numbers in some columns of a row follow each other. Gaps are unordered.
func stepsOf(columns []int, row []string) steps {
	result := even
	step := numberOf(row[columns[1]]) - numberOf(row[columns[0]])
	if len(columns) == 2 && step != 1 {
		result = rising
	}
	for j, k := range columns[1:] {
		switch d := numberOf(row[k]) - numberOf(row[columns[j]]); {
		case !(d > 0): // or NaN
			return unordered
		case math.Abs(d-step) > 1e-9*math.Abs(step):
			result = rising
		}
	}
	return result
}

// numberOf returns the number that a field is, with a decimal point or comma; NaN if it is none.
func numberOf(field string) float64 {
	for _, notation := range []Notation{0, 1} {
		if v, ok := notation.Number(field); ok {
			return v
		}
	}
	return math.NaN()
}

// decimalsOf returns how many digits a number has after its point or comma; 0 for an integer.
func decimalsOf(field string) int {
	if k := strings.LastIndexAny(field, ".,"); k >= 0 {
		return len(field) - k - 1
	}
	return 0
}

// patternOf returns the pattern of a text: A for a capital letter, a for small letters, 0 for digits, and
// other characters as they are. A run of letters or digits counts as one, but for a text of one letter.
func patternOf(text string) string {
	var b strings.Builder
	last := rune(0)
	for _, c := range text {
		switch {
		case unicode.IsUpper(c):
			c = 'A'
		case unicode.IsLetter(c):
			c = 'a'
		case unicode.IsDigit(c):
			c = '0'
		}
		if c != last {
			b.WriteRune(c)
		}
		last = c
	}
	if pattern := b.String(); len([]rune(text)) != 1 {
		return pattern
	}
	return "1" + b.String()
}

// FirstYear and LastYear are the first and the last number that may be a year of the Common Era not far from today.
const FirstYear, LastYear = 1500, 2100

// isYear reports whether a field has four digits that may be a year.
func isYear(field string) bool {
	year, err := strconv.Atoi(field)
	return err == nil && len(field) == 4 && FirstYear <= year && year <= LastYear
}
