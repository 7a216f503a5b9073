package parquet

import (
	"io"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/agekit/age/agekit/input"
)

// write writes a table as Parquet, compressed with Snappy: words as text, numbers as 64-bit
// integers if all are, else as 64-bit floats. Missing values are null.
func write(w io.Writer, t *input.Table) error {
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
			v, present := valueOf(&t.Columns[k], i, whole[k]), 1
			if v.IsNull() {
				present = 0
			}
			row[k] = v.Level(0, present, k)
		}
		if _, err := writer.WriteRows([]parquet.Row{row}); err != nil {
			return err
		}
	}
	return writer.Close()
}

func valueOf(c *input.Column, row int, whole bool) parquet.Value {
	switch {
	case c.Numbers == nil:
		if word, ok := c.Text(row); ok {
			return parquet.ByteArrayValue([]byte(word))
		}
	case math.IsNaN(c.Numbers[row]):
	case whole:
		return parquet.Int64Value(int64(c.Numbers[row]))
	default:
		return parquet.DoubleValue(c.Numbers[row])
	}
	return parquet.NullValue()
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
