package input

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agekit/age/internal/limit"
)

func init() {
	// The empty extension is for names without one.
	text := Format{Extensions: []string{"", ".txt"}, Table: readSeparated, Edges: readEdges, Labels: readLabels}
	Register(text)
	text.Extensions, text.WriteTable = []string{".tsv"}, writeSeparated('\t')
	Register(text)
	Register(Format{Extensions: []string{".csv"}, Table: readSeparated, Features: readMatrixCSV, Labels: readCSVLabels, WriteTable: writeSeparated(',')})
	Register(Format{Extensions: []string{".edges", ".edgelist"}, Table: readSeparated, Edges: readEdges})
	Register(Format{Extensions: []string{".tab"}, Table: readSeparated})
}

// readSeparated reads text with separated values twice: first to find out which columns
// hold numbers, then to store the values in their final form, so that a large file
// takes no memory but theirs.
func readSeparated(ctx context.Context, f *os.File, o TableOptions) (*Table, error) {
	style, err := sniff(f, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	r := &csvReader{name: f.Name(), style: style}
	if err := r.each(ctx, f, r.look); err != nil {
		return nil, err
	}
	if err := r.allocate(); err != nil {
		return nil, err
	}
	if err := r.each(ctx, f, r.keep); err != nil {
		return nil, err
	}
	return r.table(), nil
}

// csvReader reads one file.
type csvReader struct {
	name  string
	style style

	rows    int
	columns []csvColumn
	lines   []int32
}

// csvColumn is a column in the making.
type csvColumn struct {
	Column
	text   bool // some value is not a number
	commas bool // some number has a decimal comma
}

// each calls do with every record after the header.
func (r *csvReader) each(ctx context.Context, f *os.File, do func(record []string, line int) error) error {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	c := newCSV(f, r.style.separator)
	c.ReuseRecord = true
	columns := len(r.style.names)
	for k := 0; ; k++ {
		if k&0xfff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		record, err := c.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return r.plain(err)
		}
		line, _ := c.FieldPos(0)
		if k == 0 {
			columns = len(record)
			if r.style.header {
				continue
			}
		}
		if len(record) != columns {
			return fmt.Errorf("%s:%d: %d fields, want %d as in the first line", r.name, line, len(record), columns)
		}
		if err := do(record, line); err != nil {
			return fmt.Errorf("%s:%d: %w", r.name, line, err)
		}
	}
}

// plain names the file and the line of an error of package csv.
func (r *csvReader) plain(err error) error {
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		return fmt.Errorf("%s:%d: %w: want fields that are quoted as a whole, with quotation marks inside doubled", r.name, parse.Line, parse.Err)
	}
	return fmt.Errorf("%s: %w", r.name, err)
}

// look finds out what the columns hold.
func (r *csvReader) look(record []string, _ int) error {
	if r.columns == nil {
		r.columns = make([]csvColumn, len(record))
	}
	r.rows++
	if r.rows > math.MaxInt32 {
		return fmt.Errorf("more than %d rows", math.MaxInt32)
	}
	for k, field := range record {
		c := &r.columns[k]
		field = strings.TrimSpace(field)
		if isMissing(field) {
			continue
		}
		if !utf8.ValidString(field) {
			return fmt.Errorf("column %d: %s: want UTF-8", k+1, limit.Quote(field))
		}
		if !c.text {
			_, comma, ok := r.style.number(field)
			c.text = !ok
			c.commas = c.commas || comma
		}
	}
	return nil
}

// allocate makes room for the columns.
func (r *csvReader) allocate() error {
	bytes := 4. * float64(r.rows)
	for _, c := range r.columns {
		bytes += 4 * float64(r.rows)
		if !c.text {
			bytes += 4 * float64(r.rows)
		}
	}
	if err := limit.Memory(fmt.Sprintf("%s: table of %d rows and %d columns", r.name, r.rows, len(r.columns)), bytes); err != nil {
		return err
	}
	r.lines = make([]int32, 0, r.rows)
	for k := range r.columns {
		c := &r.columns[k]
		if c.text {
			c.Codes = make([]int32, 0, r.rows)
		} else {
			c.Numbers = make([]float64, 0, r.rows)
		}
	}
	return nil
}

// keep stores a record.
func (r *csvReader) keep(record []string, line int) error {
	if len(r.lines) == r.rows {
		return errors.New("the file grew while it was read")
	}
	r.lines = append(r.lines, int32(line))
	for k, field := range record {
		r.columns[k].keep(field, r.style)
	}
	return nil
}

func (c *csvColumn) keep(field string, s style) {
	if c.text {
		c.AddWord(field)
		return
	}
	v := math.NaN()
	if field = strings.TrimSpace(field); !isMissing(field) {
		v, _, _ = s.number(field)
	}
	c.Numbers = append(c.Numbers, v)
}

// table returns the finished table.
func (r *csvReader) table() *Table {
	t := &Table{Path: r.name, Rows: r.rows, Notes: []string{r.style.note()}, lines: r.lines}
	if r.columns == nil { // there is no row
		r.columns = make([]csvColumn, len(r.style.names))
	}
	for k, c := range r.columns {
		c.Name = r.style.names[k]
		t.Columns = append(t.Columns, c.Column)
		if c.commas && !c.text {
			t.Notes = append(t.Notes, fmt.Sprintf("column %s: numbers with a decimal comma", t.label(k)))
		}
	}
	return t
}

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

// number parses a field as a number, and reports whether it has a decimal comma.
// What only looks like a number is none: codes with leading zeros, and integers of
// so many digits that a float64 would change them.
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

// sniffed is the number of bytes of a file, and sniffedRows the number of its
// records, by which its style is found out.
const (
	sniffed     = 1 << 18
	sniffedRows = 1000
)

// sniff finds out how a file is written.
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
	var best [][]string
	for _, separator := range []rune{',', '\t', ';', '|', ' '} {
		if separator == ' ' && (best != nil || !o.Edges) {
			break
		}
		if records := consistent(head, whole, separator); records != nil && (best == nil || len(records[0]) > len(best[0])) {
			best, s.separator = records, separator
		}
	}
	if best == nil { // one column, or a damaged file, about which reading it will say more
		s.separator = ','
		if best = firstRecords(head, whole, ','); best == nil {
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

// beginning returns the first 256 kB of a file, or more if that is not two lines, and
// whether it is the whole file.
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
func firstRecords(head []byte, whole bool, separator rune) (records [][]string) {
	if !whole { // the last line may be incomplete
		head = head[:bytes.LastIndexByte(head, '\n')+1]
	}
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

// consistent returns the first records if they all have the same number of fields,
// two or more.
func consistent(head []byte, whole bool, separator rune) [][]string {
	records := firstRecords(head, whole, separator)
	for _, r := range records {
		if len(r) < 2 || len(r) != len(records[0]) {
			return nil
		}
	}
	return records
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

// hasHeader decides whether the first record names the columns: it does not if it
// holds a number; it does if a column holds numbers below it. What remains, columns
// of words, has a header in a table of nodes; in a table of edges, if the words are
// those that programs write there, and no node has them as its id.
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
		if isEnd(field) && !occurs(field, records[1:]) {
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

// occurs reports whether a field is one of the records', as the ids u and v are in a
// list of edges without a header.
func occurs(field string, records [][]string) bool {
	return slices.ContainsFunc(records, func(r []string) bool { return slices.Contains(r, field) })
}

// sourceNames and targetNames are the names that programs give to the columns of an edge's
// ends, in lower case.
var (
	sourceNames = []string{"source", "src", "from", "u", "node1", "id1", "start", "head", "citing", "source_id", "sourceid", "from_id", "from_node_id", "i"}
	targetNames = []string{"target", "dst", "to", "v", "node2", "id2", "end", "tail", "cited", "target_id", "targetid", "to_id", "to_node_id", "j", "dest", "destination"}
)

// isEnd reports whether a name is one of [sourceNames] or [targetNames].
func isEnd(name string) bool {
	name = strings.ToLower(strings.TrimSpace(name))
	return slices.Contains(sourceNames, name) || slices.Contains(targetNames, name)
}

// writeSeparated writes text with a header line; missing values are empty.
func writeSeparated(separator rune) func(w io.Writer, t *Table) error {
	return func(w io.Writer, t *Table) error {
		c := csv.NewWriter(w)
		c.Comma = separator
		record := make([]string, len(t.Columns))
		for k, column := range t.Columns {
			record[k] = column.Name
		}
		if err := c.Write(record); err != nil {
			return err
		}
		for row := range t.Rows {
			for k := range t.Columns {
				record[k], _ = t.Columns[k].Text(row)
				if t.Columns[k].Numbers != nil && math.IsNaN(t.Columns[k].Numbers[row]) {
					record[k] = ""
				}
			}
			if err := c.Write(record); err != nil {
				return err
			}
		}
		c.Flush()
		return c.Error()
	}
}
