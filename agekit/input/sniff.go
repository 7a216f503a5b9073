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
	names     []string // of the columns; empty strings without a header
}

func (s style) note() string {
	separated := map[rune]string{',': "comma", '\t': "tab", ';': "semicolon", '|': "bar", ' ': "space"}[s.separator] + "-separated"
	if !s.header {
		return fmt.Sprintf("%s, no header, %d columns", separated, len(s.names))
	}
	return limit.Shorten(fmt.Sprintf("%s, header %s", separated, strings.Join(s.names, ", ")))
}

// number parses a field as a number, and reports whether it has a decimal comma. Codes
// with leading zeros are no numbers, and neither are integers that a float64 would change.
func (s style) number(field string) (v float64, comma, ok bool) {
	if s.separator == ';' && strings.Count(field, ",") == 1 && !strings.Contains(field, ".") {
		field, comma = strings.Replace(field, ",", ".", 1), true
	}
	digits := strings.TrimLeft(field, "+-")
	if strings.ContainsAny(digits, "xXpP_") || len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9' {
		return 0, false, false
	}
	v, err := strconv.ParseFloat(field, 64)
	if err != nil || math.Abs(v) >= 1<<53 && !strings.ContainsAny(digits, ".eE") {
		return 0, false, false
	}
	return v, comma, true
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
		if records := firstRecords(head, separator); isTable(records) && (best == nil || len(records[0]) > len(best[0])) {
			best, s.separator = records, separator
		}
	}
	if best == nil { // one column, or a damaged file, about which reading it will say more
		s.separator = ','
		if best = firstRecords(head, ','); best == nil {
			return s, errors.New("no lines: want a table")
		}
	}
	s.header = s.hasHeader(best, o)
	s.names = make([]string, len(best[0]))
	if s.header {
		for k, name := range best[0] {
			s.names[k] = strings.TrimSpace(name)
			if j := slices.Index(s.names[:k], s.names[k]); j >= 0 && s.names[k] != "" {
				return s, fmt.Errorf("columns %d and %d are both named %s: want different names", j+1, k+1, limit.Quote(s.names[k]))
			}
		}
	}
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

// firstRecords returns the records at the beginning of a file that can be parsed.
func firstRecords(head []byte, separator rune) (records [][]string) {
	r := newCSV(bytes.NewReader(head), separator)
	for len(records) < sniffedRows {
		record, err := r.Read()
		if err != nil {
			break
		}
		records = append(records, record)
	}
	return records
}

// isTable reports whether records have the same number of fields, two or more.
func isTable(records [][]string) bool {
	return len(records) > 0 && !slices.ContainsFunc(records, func(r []string) bool { return len(r) < 2 || len(r) != len(records[0]) })
}

// newCSV returns a reader of the text after the byte-order mark, if there is one.
func newCSV(r io.Reader, separator rune) *csv.Reader {
	b := bufio.NewReaderSize(r, 1<<16)
	if mark, _ := b.Peek(3); string(mark) == "\ufeff" {
		_, _ = b.Discard(3)
	}
	c := csv.NewReader(b)
	c.Comma, c.Comment, c.FieldsPerRecord = separator, '#', -1
	return c
}

// hasHeader decides whether the first record names the columns: not if it holds a number;
// yes if a column holds numbers below it. Columns of words have a header in a table of
// nodes; in a table of edges, only if programs write it there and no node has such an id.
func (s style) hasHeader(records [][]string, o TableOptions) bool {
	if o.Header != nil {
		return *o.Header
	}
	for _, field := range records[0] {
		if _, _, ok := s.number(strings.TrimSpace(field)); ok {
			return false
		}
	}
	known := 0
	for k, field := range records[0] {
		name := strings.ToLower(strings.TrimSpace(field))
		isEnd := slices.Contains(sourceNames, name) || slices.Contains(targetNames, name)
		// The ids u and v occur again in a list of edges without a header.
		if isEnd && !slices.ContainsFunc(records[1:], func(r []string) bool { return slices.Contains(r, field) }) {
			known++
		}
		numbers, others := 0, 0
		for _, r := range records[1:] {
			if k >= len(r) || isMissing(strings.TrimSpace(r[k])) {
				continue
			}
			if _, _, ok := s.number(strings.TrimSpace(r[k])); ok {
				numbers++
			} else {
				others++
			}
		}
		if numbers > 0 && others == 0 {
			return true
		}
	}
	return !o.Edges || known >= 2
}

// sourceNames and targetNames are what programs call an edge's ends, in lower case.
var (
	sourceNames = []string{"source", "src", "from", "u", "node1", "id1", "start", "head", "citing", "source_id", "sourceid", "from_id", "from_node_id", "i"}
	targetNames = []string{"target", "dst", "to", "v", "node2", "id2", "end", "tail", "cited", "target_id", "targetid", "to_id", "to_node_id", "j", "dest", "destination"}
)
