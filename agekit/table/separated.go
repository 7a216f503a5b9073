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

// registerSeparated registers a format of separated text.
func registerSeparated(f Format) {
	f.Read, f.Scan, f.Text = readSeparated, ScanSeparated, true
	Register(f)
}

// readSeparated reads text with separated values. It reads nothing twice: see [columnMaker].
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

// newCSVReader detects how a file is written.
func newCSVReader(f *File, o Options) (*csvReader, error) {
	beginning := &bytes.Buffer{}
	style, err := sniff(io.TeeReader(f, beginning), o)
	if err == nil && !o.EveryLine {
		err = style.different()
	}
	r := &csvReader{name: f.Name(), style: style, beginning: beginning}
	return r, f.Error(err)
}

// csvReader reads one file.
type csvReader struct {
	name string
	style
	beginning *bytes.Buffer // what was read to know the style, and is not read again

	csv       *csv.Reader
	text      *bufio.Reader // that csv reads
	line      int           // of the last record
	skipped   int           // lines that csv has not seen: comments at the beginning, and pairs
	pairBytes int64         // of the pairs that csv has not seen

	comments int    // lines with # after the first row
	empty    int    // rows at the end with nothing in them
	lost     string // the first attributes of a pair that are left out

	pair     func(u, v int) error // takes rows of two numbers, if they may come so ([Chosen].Pairs)
	progress func(bytes int64)    // nil for a small file
}

// large is the size of a file from which reading takes seconds.
var large int64 = 16 << 20

// each calls do with every row after the header. Rows without any value between others are rows too;
// those at the end are counted in r.empty.
func (r *csvReader) each(ctx context.Context, f *File, do func(record []string, line int) error) error {
	r.csv, r.text, r.skipped = r.reader(io.MultiReader(r.beginning, f))
	r.csv.ReuseRecord = true
	r.line = r.skipped
	give := func(record []string, line int) error {
		if err := do(record, line); err != nil {
			return fmt.Errorf("%s:%d: %w", r.name, line, err)
		}
		return nil
	}
	header, begun := r.header, false
	var empty []int // the lines of the last rows, which have nothing in them
	paired := 0     // rows that r.pair has taken since the last record
	for k := 0; ; k++ {
		if k&0xfff == 0 || paired > 0 {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			r.showProgress()
		}
		if paired = 0; r.pair != nil && !header && len(empty) == 0 {
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
		case header:
			header, begun = false, true
			continue
		case len(record) != len(r.names):
			return fmt.Errorf("%s:%d: %d fields, want %d as in the first line", r.name, r.line, len(record), len(r.names))
		}
		begun = true
		for _, line := range empty { // they are between others
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

// bytes returns how many bytes of the text have been read.
func (r *csvReader) bytes() int64 { return r.pairBytes + r.csv.InputOffset() }

func (r *csvReader) showProgress() {
	if r.progress != nil {
		r.progress(r.bytes())
	}
}

// next returns the fields of the next record, which begins in r.line; the error is io.EOF after the
// last one.
func (r *csvReader) next() ([]string, error) {
	for {
		record, err := r.csv.Read()
		var damaged *csv.ParseError
		switch {
		case err == io.EOF:
			return nil, err
		case errors.As(err, &damaged):
			return nil, fmt.Errorf("%s:%d: %w: want fields that are quoted as a whole, with quotation marks inside doubled", r.name, r.skipped+damaged.Line, damaged.Err)
		case err != nil:
			return nil, fmt.Errorf("%s: %w", r.name, err)
		}
		line, _ := r.csv.FieldPos(0)
		line += r.skipped
		if r.EveryLine { // a blank line would shift all others, unless it is at the end
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

// takePairs gives r.pair the next rows, as far as they are pairs of numbers in the buffer of r.text,
// and returns how many these are.
func (r *csvReader) takePairs() (rows int, err error) {
	rows, bytes, err := eachPair(r.text, byte(r.csv.Comma), r.pair)
	r.line += rows
	r.skipped += rows
	r.pairBytes += int64(bytes)
	if err != nil {
		return rows, fmt.Errorf("%s:%d: %w", r.name, r.line+1, err)
	}
	return rows, nil
}

// eachPair calls do with the numbers in the lines that come next in a buffer, as long as they are
// two and written as [strconv.Itoa] does, and returns how many lines and bytes that was. Package
// csv takes several times as long.
func eachPair(text *bufio.Reader, separator byte, do func(u, v int) error) (lines, bytes int, err error) {
	ahead, _ := text.Peek(text.Buffered())
	for err == nil {
		u, rest := cutNumber(ahead[bytes:], separator)
		v, rest := cutNumber(rest, '\n')
		if rest == nil {
			break
		}
		if err = do(u, v); err == nil {
			lines, bytes = lines+1, len(ahead)-len(rest)
		}
	}
	_, _ = text.Discard(bytes)
	return lines, bytes, err
}

// cutNumber cuts a number and what ends it off a text. It returns nil if there is none.
func cutNumber(text []byte, end byte) (v int, rest []byte) {
	const longest = 10 // digits of a number of 32 bits
	for k, c := range text {
		switch digit := c - '0'; {
		case digit < 10 && k < longest && (k == 0 || v > 0):
			v = 10*v + int(digit)
		case c == end && k > 0:
			return v, text[k+1:]
		default:
			return 0, nil
		}
	}
	return 0, nil
}

// table returns the table without its rows.
func (r *csvReader) table() *Table {
	t := &Table{Path: r.name, Headless: r.headless, Separator: r.separator, EmptyRows: r.empty}
	for _, name := range r.names {
		t.Columns = append(t.Columns, Column{Name: name})
	}
	t.Note("%s", r.style.note())
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

// writeSeparated writes text with a header line, and fields as they were read, but for
// formulas ([guarded]).
func writeSeparated(separator rune) func(w io.Writer, t *Table) error {
	return func(w io.Writer, t *Table) error {
		c := csv.NewWriter(w)
		c.Comma = separator
		record := make([]string, len(t.Columns))
		for k, column := range t.Columns {
			record[k] = guarded(column.Name)
		}
		_ = c.Write(record) // c.Error knows
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
