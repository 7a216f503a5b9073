package format

import (
	"bytes"
	"context"
	"io"
	"os"
	"strconv"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/lines"
)

func init() {
	Register(Format{Extensions: []string{".csv"}, Features: readCSV, Labels: readLabels})
}

func readCSV(ctx context.Context, f *os.File, g *graph.Graph) error {
	m, err := parseCSV(ctx, f, f.Name())
	if err == nil {
		g.Features, err = denseFeatures(ctx, m)
	}
	return err
}

// parseCSV reads comma-separated features, one row per line. The first line is
// skipped as a header if none of its fields is a number.
func parseCSV(ctx context.Context, r io.Reader, name string) (blas32.General, error) {
	var m blas32.General
	l := lines.NewReader(ctx, r, name)
	for first := true; l.Next(); first = false {
		if first && isHeader(l.Text()) {
			continue
		}
		count := 0
		for field := range bytes.SplitSeq(l.Text(), []byte(",")) {
			v, err := lines.ParseFloat(bytes.TrimSpace(field))
			if err != nil {
				return m, l.Errorf("column %d: %w", count+1, err)
			}
			m.Data = append(m.Data, v)
			count++
		}
		if m.Rows == 0 {
			m.Cols, m.Stride = count, count
		}
		if count != m.Cols {
			return m, l.Errorf("%d fields, want %d as in the first row", count, m.Cols)
		}
		m.Rows++
	}
	return m, l.Err()
}

func isHeader(line []byte) bool {
	for field := range bytes.SplitSeq(line, []byte(",")) {
		if _, err := strconv.ParseFloat(string(bytes.TrimSpace(field)), 32); err == nil {
			return false
		}
	}
	return true
}
