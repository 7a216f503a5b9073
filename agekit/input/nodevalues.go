package input

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/agekit/age/agekit/table"
)

// errSeen ends a scan of which the first rows are enough.
var errSeen = errors.New("the first rows are known")

// nodeValues returns a function that reports whether a value is in a column of s.Nodes that may have the ids: s.ID,
// or one that has a different value in each of the first rows. It knows the values in these rows alone, and is nil if
// it knows none; what is wrong with the file is said when it is read.
func (s Source) nodeValues(ctx context.Context) func(value string) bool {
	known := map[string]bool{}
	_, err := table.Scan(table.WithSums(ctx, nil), s.Nodes, table.Options{Header: s.Header, Names: []string{s.ID}}, func(head table.Head) (table.Chosen, error) {
		for k, name := range head.Names {
			if s.ID != "" && name != s.ID && slices.Contains(head.Names, s.ID) {
				continue
			}
			values := map[string]bool{}
			for _, row := range head.Sample {
				values[strings.TrimSuffix(strings.TrimSpace(row[k]), ".0")] = true
			}
			if len(values) == len(head.Sample) || name == s.ID {
				for value := range values {
					known[value] = true
				}
			}
		}
		return table.Chosen{}, errSeen
	}, nil)
	if !errors.Is(err, errSeen) || len(known) == 0 {
		return nil
	}
	return func(value string) bool { return known[strings.TrimSuffix(value, ".0")] }
}
