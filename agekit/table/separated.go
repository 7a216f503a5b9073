package table

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/agekit/age/internal/message"
)

func init() {
	// The empty extension is for names without one.
	registerSeparated(Format{Extensions: []string{"", ".txt", ".edges", ".edgelist"}, List: true})
	registerSeparated(Format{Extensions: []string{".tsv"}, List: true, Write: writeSeparated('\t')})
	registerSeparated(Format{Extensions: []string{".csv"}, Write: writeSeparated(',')})
	registerSeparated(Format{Extensions: []string{".tab"}})
}

// registerSeparated registers a format of separated text, after it adds the readers of f, which all such
// formats share.
func registerSeparated(f Format) {
	f.Read, f.Scan, f.Text = readSeparated, ScanSeparated, true
	Register(f)
}

// readSeparated is [Format].Read of separated text. It reads nothing twice: see [columnMaker].
func readSeparated(ctx context.Context, f *File, o Options) (*Table, error) {
	r, err := newCSVReader(f, o)
	if err != nil {
		return nil, err
	}
	rows, err := newTableMaker(f.Name(), r.names, o.Words)
	if err != nil {
		return nil, err
	}
	size := f.Size()
	if o.Progress != nil && size >= large {
		report := o.Progress.Reading(f.Name())
		r.progress = func(bytes int64) { report(bytes, size) }
	}
	if err := r.each(ctx, f, func(record []string, line int) error {
		if rows.count == enoughRows {
			rows.expect(float64(size) / float64(r.bytes()) * enoughRows)
		}
		return rows.add(record, line)
	}); err != nil {
		return nil, err
	}
	t := r.table()
	return t, rows.fill(t)
}

// newCSVReader returns a reader of f, after it has read the beginning of f to detect how f is written, as
// far as the options do not say so.
func newCSVReader(f *File, o Options) (*csvReader, error) {
	beginning := &bytes.Buffer{}
	style, err := sniff(io.TeeReader(f, beginning), f.Size(), o)
	if err == nil && !o.EveryLine {
		err = style.different()
	}
	r := &csvReader{name: f.Name(), style: style, beginning: beginning}
	return r, f.Error(err)
}

// csvReader reads one file of separated text, once, and counts what is left out.
type csvReader struct {
	name string // the name of the file
	style
	beginning *bytes.Buffer // the beginning of the file, which was read to detect the style

	limit     *rowLimit // what text reads from
	csv       *csv.Reader
	text      *bufio.Reader // what csv reads from
	line      int           // the line in which the last record begins, from 1
	unseen    int           // how many lines csv has not seen: comments at the beginning, and pairs
	pairBytes int64         // how many bytes the pairs have that csv has not seen

	comments int    // how many comments come after the first row or the header
	empty    int    // how many rows at the end have nothing in them
	lost     string // the first attributes of a pair that were left out, and their line; "" for none

	pair     func(u, v int) error // takes rows of two numbers, if they may come so ([Chosen].Pairs)
	progress func(bytes int64)    // nil for a small file
}

// large is the size in bytes of a file from which reading takes seconds. It is a variable for tests.
var large int64 = 16 << 20

// each calls do with the fields of every row after the header, and with the row's line. A row without any
// value is given to do if another row with values follows; those at the end are only counted, in r.empty.
// If r.pair is set, the rows that are pairs of numbers go there instead of do, where that is possible. The
// record is overwritten after do returns.
func (r *csvReader) each(ctx context.Context, f *File, do func(record []string, line int) error) error {
	r.limit = &rowLimit{Reader: io.MultiReader(r.beginning, f), most: math.MaxInt64}
	r.csv, r.text, r.unseen = r.reader(r.limit)
	r.csv.ReuseRecord = true
	r.line = r.unseen
	give := func(record []string, line int) error {
		if err := do(record, line); err != nil {
			return fmt.Errorf("%s:%d: %w", r.name, line, err)
		}
		return nil
	}
	before := r.before // how many records are still to come before the first row
	begun := false     // the last of these or a row has come
	var empty []int    // the lines of the rows without any value since the last row with one
	paired := 0        // how many rows r.pair has taken since the last record
	const recordsPerCheck = 1 << 12
	for k := 0; ; k++ {
		if k%recordsPerCheck == 0 || paired > 0 {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			r.showProgress()
		}
		paired = 0
		if r.pair != nil && before == 0 && len(empty) == 0 {
			var err error
			if paired, err = r.takePairs(); err != nil {
				return err
			}
			begun = begun || paired > 0
		}
		record, err := r.next()
		if err == io.EOF {
			r.showProgress()
			r.empty = len(empty)
			return nil
		}
		if err != nil {
			return err
		}
		switch {
		case isEmpty(record):
			if begun && len(record) == len(r.names) {
				empty = append(empty, r.line)
			}
			continue
		case r.isComment(record):
			if begun {
				r.comments++
			}
			continue
		case before > 0:
			before--
			begun = before == 0
			continue
		case len(record) != len(r.names):
			return fmt.Errorf("%s:%d: %d fields, want %d as in the first line", r.name, r.line, len(record), len(r.names))
		}
		begun = true
		for _, line := range empty { // which turn out to be between other rows
			if err := give(make([]string, len(r.names)), line); err != nil {
				return err
			}
		}
		empty = empty[:0]
		for k, field := range record {
			record[k] = unguarded(field)
		}
		if err := give(record, r.line); err != nil {
			return err
		}
	}
}

// bytes returns how many bytes of the text have been read as records or pairs.
func (r *csvReader) bytes() int64 { return r.pairBytes + r.csv.InputOffset() }

// showProgress reports the bytes that have been read, if the file is large.
func (r *csvReader) showProgress() {
	if r.progress != nil {
		r.progress(r.bytes())
	}
}

// next returns the fields of the next record, and sets r.line to the line in which the record begins. The
// error is io.EOF after the last record.
func (r *csvReader) next() ([]string, error) {
	for {
		r.limit.nextRow()
		record, err := r.csv.Read()
		if r.limit.cut {
			return nil, r.tooLong(err)
		}
		if err != nil {
			return nil, r.readError(err)
		}
		line, _ := r.csv.FieldPos(0)
		line += r.unseen
		if r.EveryLine { // package csv skips blank lines, which would shift all later rows
			if len(record) == 1 && strings.TrimSpace(record[0]) == "" {
				continue
			}
			if line > r.line+1 {
				return nil, fmt.Errorf("%s:%d: blank line: want one line for each node", r.name, r.line+1)
			}
		}
		r.line = line
		record, lost := r.tidy(record)
		if lost != "" && r.lost == "" {
			r.lost = fmt.Sprintf("%s in line %d", message.Quote(lost), line)
		}
		return record, nil
	}
}

// readError names the file, and the line if package csv knows it, in an error of its reader; the end of the
// file stays as it is. Only here, and not for each row, is there a place for the error that [errors.As] finds.
func (r *csvReader) readError(err error) error {
	if err == io.EOF {
		return err
	}
	var damaged *csv.ParseError
	if errors.As(err, &damaged) {
		return fmt.Errorf("%s:%d: %w: want fields that are quoted as a whole, with quotation marks inside doubled", r.name, r.unseen+damaged.Line, damaged.Err)
	}
	return fmt.Errorf("%s: %w", r.name, err)
}

// takePairs reads the next rows that are pairs of numbers, as far as they are in the buffer of r.text, and
// gives them to r.pair. It returns how many rows these are. Since r.csv does not see them, they are counted
// here.
func (r *csvReader) takePairs() (rows int, err error) {
	rows, size, err := eachPair(r.text, byte(r.csv.Comma), r.pair)
	r.line += rows
	r.unseen += rows
	r.pairBytes += int64(size)
	if err != nil {
		return rows, fmt.Errorf("%s:%d: %w", r.name, r.line+1, err)
	}
	return rows, nil
}

// eachPair calls do with the two numbers in each of the next lines that are in the buffer of text, up to
// the first line that is not two numbers with the separator between them, written as [strconv.Itoa] writes
// them. It takes these lines from text, and returns how many they are and their size in bytes. Package csv
// takes several times as long.
func eachPair(text *bufio.Reader, separator byte, do func(u, v int) error) (lines, size int, err error) {
	ahead, _ := text.Peek(text.Buffered()) // never more than there is, so without an error
	for err == nil {
		u, rest := cutNumber(ahead[size:], separator)
		v, rest := cutNumber(rest, '\n')
		if rest == nil {
			break
		}
		if err = do(u, v); err == nil {
			lines, size = lines+1, len(ahead)-len(rest)
		}
	}
	_, _ = text.Discard(size)
	return lines, size, err
}

// cutNumber returns the number at the beginning of a text, and the rest after the byte end, which must
// follow the number. The rest is nil if there is no such number: digits without a sign or leading zeros,
// ten at most.
func cutNumber(text []byte, end byte) (v int, rest []byte) {
	const longest = 10 // digits of a number of 32 bits
	for k, c := range text {
		switch digit := c - '0'; { // 10 or more, as a byte, for other characters
		case digit < 10 && k < longest && (k == 0 || v > 0): // v is 0 here after a leading zero
			v = 10*v + int(digit)
		case c == end && k > 0:
			return v, text[k+1:]
		default:
			return 0, nil
		}
	}
	return 0, nil
}

// table returns the table without its rows: with the names of the columns, and with notes and warnings about
// what each has read, guessed and left out. Call it after each.
func (r *csvReader) table() *Table {
	t := &Table{Path: r.name, Headless: r.headless, Separator: r.separator, EmptyRows: r.empty}
	for _, name := range r.names {
		t.Columns = append(t.Columns, Column{Name: name})
	}
	t.Note("%s", r.style.note())
	t.Warnings = append(t.Warnings, r.said...)
	if r.guessed != "" {
		t.Warn("the text is no UTF-8, and was read as Windows-1252 (Latin-1): see %s", r.guessed)
	}
	if r.lost != "" {
		t.Warn("attributes of edges but the weight are left out, such as %s", r.lost)
	}
	if r.comments > 0 {
		t.Warn("%d lines that begin with # were read as comments", r.comments)
	}
	if r.empty > 0 {
		t.Warn("%d rows at the end have nothing in them and are left out", r.empty)
	}
	return t
}

// writeSeparated returns a function that writes a table as text: a header line, and fields as they were
// read, only that formulas are [guarded].
func writeSeparated(separator rune) func(w io.Writer, t *Table) error {
	return func(w io.Writer, t *Table) error {
		c := csv.NewWriter(w)
		c.Comma = separator
		record := make([]string, len(t.Columns))
		for k, column := range t.Columns {
			record[k] = guarded(column.Name)
		}
		_ = c.Write(record) // c.Error returns the error in the end
		for row := range t.Rows {
			for k := range t.Columns {
				record[k] = guarded(t.Columns[k].Cell(row))
			}
			if err := c.Write(record); err != nil {
				return err
			}
		}
		c.Flush()
		return c.Error()
	}
}

// ScanSeparated is [Format].Scan of separated text.
func ScanSeparated(ctx context.Context, f *File, o Options, choose Choose, do func(*Row) error) (*Table, error) {
	r, err := newCSVReader(f, o)
	if err != nil {
		return nil, err
	}
	chosen, err := choose(Head{Names: r.names, Header: r.header, Sample: r.sample, Text: true})
	if err != nil {
		return nil, err
	}
	if o.Progress != nil {
		report := o.Progress.Reading(f.Name())
		r.progress = func(bytes int64) { report(bytes, f.Size()) }
	}
	row := Row{Number: math.NaN(), Words: make([]string, len(chosen.Words))}
	// Rows can be taken as pairs only if the two chosen columns are all there are, in their order.
	if chosen.Pairs && len(r.names) == 2 && slices.Equal(chosen.Words, []int{0, 1}) {
		r.pair = func(u, v int) error {
			row.Pair, row.Source, row.Target = true, u, v
			return do(&row)
		}
	}
	err = r.each(ctx, f, func(record []string, _ int) error {
		row.Pair = false
		for j, k := range chosen.Words {
			row.Words[j] = record[k]
		}
		return do(&row)
	})
	return r.table(), err
}
