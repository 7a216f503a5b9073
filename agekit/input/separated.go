package input

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agekit/age/internal/limit"
)

func init() {
	// The empty extension is for names without one.
	Register(Format{Extensions: []string{"", ".txt"}, Table: readSeparated, Edges: readEdges, Labels: readLabels("\t")})
	Register(Format{Extensions: []string{".tsv"}, Table: readSeparated, Edges: readEdges, Labels: readLabels("\t"), WriteTable: writeSeparated('\t')})
	Register(Format{Extensions: []string{".csv"}, Table: readSeparated, Features: readMatrixCSV, Labels: readLabels(","), WriteTable: writeSeparated(',')})
	Register(Format{Extensions: []string{".edges", ".edgelist"}, Table: readSeparated, Edges: readEdges})
	Register(Format{Extensions: []string{".tab"}, Table: readSeparated})
}

// readSeparated reads text with separated values twice: first to see which columns hold
// numbers, then to store the values, so that a large file takes no other memory.
func readSeparated(ctx context.Context, f *os.File, o TableOptions) (*Table, error) {
	style, err := sniff(f, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	r := &csvReader{name: f.Name(), style: style, columns: make([]csvColumn, len(style.names))}
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
	for k := 0; ; k++ {
		if k&0xfff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		record, err := c.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			var damaged *csv.ParseError
			if errors.As(err, &damaged) {
				return fmt.Errorf("%s:%d: %w: want fields that are quoted as a whole, with quotation marks inside doubled", r.name, damaged.Line, damaged.Err)
			}
			return fmt.Errorf("%s: %w", r.name, err)
		}
		line, _ := c.FieldPos(0)
		if k == 0 && r.style.header {
			continue
		}
		if len(record) != len(r.columns) {
			return fmt.Errorf("%s:%d: %d fields, want %d as in the first line", r.name, line, len(record), len(r.columns))
		}
		if err := do(record, line); err != nil {
			return fmt.Errorf("%s:%d: %w", r.name, line, err)
		}
	}
}

// look detects what the columns hold.
func (r *csvReader) look(record []string, _ int) error {
	if r.rows++; r.rows > math.MaxInt32 {
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
	perRow := 4 // the number of its line
	for _, c := range r.columns {
		if perRow += 8; c.text {
			perRow -= 4
		}
	}
	if err := limit.Memory(fmt.Sprintf("%s: table of %d rows and %d columns", r.name, r.rows, len(r.columns)), float64(perRow)*float64(r.rows)); err != nil {
		return err
	}
	r.lines = make([]int32, 0, r.rows)
	for k := range r.columns {
		c := &r.columns[k]
		if c.text {
			c.Codes = slices.Grow(c.Codes, r.rows)
		} else {
			c.Numbers = slices.Grow(c.Numbers, r.rows)
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
		c := &r.columns[k]
		if c.text {
			c.AddWord(field)
			continue
		}
		v := math.NaN()
		if field = strings.TrimSpace(field); !isMissing(field) {
			v, _, _ = r.style.number(field)
		}
		c.Numbers = append(c.Numbers, v)
	}
	return nil
}

// table returns the finished table.
func (r *csvReader) table() *Table {
	t := &Table{Path: r.name, Rows: r.rows, Notes: []string{r.style.note()}, lines: r.lines}
	for k, c := range r.columns {
		c.Name = r.style.names[k]
		t.Columns = append(t.Columns, c.Column)
		if c.commas && !c.text {
			t.Notes = append(t.Notes, fmt.Sprintf("column %s: numbers with a decimal comma", t.label(k)))
		}
	}
	return t
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
		if err := writeRecord(w, c, record); err != nil {
			return err
		}
		for row := range t.Rows {
			for k := range t.Columns {
				record[k] = ""
				if text, ok := t.Columns[k].Text(row); ok {
					record[k] = text
				}
			}
			if err := writeRecord(w, c, record); err != nil {
				return err
			}
		}
		c.Flush()
		return c.Error()
	}
}

// writeRecord writes a record, whose first field is quoted if a comment would begin there.
func writeRecord(w io.Writer, c *csv.Writer, record []string) error {
	if len(record) > 0 && strings.HasPrefix(record[0], "#") {
		c.Flush()
		quoted := `"` + strings.ReplaceAll(record[0], `"`, `""`) + `"`
		if record = record[1:]; len(record) > 0 {
			quoted += string(c.Comma)
		}
		if _, err := io.WriteString(w, quoted); err != nil {
			return err
		}
	}
	return c.Write(record)
}
