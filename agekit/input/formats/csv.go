package formats

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/readfile"
)

func init() {
	Register(Format{Extensions: []string{".csv"}, Features: readMatrixCSV})
}

// readMatrixCSV sets the features of g to those in f, a table of finite numbers with one row for each
// node. A column that looks like the numbers of the rows, and rows without values, are errors. Names may be
// numbers, such as those that pandas gives to the columns of an array.
func readMatrixCSV(ctx context.Context, f *table.File, g *graph.Graph) error {
	var features *builder // collects the rows
	choose := func(h table.Head) (table.Chosen, error) {
		isInfinite := func(name string) bool { return readfile.IsNumber(name) && !table.IsNumber(name) }
		switch k := slices.IndexFunc(h.Names, isInfinite); {
		case k >= 0:
			return table.Chosen{}, fmt.Errorf("%s: column %d of the first line is %s: want finite numbers, or names", f.Name(), k+1, h.Names[k])
		case h.Header && h.Names[0] == "":
			return table.Chosen{}, fmt.Errorf("%s: column 1 has no name, as in a table whose first column numbers its rows: want features only", f.Name())
		}
		all := table.Chosen{Number: -1} // all columns, as words, since this parses them itself
		for k := range h.Names {
			all.Words = append(all.Words, k)
		}
		// A value takes at least two bytes, with its comma or line end; the last line may lack its end.
		var err error
		mostRows := int(f.Size()/int64(2*len(h.Names))) + 1
		features, err = newBuilder(mostRows, len(h.Names))
		return all, f.Error(err)
	}
	var values []float32 // of the row
	var base float32     // the first value of column 1
	rows := 0
	counted := true // column 1 has been base, base + 1, … so far
	t, err := table.ScanSeparated(ctx, f, table.Options{EveryLine: true, Header: f.Header()}, choose, func(row *table.Row) error {
		values = values[:0]
		for k, field := range row.Words {
			v, err := readfile.ParseFloat(strings.TrimSpace(field))
			if err != nil {
				return fmt.Errorf("column %d: %w", k+1, err)
			}
			values = append(values, v)
		}
		if rows == 0 {
			base = values[0]
		}
		counted = counted && values[0] == base+float32(rows)
		rows++
		return features.add(values)
	})
	switch {
	case err != nil:
		return err
	case t.EmptyRows > 0:
		return fmt.Errorf("%s: %d rows at the end have nothing in them: want one for each node", f.Name(), t.EmptyRows)
	case counted && rows >= enoughToCount && len(values) > 1 && (base == 0 || base == 1):
		return fmt.Errorf("%s: column 1 numbers the rows (%v, %v, %v, …), as a table's index does: want features only", f.Name(), base, base+1, base+2)
	}
	f.Warn(t.Warnings)
	g.Features, err = features.features()
	return f.Error(err)
}

// enoughToCount is how many values 0, 1, 2, … in order are taken for counting: fewer may be data by chance.
const enoughToCount = 4
