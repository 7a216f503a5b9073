package dataset

import (
	"bytes"
	"context"
	"io"
	"strconv"

	"gonum.org/v1/gonum/blas/blas32"
)

// readCSV reads comma-separated numbers, a row a line. The first line is left
// out if none of its fields is a number.
func readCSV(ctx context.Context, r io.Reader, name string) (*blas32.General, error) {
	m := &blas32.General{}
	l := newLineReader(ctx, r, name)
	for first := true; l.next(); first = false {
		if first && isHeader(l.text) {
			continue
		}
		count := 0
		for field := range bytes.SplitSeq(l.text, []byte(",")) {
			v, err := parseFloat(bytes.TrimSpace(field))
			if err != nil {
				return nil, l.errorf("column %d: %w", count+1, err)
			}
			m.Data = append(m.Data, v)
			count++
		}
		if m.Rows == 0 {
			m.Cols, m.Stride = count, count
		}
		if count != m.Cols {
			return nil, l.errorf("%d fields, want %d as in the first row", count, m.Cols)
		}
		m.Rows++
	}
	return m, l.err()
}

func isHeader(line []byte) bool {
	for field := range bytes.SplitSeq(line, []byte(",")) {
		if _, err := strconv.ParseFloat(string(bytes.TrimSpace(field)), 32); err == nil {
			return false
		}
	}
	return true
}
