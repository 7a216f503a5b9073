package input

import (
	"slices"

	"github.com/agekit/age/agekit/recipe"
	"github.com/agekit/age/agekit/table"
)

// splitLists splits the columns of a table of nodes that have lists of numbers, such as embeddings
// ([table.Table.Spread]), and returns the new index of a column. That column and the columns that the
// source or a recipe, nil for none, takes as a whole stay whole: ids may be tuples such as (0, 1).
func (s Source) splitLists(nodes *table.Table, column int, learned *recipe.Recipe) (int, error) {
	whole := slices.Concat([]string{s.ID, s.Label}, s.Columns.Text, s.Columns.Category, s.Columns.Drop)
	if learned != nil {
		for _, c := range learned.Columns {
			whole = append(whole, c.Name)
		}
	}
	places, err := nodes.Spread(func(k int) bool {
		isWhole := func(name string) bool {
			if name == "" {
				return false
			}
			place, err := nodes.Find(name)
			return err == nil && place == k
		}
		return k == column || slices.ContainsFunc(whole, isWhole)
	})
	if err != nil || column == noColumn {
		return column, err
	}
	return places[column], nil
}
