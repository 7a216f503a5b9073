package parquet

import (
	"io"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/agekit/age/agekit/table"
)

// write writes a table as Parquet, compressed with Snappy: words as text, numbers as 64-bit
// integers if all are, else as 64-bit floats. Missing values are null.
func write(w io.Writer, t *table.Table) error {
	columns := ordered{Group: parquet.Group{}}
	whole := make([]bool, len(t.Columns))
	for k := range t.Columns {
		c := &t.Columns[k]
		node := parquet.String()
		if c.Numbers != nil {
			whole[k] = !slices.ContainsFunc(c.Numbers, func(v float64) bool { return v != math.Trunc(v) && !math.IsNaN(v) || math.Abs(v) >= 1<<53 })
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
			case c.Numbers == nil || math.IsNaN(c.Numbers[i]):
			case whole[k]:
				value = int64(c.Numbers[i])
			default:
				value = c.Numbers[i]
			}
			present := 1
			if value == nil {
				present = 0
			}
			row[k] = parquet.ValueOf(value).Level(0, present, k)
		}
		if _, err := writer.WriteRows([]parquet.Row{row}); err != nil {
			return err
		}
	}
	return writer.Close()
}

// ordered is a group whose columns keep the table's order instead of the alphabet's.
type ordered struct {
	parquet.Group
	names []string
}

// Fields implements [parquet.Node].
func (o ordered) Fields() []parquet.Field {
	fields := o.Group.Fields()
	slices.SortFunc(fields, func(a, b parquet.Field) int { return slices.Index(o.names, a.Name()) - slices.Index(o.names, b.Name()) })
	return fields
}
