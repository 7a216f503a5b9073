package table

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/agekit/age/internal/message"
)

// withoutHeaderOption is [headerOption] with the value that says that there is no header.
const withoutHeaderOption message.Option = "Source.Header=false"

// extent is how many lines a text has that are neither empty nor comments.
type extent struct {
	lines float64
	exact bool // lines is counted, and not estimated from the beginning of the text
}

// extentOf returns the extent of a text of a size in bytes, of which head is the beginning, and all of it if
// whole is set. A size of 0 is unknown.
func extentOf(head []byte, whole bool, size int64) extent {
	e := extent{exact: whole}
	for line := range bytes.Lines(head) {
		if line = bytes.TrimSpace(line); len(line) > 0 && !isLineComment(string(line[:1])) {
			e.lines++
		}
	}
	if !whole {
		e.lines *= float64(size) / float64(max(1, len(head)))
	}
	return e
}

// isAbout reports whether a count fits a number of rows, which a header of one line may have before them.
// The count may be half of the rows, which then have each edge in both directions.
func (e extent) isAbout(count, rows float64) bool {
	if e.exact {
		return count == rows || count == rows-1 || 2*count == rows || 2*count == rows-1
	}
	isNear := func(count float64) bool { return math.Abs(count-rows) <= rows/10 }
	return isNear(count) || isNear(2*count)
}

// mostBefore is how many records before the first row, other than comments, are looked for.
const mostBefore = 8

// linesBefore returns how many of the first records are neither rows of a table with a number of fields nor
// its header: titles, and counts of what follows. Where every line counts, it is 0.
func (s *style) linesBefore(records [][]string, fields int) (n int) {
	if s.EveryLine {
		return 0
	}
	for n < min(mostBefore, len(records)-1) && (s.isTitle(records, n, fields) || s.isCounts(records, n, fields)) {
		n++
	}
	return n
}

// isTitle reports whether record n of a table with a number of fields is a title of the table: words in few
// fields, after which one of the next records has something in all fields. A title with as many fields as a
// row, as spreadsheets write it, has its words in the first one, and the table three columns or more.
func (s *style) isTitle(records [][]string, n, fields int) bool {
	title := records[n]
	filled := 0
	for _, field := range title {
		if field = strings.TrimSpace(field); field != "" {
			filled++
		}
		if IsNumber(field) {
			return false
		}
	}
	isPadded := len(title) == fields
	if isPadded && (fields < 3 || filled > 1 || strings.TrimSpace(title[0]) == "") {
		return false
	}
	isAlike := func(r []string) bool { return patternOf(r[0]) == patternOf(title[0]) }
	if isPadded && (s.IsKey != nil && s.IsKey(title[0]) || slices.ContainsFunc(records[n+1:], isAlike)) {
		return false // a row with gaps
	}
	if len(title) > fields || !isPadded && (2*filled > fields || len(title) == fields-1 && fields > 2) {
		return false
	}
	for _, r := range records[n+1 : min(len(records), n+1+mostBefore)] {
		isFull := len(r) == fields && !slices.ContainsFunc(r[1:], func(field string) bool { return strings.TrimSpace(field) == "" })
		if isFull {
			// Rows with gaps like those of the title may come later.
			return !isPadded || !slices.ContainsFunc(records[n+1:], func(r []string) bool { return len(r) == fields && isTitleLike(r) })
		}
		if len(r) == fields && !isTitleLike(r) {
			return false
		}
	}
	return false
}

// isTitleLike reports whether a record has something in its first field alone.
func isTitleLike(record []string) bool {
	return !slices.ContainsFunc(record[1:], func(field string) bool { return strings.TrimSpace(field) != "" })
}

// isCounts reports whether record n says how many nodes and edges, or rows, follow it: whole numbers that fit
// the text, as METIS, SNAP and Matrix Market write them. If it has as many fields as the rows, it must fit in all
// numbers, since it may be a pair otherwise: half of the rows only if these have each edge in both directions.
func (s *style) isCounts(records [][]string, n, fields int) bool {
	var counts []float64
	for _, field := range records[n] {
		for _, text := range strings.Fields(field) {
			count, err := strconv.Atoi(text)
			if err != nil || count < 0 {
				return false
			}
			counts = append(counts, float64(count))
		}
	}
	isPair := len(records[n]) == fields
	const most = 4
	if len(counts) == 0 || len(counts) > most || isPair && (!s.Pairs || s.Header != nil && !*s.Header || len(counts) > 3) {
		return false
	}
	rows := s.lines - float64(n) - 1 // those after it
	body := slices.DeleteFunc(slices.Clone(records[n+1:]), func(r []string) bool { return len(r) != fields })
	last := counts[len(counts)-1]
	fitsRows := s.isAbout(last, rows)
	if !isPair {
		return fitsRows || slices.ContainsFunc(counts, func(count float64) bool { return s.isAbout(count, rows) }) || s.Pairs && fitsNodes(counts[0], body)
	}
	const enough = 10 // rows: fewer fit by chance
	if len(counts) < 2 || len(body) < enough || !fitsRows {
		return false
	}
	isHalf := s.exact && last < rows-1
	if isHalf && float64(len(body)) == rows && !hasBothDirections(body) {
		return false
	}
	if largest, ok := largestID(body); ok && last > largest && counts[0] >= largest {
		return true // more edges than nodes: the count is no node
	}
	return s.exact && fitsNodes(counts[0], body)
}

// hasBothDirections reports whether each of some pairs is there the other way round, too.
func hasBothDirections(pairs [][]string) bool {
	ends := func(pair []string) [2]string {
		return [2]string{strings.TrimSpace(pair[0]), strings.TrimSpace(pair[1])}
	}
	listed := map[[2]string]bool{}
	for _, pair := range pairs {
		listed[ends(pair)] = true
	}
	return !slices.ContainsFunc(pairs, func(pair []string) bool {
		e := ends(pair)
		return !listed[[2]string{e[1], e[0]}]
	})
}

// largestID returns the largest number in the first two columns of pairs, and false if a field is no whole
// number.
func largestID(pairs [][]string) (largest float64, ok bool) {
	for _, pair := range pairs {
		for _, field := range pair[:2] {
			id, err := strconv.Atoi(strings.TrimSpace(field))
			if err != nil {
				return 0, false
			}
			largest = max(largest, float64(id))
		}
	}
	return largest, len(pairs) > 0
}

// fitsNodes reports whether a count is the number of nodes of pairs: of their different ends, or of the numbers
// up to the largest one, from 0 or 1.
func fitsNodes(count float64, pairs [][]string) bool {
	ends := map[string]bool{}
	for _, pair := range pairs {
		ends[strings.TrimSpace(pair[0])], ends[strings.TrimSpace(pair[1])] = true, true
	}
	largest, ok := largestID(pairs)
	return count == float64(len(ends)) || ok && (count == largest || count == largest+1)
}

// readBefore finds out what the first of some records are, most of which have a number of fields: titles and
// counts, a header, and units under it. It sets s.before, what is known of the columns, and s.said.
func (s *style) readBefore(records [][]string, fields int) {
	if s.rewrite == nil || !s.header {
		s.names = make([]string, fields)
	}
	for n := range s.linesBefore(records, fields) {
		text := message.Quote(s.text(records[n]))
		if s.isCounts(records, n, fields) {
			m := message.Sprintf("%s before the rows counts nodes, edges or rows, and is left out", text)
			if len(records[n]) == fields {
				m = m.Advise("%s reads it as a row", withoutHeaderOption, "")
			}
			s.said = append(s.said, m)
		} else {
			s.said = append(s.said, message.Sprintf("%s before the rows is a title, and is left out", text))
		}
		s.before++
	}
	if s.rewrite != nil && s.header { // whose columns are known
		return
	}
	records = records[s.before:]
	body := records
	isShort := s.isShortHeader(records, fields)
	if isShort { // as R writes a header, without a name for the names of rows
		body = slices.Clone(records)
		body[0] = append([]string{""}, records[0]...)
	}
	weighed, given := s.weighHeader(body)
	s.headless = !weighed.isHeader() && s.Header == nil
	text := message.Quote(s.text(records[0]))
	switch {
	case isShort:
		s.said = append(s.said, message.Sprintf("the first line, %s, has a name less than the rows have fields: column 1 has no name, as R writes the names of rows", text))
	case given || len(records) == 1:
	case weighed.isHeader() && (weighed.isDoubtful() || !slices.ContainsFunc(records[0], func(field string) bool { return !IsNumber(field) })):
		s.said = append(s.said, message.Sprintf("the first line, %s, is read as the names of the columns: %s", text, weighed.reason()).Advise("%s reads it as a row", withoutHeaderOption, ""))
	case weighed.isDoubtful():
		s.said = append(s.said, message.Sprintf("the first line, %s, is read as a row, not as the names of the columns: %s", text, weighed.reason()).Advise("%s reads it as names", headerOption, ""))
	}
	if !weighed.isHeader() && !isShort {
		return
	}
	s.headless = false
	s.setNames(body[0])
	s.before++
	if len(body) > 2 && !s.EveryLine && s.isUnits(body[1:], body[0]) {
		s.said = append(s.said, message.Sprintf("the line under the header, %s, has units or remarks, and is left out", message.Quote(s.text(body[1]))))
		s.before++
	}
}

// isShortHeader reports whether the first of some records has one field less than most have, three or more: all
// words, while the first fields of the rows are different, or, in a table of pairs, count up from 1.
func (s *style) isShortHeader(records [][]string, fields int) bool {
	if s.EveryLine || fields < 3 || len(records) < 2 || len(records[0]) != fields-1 || s.Header != nil && !*s.Header {
		return false
	}
	if slices.ContainsFunc(records[0], func(field string) bool { return !isWord(field) }) {
		return false
	}
	seen := map[string]bool{} // in the first column of the rows
	for i, row := range records[1:] {
		name := strings.TrimSpace(row[0])
		if seen[name] || s.Pairs && name != strconv.Itoa(i+1) {
			return false
		}
		seen[name] = true
	}
	return true
}

// text returns the fields of a record with the separator between them.
func (s *style) text(record []string) string { return strings.Join(record, string(s.separator)) }

// isWord reports whether a field is neither a number nor missing.
func isWord(field string) bool {
	field = strings.TrimSpace(field)
	return !IsNumber(field) && !IsMissing(field)
}

// isUnits reports whether the first of the rows under a header has units or remarks, no values: it has no
// number, and something in it stands over each column of numbers, of which there is one at least. Either all
// that it has is in brackets, or there are two such columns, and it has nothing that a column of words has, or
// whose pattern the words have.
func (s *style) isUnits(rows [][]string, header []string) bool {
	units := rows[0]
	rest := slices.DeleteFunc(slices.Clone(rows[1:]), func(r []string) bool { return len(r) != len(units) })
	if len(units) != len(header) || len(rest) < 2 || s.IsKey != nil && slices.ContainsFunc(units, s.IsKey) {
		return false
	}
	over := 0            // columns of numbers
	areBracketed := true // all units
	for k, unit := range units {
		unit = strings.TrimSpace(unit)
		hasDigit := strings.ContainsFunc(unit, unicode.IsDigit)
		if hasDigit && !strings.ContainsFunc(unit, unicode.IsLetter) { // a number, perhaps in another notation
			return false
		}
		numbers, missing, alike := 0, 0, 0
		for _, row := range rest {
			field := strings.TrimSpace(row[k])
			switch {
			case IsMissing(field):
				missing++
			case IsNumber(field):
				numbers++
			case field == unit || patternOf(field) == patternOf(unit):
				alike++
			}
		}
		isBracketed := len(unit) > 1 && strings.ContainsRune("([{<", rune(unit[0])) && strings.ContainsRune(")]}>", rune(unit[len(unit)-1]))
		areBracketed = areBracketed && (unit == "" || isBracketed)
		switch {
		case alike > 0 && !IsMissing(unit):
			return false
		case numbers > 0 && numbers+missing == len(rest):
			if IsMissing(unit) && numbers == len(rest) && unit != "" {
				return false
			}
			if unit != "" {
				over++
			}
		}
	}
	return over > 0 && areBracketed || over > 1
}
