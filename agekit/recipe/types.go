package recipe

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/message"
)

// Types has what is known of columns by their names, so that nothing is guessed from their values:
// "number"; "category"; "date", in one of the forms that are read; "tags", lists of words; or "text", which
// is words even if all of them are digits. As others, text becomes categories, dates, tags, numbers with a
// unit, TF-IDF weights or nothing.
type Types map[string]string

// ReadTypes parses the types in a text of JSON such as {"columns": {"zip": "text"}}. An unknown type is
// an error.
func ReadTypes(text []byte) (Types, error) {
	var schema struct {
		Columns Types `json:"columns"`
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		return nil, fmt.Errorf(`%w: want {"columns": {"NAME": "TYPE"}}`, err)
	}
	known := []string{kindNumber, kindCategory, kindText, kindDate, kindTags}
	types := Types{}
	for _, name := range slices.Sorted(maps.Keys(schema.Columns)) {
		kind := schema.Columns[name]
		if !slices.Contains(known, kind) {
			return nil, fmt.Errorf("column %s: type %s: want one of %s", message.Quote(name), message.Quote(kind), message.Shorten(fmt.Sprint(known)))
		}
		types[(&table.Cleaner{}).Clean(name)] = kind // names in tables are cleaned too
	}
	return types, nil
}

// Words returns the names of the columns of any type but "number": a table keeps their fields as words,
// whatever these look like.
func (t Types) Words() (names []string) {
	for _, name := range slices.Sorted(maps.Keys(t)) {
		if t[name] != kindNumber {
			names = append(names, name)
		}
	}
	return names
}
