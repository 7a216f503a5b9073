package parquet

import (
	"encoding/json"
	"strconv"

	"github.com/parquet-go/parquet-go"
)

// kindsOf returns the physical type of each leaf of a schema.
func kindsOf(s *parquet.Schema) (kinds []parquet.Kind) {
	for _, path := range s.Columns() {
		leaf, _ := s.Lookup(path...)
		kinds = append(kinds, leaf.Node.Type().Kind())
	}
	return kinds
}

// hasMembers reports whether each row of the column has a list of words or of integers, such as the neighbors
// of a node. Kind is the physical type of the values.
func (b *builder) hasMembers(kind parquet.Kind) bool {
	isInteger := kind == parquet.Int32 || kind == parquet.Int64
	return b.list && (b.word != nil || b.number != nil && isInteger)
}

// members returns the list of a row as JSON writes it, without the members that are missing.
func (b *builder) members(values []parquet.Value) (string, error) {
	list := []string{}
	for _, v := range values {
		switch {
		case v.IsNull(): // also in place of an empty list
		case b.number != nil:
			list = append(list, strconv.FormatInt(v.Int64(), 10))
		default:
			list = append(list, b.word(v))
		}
	}
	text, err := json.Marshal(list)
	return string(text), err
}

// cell returns what a row has in the column, as text.
func (b *builder) cell(values []parquet.Value) (string, error) {
	if b.list {
		return b.members(values)
	}
	return b.text(values[0])
}
