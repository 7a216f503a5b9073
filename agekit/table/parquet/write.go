package parquet

import (
	"io"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/agekit/age/agekit/table"
)

// write writes a table as Parquet, compressed with Snappy. Words are text. The numbers of a column are
// 64-bit integers if all are whole and below 2⁵³, else 64-bit floats. Missing values are null.
func write(w io.Writer, t *table.Table) error {
	columns := ordered{Group: parquet.Group{}}
	whole := make([]bool, len(t.Columns)) // whether each column holds whole numbers
	for k := range t.Columns {
		c := &t.Columns[k]
		node := parquet.String()
		if c.Numbers != nil {
			whole[k] = !slices.ContainsFunc(c.Numbers, func(v float64) bool {
				isFraction := v != math.Trunc(v) && !math.IsNaN(v)
				return isFraction || math.Abs(v) >= 1<<53
			})
			node = parquet.Leaf(parquet.DoubleType)
			if whole[k] {
				node = parquet.Int(64)
			}
		}
		columns.Group[c.Name] = parquet.Optional(node)
		columns.names = append(columns.names, c.Name)
	}
	writer := parquet.NewWriter(w, parquet.NewSchema("nodes", columns), parquet.Compression(&parquet.Snappy))
	row := make(parquet.Row, len(t.Columns))
	for i := range t.Rows {
		for k := range t.Columns {
			var value any // nil if it is missing
			switch c := &t.Columns[k]; {
			case c.Numbers == nil && c.Codes[i] >= 0:
				value = c.Values[c.Codes[i]]
			case c.Numbers == nil || math.IsNaN(c.Numbers[i]): // missing
			case whole[k]:
				value = int64(c.Numbers[i])
			default:
				value = c.Numbers[i]
			}
			definition := 1 // the level that says that the value of an optional column is there
			if value == nil {
				definition = 0
			}
			row[k] = parquet.ValueOf(value).Level(0, definition, k)
		}
		if _, err := writer.WriteRows([]parquet.Row{row}); err != nil {
			return err
		}
	}
	return writer.Close()
}

// ordered is a group of columns that keep the order of the table, in place of the order of the alphabet.
type ordered struct {
	parquet.Group
	names []string // in the order of the table
}

// Fields implements [parquet.Node].
func (o ordered) Fields() []parquet.Field {
	fields := o.Group.Fields()
	slices.SortFunc(fields, func(a, b parquet.Field) int { return slices.Index(o.names, a.Name()) - slices.Index(o.names, b.Name()) })
	return fields
}
