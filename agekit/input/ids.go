package input

import (
	"errors"
	"fmt"
	"hash/maphash"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/message"
)

// idTable numbers ids in the order in which they come: the number of an id is that of its node. It is a
// hash table with open addressing, and takes a third of the memory of a map of strings: the ids lie end
// to end in Cells, and a slot of the table has 4 bytes.
type idTable struct {
	numbered    int     // if not 0, the ids are the numbers below this one, and there is no table
	table.Cells         // the ids, by their numbers
	slots       []int32 // the number of an id plus 1; 0 in an empty slot. Their count is a power of 2
	seed        maphash.Seed
	most        int64 // how many bytes the table may take; 0 for any number
}

// newIDTable returns a table without ids.
func newIDTable() *idTable {
	const slots = 1 << 10 // which double when half are taken
	return &idTable{slots: make([]int32, slots), seed: maphash.MakeSeed()}
}

// numberedIDs returns the ids 0 to n−1, to which none can be added.
func numberedIDs(n int) *idTable { return &idTable{numbered: n} }

// newIDs returns a table of ids, in the order given. An id that is there twice is an error.
func newIDs(names []string) (*idTable, error) {
	t := newIDTable()
	for i, name := range names {
		if first, twice := t.find(name); twice {
			return nil, fmt.Errorf("id %s is that of nodes %d and %d: want a different one for each", message.Quote(name), first, i)
		}
		if _, err := t.add(name); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// len returns how many ids there are.
func (t *idTable) len() int { return t.numbered + len(t.Ends) }

// id returns the id of a node.
func (t *idTable) id(node int) string {
	if t.numbered > 0 {
		return strconv.Itoa(node)
	}
	return t.At(node)
}

// all returns the ids in order. They share one copy of the text.
func (t *idTable) all() iter.Seq[string] {
	text := string(t.Text)
	return func(yield func(string) bool) {
		for node := range t.numbered {
			if !yield(t.id(node)) {
				return
			}
		}
		from := 0
		for _, end := range t.Ends {
			if !yield(text[from:end]) {
				return
			}
			from = end
		}
	}
}

// names returns the ids in order.
func (t *idTable) names() []string {
	return slices.AppendSeq(make([]string, 0, t.len()), t.all())
}

// find returns the node with an id, and whether there is one.
func (t *idTable) find(id string) (node int, ok bool) {
	if t.numbered > 0 {
		const longest = 10 // digits of a number of 32 bits
		if !table.IsDigits(id) || len(id) > longest || len(id) > 1 && id[0] == '0' {
			return 0, false
		}
		node, _ = strconv.Atoi(id)
		return node, node < t.numbered
	}
	nodePlus1 := t.slots[t.findSlot(id)]
	return int(nodePlus1) - 1, nodePlus1 > 0
}

// add returns the node with an id. If no node has the id, add makes a new node with it. It returns an error
// if no node can be new, because the ids are the numbers of the nodes (t.numbered), or if the table would
// have too many nodes or take more than t.most bytes.
func (t *idTable) add(id string) (int, error) {
	if t.numbered > 0 {
		node, ok := t.find(id)
		if !ok {
			return 0, fmt.Errorf("node %s, want 0 to %d: nodes are numbered from 0, one for each row of features", message.Quote(id), t.numbered-1)
		}
		return node, nil
	}
	slot := t.findSlot(id)
	if nodePlus1 := t.slots[slot]; nodePlus1 > 0 {
		return int(nodePlus1 - 1), nil
	}
	node := t.len()
	if node == math.MaxInt32 {
		return 0, fmt.Errorf("more than %d nodes", math.MaxInt32)
	}
	if t.most > 0 && t.bytes() > t.most {
		return 0, message.Errorf("the ids of %d nodes take %s: want more memory, or nodes that are numbered from 0, with %s", node, humanize.Bytes(uint64(t.bytes())), sourceFeatures)
	}
	t.Cells.Add(id)
	t.slots[slot] = int32(node + 1)
	if 2*len(t.Ends) > len(t.slots) { // more than half of the slots are taken
		t.slots = make([]int32, 2*len(t.slots))
		for node := range t.Ends {
			t.slots[t.findSlot(t.At(node))] = int32(node + 1)
		}
	}
	return node, nil
}

// addEnds returns the nodes at the ends of an edge, and adds those that are new. It sets e.source and
// e.target if the edge has numbers in their place that are not those of nodes.
func (t *idTable) addEnds(e *edge) (u, v int, err error) {
	if e.numbered && max(e.u, e.v) < t.numbered {
		return e.u, e.v, nil
	}
	if e.numbered {
		e.source, e.target = strconv.Itoa(e.u), strconv.Itoa(e.v)
	}
	if u, err = t.add(e.source); err == nil {
		v, err = t.add(e.target)
	}
	return u, v, err
}

// bytes returns how many bytes the table takes after its slices grow once more, by a quarter as append does.
func (t *idTable) bytes() int64 {
	return int64(5*len(t.Text)/4) + 8*int64(5*len(t.Ends)/4) + 4*int64(len(t.slots))
}

// findSlot returns the index of the slot of an id, or of the empty slot where it belongs.
func (t *idTable) findSlot(id string) int {
	mask := len(t.slots) - 1
	for k := int(maphash.String(t.seed, id)) & mask; ; k = (k + 1) & mask {
		if nodePlus1 := t.slots[k]; nodePlus1 == 0 || t.At(int(nodePlus1-1)) == id {
			return k
		}
	}
}

// idsOf returns the ids in a column of a table, one for each row ([table.Column.Key]). An id that is
// missing or there twice is an error.
func idsOf(t *table.Table, column int) (*idTable, error) {
	list := newIDTable()
	for row := range t.Rows {
		id, ok := t.Columns[column].Key(row)
		cell := t.Columns[column].Cell(row)
		switch {
		case !ok && cell != "":
			return nil, t.Errorf(row, "column %s: the id is %s, which says that it is missing: want one for each node", t.Label(column), message.Quote(cell))
		case !ok:
			return nil, t.Errorf(row, "column %s: the id is missing: want one for each node", t.Label(column))
		}
		if first, twice := list.find(id); twice && rounded.MatchString(cell) {
			return nil, t.Errorf(row, "column %s: %s is also that of row %d: %w", t.Label(column), message.Quote(cell), first+1, errRounded)
		} else if twice {
			return nil, t.Errorf(row, "column %s: id %s is also that of row %d: want a different one for each node", t.Label(column), message.Quote(id), first+1)
		}
		if _, err := list.add(id); err != nil {
			return nil, t.Errorf(row, "%w", err)
		}
	}
	return list, nil
}

// findIDs returns the index of the column of t with the ids: the only column that has a different value
// in each row and contains the ends of all edges. If no column contains all ends, it is the one that
// contains most; the ids that it lacks are an error when the edges are made. Two columns with all ends,
// and no column with any, are errors here.
func findIDs(t *table.Table, edges *edgeTable) (int, error) {
	var complete []int     // the columns that contain all ends
	nearest, most := 0, -1 // the column that contains most ends, and how many
	hint, mostFits := "", 0
	var repeated error // of the column that contains most ends, or would, but has some id twice or none in a row
	mostRepeated := 0
	var isRounded error // of a column whose ids a spreadsheet has rounded
	for k := range t.Columns {
		ids, err := idsOf(t, k)
		if err != nil { // some id is missing, or there twice
			if errors.Is(err, errRounded) {
				isRounded = err
			}
			if contained := edges.countIn(valuesOf(t, k)); contained > mostRepeated {
				mostRepeated, repeated = contained, err
			}
			continue
		}
		contained := edges.countIn(ids)
		if contained == edges.ids.len() {
			complete = append(complete, k)
		}
		if contained > most {
			nearest, most = k, contained
		}
	}
	switch {
	case len(complete) == 1:
		return complete[0], nil
	case len(complete) > 1:
		return 0, message.Errorf("%s: columns %s and %s could both be the ids in %s: want %s with one of them", t.Path, t.Label(complete[0]), t.Label(complete[1]), edges.path, sourceID)
	case 2*mostRepeated > edges.ids.len() && mostRepeated > most:
		return 0, fmt.Errorf("the ids in %s are in a column of the nodes, but: %w", edges.path, repeated)
	case most <= 0 && isRounded != nil:
		return 0, isRounded
	case most <= 0:
		for k := range t.Columns {
			if text, fits := fitting(edges.ids.names(), valuesOf(t, k)); fits > mostFits {
				hint, mostFits = fmt.Sprintf("; of column %s, %s", t.Label(k), text), fits
			}
		}
		return 0, message.Errorf("%s: no column has a different value in each row and contains the ids in %s, such as %s: want %s with one of %s%s", t.Path, edges.path, edges.ids.first(), sourceID, message.Shorten(t.Names()), hint)
	}
	return nearest, nil
}

// countIn returns how many of the ids of the ends are among others.
func (t *edgeTable) countIn(ids *idTable) (count int) {
	for id := range t.ids.all() {
		if _, ok := ids.find(id); ok {
			count++
		}
	}
	return count
}

// valuesOf returns the different values in a column of a table, as ids.
func valuesOf(t *table.Table, column int) *idTable {
	list := newIDTable()
	for row := range t.Rows {
		if id, ok := t.Columns[column].Key(row); ok {
			if _, err := list.add(id); err != nil {
				return list // as many as there may be
			}
		}
	}
	return list
}

// first returns the first three ids for messages.
func (t *idTable) first() string {
	const most = 3
	var shown []string
	for node := range min(most, t.len()) {
		shown = append(shown, message.Quote(t.id(node)))
	}
	return strings.Join(shown, ", ")
}
