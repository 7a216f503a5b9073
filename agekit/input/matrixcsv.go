package input

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/files"
)

func readMatrixCSV(ctx context.Context, f *os.File, g *graph.Graph) (err error) {
	g.Features, err = parseCSV(ctx, f, f.Name(), sizeOf(f))
	return err
}

// parseCSV reads comma-separated features of size bytes, one row per line. The
// first line is skipped as a header if none of its fields is a number.
func parseCSV(ctx context.Context, r io.Reader, name string, size int64) (x graph.Features, err error) {
	l := files.NewLineReader(ctx, r, name)
	header, rows := 0, 0
	var b *builder
	var row []float32
	var base float32
	counted := true // column 1 has been base, base + 1, … so far
	for first := true; l.Next(); first = false {
		if err := l.Blank(); err != nil {
			return x, err
		}
		if first && isHeader(l.Text()) {
			if header, err = headerColumns(l); err != nil {
				return x, err
			}
			continue
		}
		row = row[:0]
		for field := range bytes.SplitSeq(l.Text(), []byte(",")) {
			v, err := files.ParseFloat(bytes.TrimSpace(field))
			if err != nil {
				return x, l.Errorf("column %d: %w", len(row)+1, err)
			}
			row = append(row, v)
		}
		if rows == 0 {
			if err := checkFirstRow(l, row, first, header); err != nil {
				return x, err
			}
			// A value takes at least two bytes, with its comma or line end.
			if b, err = newBuilder(int(size/int64(2*len(row)))+1, len(row), false); err != nil {
				return x, l.Errorf("%w", err)
			}
			base = row[0]
		}
		if len(row) != b.columns {
			return x, l.Errorf("%d fields, want %d as in the first row", len(row), b.columns)
		}
		counted = counted && row[0] == base+float32(rows)
		if err := b.add(row); err != nil {
			return x, l.Errorf("%w", err)
		}
		rows++
	}
	if err := l.Err(); err != nil || b == nil {
		return x, err
	}
	if counted && rows > 3 && b.columns > 1 && (base == 0 || base == 1) {
		return x, fmt.Errorf("%s: column 1 numbers the rows (%v, %v, %v, …), as a table's index does: want features only", name, base, base+1, base+2)
	}
	if x, err = b.features(rows); err != nil {
		err = l.Errorf("%w", err)
	}
	return x, err
}

// isHeader reports whether no field of a line is a number.
func isHeader(line []byte) bool {
	for field := range bytes.SplitSeq(line, []byte(",")) {
		if files.IsNumber(unquote(field)) {
			return false
		}
	}
	return true
}

// headerColumns returns the number of columns that a header names, or 0 if that is not
// certain because quoted names may contain commas.
func headerColumns(l *files.LineReader) (columns int, err error) {
	first, _, _ := bytes.Cut(l.Text(), []byte(","))
	switch {
	case len(unquote(first)) == 0:
		return 0, l.Errorf("column 1 has no name, as in a table whose first column numbers its rows: want features only")
	case bytes.IndexByte(l.Text(), '"') >= 0:
		return 0, nil
	}
	return 1 + bytes.Count(l.Text(), []byte(",")), nil
}

// checkFirstRow returns an error for a row that does not fit the header (of so many
// columns, unless 0), and for a first line that looks like a header of numbers, as some
// programs write it.
func checkFirstRow(l *files.LineReader, row []float32, first bool, header int) error {
	if header > 0 && len(row) != header {
		return l.Errorf("%d fields, want %d as in the header", len(row), header)
	}
	if !first || len(row) < 4 || row[0] > 1 {
		return nil
	}
	for j, v := range row {
		if v != row[0]+float32(j) {
			return nil
		}
	}
	return l.Errorf("the first line counts the columns from %v: delete this header, or put a line of names before it if it is data", row[0])
}

// unquote removes white space and quotation marks around a field.
func unquote(field []byte) []byte { return bytes.Trim(field, " \t\"") }
