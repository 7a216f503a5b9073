package input

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/agekit/age/internal/limit"
)

// style is how a file writes its table.
type style struct {
	separator rune
	header    bool
	names     []string   // of the columns; empty strings without a header
	headless  bool       // nothing but the lines says that there is no header
	verbatim  bool       // no line is a comment
	sample    [][]string // the first rows after the header
}

// isComment reports whether a record is a comment ([TableOptions].Verbatim).
func (s style) isComment(record []string) bool {
	text, ok := strings.CutPrefix(record[0], "#")
	if s.verbatim || !ok {
		return false
	}
	return text == "" || text[0] == ' ' || text[0] == '\t' || text[0] == '#' || len(record) != len(s.names)
}

func (s style) note() string {
	separated := map[rune]string{',': "comma", '\t': "tab", ';': "semicolon", '|': "bar", ' ': "space"}[s.separator] + "-separated"
	if !s.header {
		return fmt.Sprintf("%s, no header, %d columns", separated, len(s.names))
	}
	return limit.Shorten(fmt.Sprintf("%s, header %s", separated, strings.Join(s.names, ", ")))
}

// number parses a field as a finite number, and reports whether it has a decimal comma.
// Codes with leading zeros are no numbers, and neither are integers that a float64 would
// change.
func (s style) number(field string) (v float64, comma, ok bool) {
	if s.separator == ';' && strings.Count(field, ",") == 1 && !strings.Contains(field, ".") {
		field, comma = strings.Replace(field, ",", ".", 1), true
	}
	digits := strings.TrimLeft(field, "+-")
	if strings.ContainsAny(digits, "xXpP_iInN") || len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9' {
		return 0, false, false
	}
	v, err := strconv.ParseFloat(field, 64)
	if err != nil || math.Abs(v) >= 1<<53 && !strings.ContainsAny(digits, ".eE") {
		return 0, false, false
	}
	return v, comma, true
}

// isNumber reports whether a field is a number.
func (s style) isNumber(field string) bool {
	_, _, ok := s.number(strings.TrimSpace(field))
	return ok
}

// sniffed and sniffedRows are the bytes and records of a file that tell its style.
const (
	sniffed     = 1 << 18
	sniffedRows = 1000
)

// sniff detects how a file is written.
func sniff(f *os.File, o TableOptions) (s style, err error) {
	head, whole, err := beginning(f)
	if err != nil {
		return s, err
	}
	switch {
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}), bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		return s, errors.New("UTF-16 text: want UTF-8")
	case bytes.IndexByte(head, 0) >= 0:
		return s, errors.New("contains NUL bytes, as a binary file does: want UTF-8 text")
	}
	if !whole { // the last line may be incomplete
		head = head[:bytes.LastIndexByte(head, '\n')+1]
	}
	var best [][]string
	for _, separator := range []rune{',', '\t', ';', '|', ' '} {
		if separator == ' ' && (best != nil || !o.Edges) {
			break
		}
		if records := firstRecords(head, separator, o.Verbatim); isTable(records) && (best == nil || len(records[0]) > len(best[0])) {
			best, s.separator = records, separator
		}
	}
	if best == nil { // one column, or a damaged file, about which reading it will say more
		s.separator = ','
		if best = firstRecords(head, ',', o.Verbatim); len(best) == 0 {
			return s, errors.New("no lines: want a table")
		}
	}
	s.header = s.hasHeader(best, o)
	s.headless = !s.header && o.Header == nil
	s.names, s.verbatim = make([]string, len(best[0])), o.Verbatim
	if s.header {
		first := make(map[string]int, len(best[0]))
		for k, name := range best[0] {
			name = unguarded(name)
			if s.names[k] = name; !o.Verbatim {
				s.names[k] = strings.TrimSpace(name)
			}
			if j, twice := first[s.names[k]]; twice && s.names[k] != "" {
				return s, fmt.Errorf("columns %d and %d are both named %s: want different names", j+1, k+1, limit.Quote(s.names[k]))
			}
			first[s.names[k]] = k
		}
		best = best[1:]
	}
	s.sample = slices.DeleteFunc(best, func(r []string) bool { return len(r) != len(s.names) })
	return s, nil
}

// beginning returns the first 256 kB of a file, or two lines, and whether that is all.
func beginning(f *os.File) (head []byte, whole bool, err error) {
	for size := int64(sniffed); ; size *= 4 {
		more, err := io.ReadAll(io.LimitReader(f, size-int64(len(head))))
		head = append(head, more...)
		if err != nil || int64(len(head)) < size {
			return head, true, err
		}
		if bytes.Count(head, []byte("\n")) > 1 || size > limit.Line {
			return head, false, nil
		}
	}
}

// firstRecords returns the records at the beginning of a file that can be parsed. Comments
// before the first row say nothing about the number of fields.
func firstRecords(head []byte, separator rune, verbatim bool) (records [][]string) {
	r, _ := newCSV(bytes.NewReader(head), separator, verbatim)
	fields, hashed := map[int]int{}, map[int]int{} // records with so many; those that begin with #
	for len(records) < sniffedRows {
		record, err := r.Read()
		if err != nil {
			break
		}
		records = append(records, record)
		if strings.HasPrefix(record[0], "#") {
			hashed[len(record)]++
		} else {
			fields[len(record)]++
		}
	}
	if len(fields) == 0 { // all ids begin so, and the name of their column
		fields = hashed
	}
	most := 1
	for count, times := range fields {
		if times > fields[most] || times == fields[most] && count > most {
			most = count
		}
	}
	s := style{names: make([]string, most), verbatim: verbatim}
	return slices.DeleteFunc(records, s.isComment)
}

// isTable reports whether records have the same number of fields, two or more.
func isTable(records [][]string) bool {
	return len(records) > 0 && !slices.ContainsFunc(records, func(r []string) bool { return len(r) < 2 || len(r) != len(records[0]) })
}

// newCSV returns a reader of the text after the byte-order mark, if there is one, and after
// the comments at the beginning, whose lines it counts.
func newCSV(r io.Reader, separator rune, verbatim bool) (c *csv.Reader, skipped int) {
	b := bufio.NewReaderSize(r, 1<<16)
	if mark, _ := b.Peek(3); string(mark) == "\ufeff" {
		_, _ = b.Discard(3)
	}
	for !verbatim {
		if begin, _ := b.Peek(2); len(begin) < 2 || begin[0] != '#' || !strings.ContainsRune(" \t\r\n#", rune(begin[1])) {
			break
		}
		for more := true; more; { // also for lines that are longer than the buffer
			_, err := b.ReadSlice('\n')
			more = errors.Is(err, bufio.ErrBufferFull)
		}
		skipped++
	}
	c = csv.NewReader(b)
	c.Comma, c.FieldsPerRecord = separator, -1
	return c, skipped
}

// hasHeader decides whether the first record names the columns ([TableOptions]). It does if
// the user names one of them, if a column has ids of nodes and it has none, or if a column
// holds numbers and it a word. It does not if it holds a number, or an id. Otherwise it
// does in a table of nodes; in one of edges, if it has two names of ends, or if neither of
// its ends is in another row while those of nearly all rows are.
func (s style) hasHeader(records [][]string, o TableOptions) bool {
	first, rest := records[0], records[1:]
	if o.Header != nil {
		return *o.Header
	}
	for _, name := range o.Names {
		if k, err := strconv.Atoi(name); err == nil && 1 <= k && k <= len(first) {
			continue // the number of a column
		}
		if name != "" && slices.ContainsFunc(first, func(field string) bool { return strings.TrimSpace(field) == name }) {
			return true
		}
	}
	for k, field := range first {
		ids := 0
		for _, r := range rest {
			if k < len(r) && o.isID(r[k]) {
				ids++
			}
		}
		if ids > 0 && 10*ids >= 9*len(rest) {
			return !o.isID(field)
		}
	}
	if slices.ContainsFunc(first, s.isNumber) {
		return false
	}
	known := 0
	for k, field := range first {
		name := strings.ToLower(strings.TrimSpace(field))
		isEnd := slices.Contains(sourceNames, name) || slices.Contains(targetNames, name)
		// The ids u and v occur again in a list of edges without a header.
		if isEnd && !slices.ContainsFunc(rest, func(r []string) bool { return slices.Contains(r, field) }) {
			known++
		}
		numbers, others := 0, 0
		for _, r := range rest {
			switch {
			case k >= len(r) || isMissing(strings.TrimSpace(r[k])):
			case s.isNumber(r[k]):
				numbers++
			default:
				others++
			}
		}
		if numbers > 0 && others == 0 {
			return true
		}
	}
	return !o.Edges || known >= 2 || standsAlone(records)
}

// standsAlone reports whether neither end of the first record is an end of another, while
// nine tenths of the others share one, and there are enough to tell.
func standsAlone(records [][]string) bool {
	const enough = 10
	if len(records) < enough || len(records[0]) < 2 {
		return false
	}
	times := map[string]int{}
	for _, r := range records {
		if len(r) < 2 {
			return false
		}
		times[r[0]]++
		times[r[1]]++
	}
	alone := 0
	for _, r := range records[1:] {
		if times[r[0]] == 1 && times[r[1]] == 1 {
			alone++
		}
	}
	return times[records[0][0]] == 1 && times[records[0][1]] == 1 && 10*alone <= len(records)
}

// sourceNames and targetNames are what programs call an edge's ends, in lower case.
var (
	sourceNames = []string{"source", "src", "from", "u", "node1", "id1", "start", "head", "citing", "source_id", "sourceid", "from_id", "from_node_id", "i"}
	targetNames = []string{"target", "dst", "to", "v", "node2", "id2", "end", "tail", "cited", "target_id", "targetid", "to_id", "to_node_id", "j", "dest", "destination"}
)
