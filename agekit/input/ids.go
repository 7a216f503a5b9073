package input

import (
	"fmt"

	"github.com/agekit/age/internal/limit"
	"github.com/agekit/age/internal/option"
)

// nodeIDs are the ids of the nodes 0 to n−1.
type nodeIDs struct {
	names []string
	index map[string]int32
}

// newIDs returns the ids with the given names. One that is there twice is an error.
func newIDs(names []string) (*nodeIDs, error) {
	list := &nodeIDs{names: names, index: make(map[string]int32, len(names))}
	for i, name := range names {
		if first, twice := list.index[name]; twice {
			return nil, fmt.Errorf("id %s is that of nodes %d and %d: want a different one for each", limit.Quote(name), first, i)
		}
		list.index[name] = int32(i)
	}
	return list, nil
}

// add adds a node with an id that no other has.
func (list *nodeIDs) add(id string) int32 {
	node := int32(len(list.names))
	list.index[id], list.names = node, append(list.names, id)
	return node
}

// ids returns the ids in the column at an index, one for each row. A missing id is an
// error, and so is one that is there twice.
func (t *Table) ids(column int) (*nodeIDs, error) {
	list := &nodeIDs{names: make([]string, 0, t.Rows), index: make(map[string]int32, t.Rows)}
	for row := range t.Rows {
		id, ok := t.Columns[column].ID(row)
		if !ok {
			return nil, t.errorf(row, "column %s: the id is missing: want one for each node", t.label(column))
		}
		if first, twice := list.index[id]; twice {
			return nil, t.errorf(row, "column %s: id %s is also that of row %d: want a different one for each node", t.label(column), limit.Quote(id), first+1)
		}
		list.add(id)
	}
	return list, nil
}

// findIDs returns the index of the column of ids: the only one that has a different value
// in each row and contains the ends of all edges, the columns source and target.
func (t *Table) findIDs(edges *Table, source, target int) (int, error) {
	ends := edges.ends(source, target)
	var found []int
	nearest, most := 0, -1 // the column that contains most ends
	for k := range t.Columns {
		c := &t.Columns[k]
		if c.missing() > 0 {
			continue
		}
		contained, seen := 0, make(map[string]bool, t.Rows)
		for row := 0; row < t.Rows && len(seen) == row; row++ {
			id, _ := c.ID(row)
			if seen[id] = true; ends[id] {
				contained++
			}
		}
		if len(seen) < t.Rows {
			continue
		}
		if contained == len(ends) {
			found = append(found, k)
		}
		if contained > most {
			nearest, most = k, contained
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return 0, option.Errorf("%s: columns %s and %s could both be the ids in %s: want %s with one of them", t.Path, t.label(found[0]), t.label(found[1]), edges.Path, sourceID)
	case most <= 0:
		return 0, option.Errorf("%s: no column has a different value in each row and contains the ids in %s: want %s with one of %s", t.Path, edges.Path, sourceID, limit.Shorten(t.names()))
	}
	return nearest, nil // whose missing ids the reading of the edges names
}

// ends returns the distinct ids in columns.
func (t *Table) ends(columns ...int) map[string]bool {
	ids := map[string]bool{}
	for _, k := range columns {
		c := &t.Columns[k]
		c.texts(c.ID, func(id string) { ids[id] = true })
	}
	return ids
}
