package input

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/files"
)

// readMatrixCSV reads features: a table of numbers alone, one row for each node. What looks
// like the number of a row or a column, or like a row without values, is an error.
func readMatrixCSV(ctx context.Context, f *os.File, g *graph.Graph) error {
	r, err := newCSVReader(f, TableOptions{rows: true})
	if err != nil {
		return err
	}
	names := r.style.names
	switch k := slices.IndexFunc(names, func(name string) bool { return files.IsNumber(name) }); {
	case k >= 0:
		return fmt.Errorf("%s: column %d of the first line is %s: want finite numbers, or names", f.Name(), k+1, names[k])
	case r.style.header && names[0] == "":
		return fmt.Errorf("%s: column 1 has no name, as in a table whose first column numbers its rows: want features only", f.Name())
	}
	// A value takes at least two bytes, with its comma or line end.
	b, err := newBuilder(int(sizeOf(f)/int64(2*len(names)))+1, len(names))
	if err != nil {
		return named(f, err)
	}
	row := make([]float32, len(names))
	var base float32
	counted := true // column 1 has been base, base + 1, … so far
	err = r.each(ctx, f, func(record []string, _ int) error {
		for k, field := range record {
			if row[k], err = files.ParseFloat(strings.TrimSpace(field)); err != nil {
				return fmt.Errorf("column %d: %w", k+1, err)
			}
		}
		if r.rows == 0 {
			base = row[0]
			if !r.style.header && countsColumns(row) {
				return fmt.Errorf("the first line counts the columns from %v: delete this header, or put a line of names before it if it is data", base)
			}
		}
		counted = counted && row[0] == base+float32(r.rows)
		r.rows++
		return b.add(row)
	})
	switch {
	case err != nil:
		return err
	case r.empty > 0:
		return fmt.Errorf("%s: %d rows at the end have nothing in them: want one for each node", f.Name(), r.empty)
	case counted && r.rows > 3 && len(row) > 1 && (base == 0 || base == 1):
		return fmt.Errorf("%s: column 1 numbers the rows (%v, %v, %v, …), as a table's index does: want features only", f.Name(), base, base+1, base+2)
	}
	g.Features, err = b.features()
	return named(f, err)
}

// countsColumns reports whether a row of four values or more is 0, 1, 2, … or 1, 2, 3, …, as
// some programs write a header.
func countsColumns(row []float32) bool {
	for j, v := range row {
		if v != row[0]+float32(j) {
			return false
		}
	}
	return len(row) >= 4 && row[0] <= 1
}
