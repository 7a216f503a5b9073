package input

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/message"
)

// edge is a row of a table of edges.
type edge struct {
	source, target string  // the ids of the ends
	weight         float64 // 1 without weights
	weighted       bool    // the same for all rows

	numbered bool // u and v, not source and target, are the ends
	u, v     int
}

// EdgeColumns says which columns of a table of edges hold what. A column is given by its name, or by
// its number from 1.
type EdgeColumns struct {
	// Source and Target are the ends. Default: those that [table.FindPair] finds.
	Source, Target string
	// Weight is a positive number. Default: the column named weight, w, value or
	// count, or the third one if there are three and it has numbers without a name.
	Weight string
}

// names returns the three names, "" for a column that is not given.
func (c EdgeColumns) names() []string { return []string{c.Source, c.Target, c.Weight} }

// edgeInfo says what a table of edges is like, and how its fields are read.
type edgeInfo struct {
	source, target, weight int // the indices of the columns; weight is −1 if there are no weights
	// positive are the labels of the other columns that have nothing but positive numbers in the first
	// rows, and so may be the weights. It is empty if there are weights.
	positive []string
	directed bool      // the edges have a direction, as a graph file says
	labels   []string  // of all columns, for messages
	headless bool      // no header was found
	unlike   bool      // the names of the ends say that they are nodes of different kinds
	endNames [2]string // the names of the source and the target, or the columns' numbers

	isText   bool           // the file is text, in which words such as NA say that a value is missing
	notation table.Notation // how the weights are written
	example  string         // a weight that shows the notation; "" if none does
	// points says, of the source and the target, that all ids of a text are integers with .0, as pandas writes
	// integers in a column with gaps. The ids are taken without .0, as by [table.Column.Key].
	points  [2]bool
	changes table.Cleaner // counts what was changed in the ids
	table.Remarks
}

// findEdges finds the columns of the ends and the weights in a table of edges, of which head is known.
// The columns that c names are taken, and the others are found by [table.FindPair]. Path is the file,
// for errors.
func findEdges(path string, head table.Head, c EdgeColumns) (*edgeInfo, error) {
	names, sample := head.Names, head.Sample
	t := &table.Table{Path: path, Columns: make([]table.Column, len(names))} // to find columns by their names
	var labels []string
	for k, name := range names {
		t.Columns[k].Name = name
		labels = append(labels, t.Label(k))
	}
	if len(names) < 2 {
		return nil, fmt.Errorf("%s: %d columns: want two, the ends of each edge, and perhaps one more, its weight", path, len(names))
	}
	pair := table.FindPair(names, sample, c.Source != "" || c.Target != "")
	e := &edgeInfo{source: pair.Source, target: pair.Target, weight: pair.Weight, unlike: pair.Unlike, labels: labels, isText: head.Text}
	if pair.Numbering >= 0 {
		m := message.Sprintf("column %s numbers the rows: columns %s and %s are taken for the ends of the edges", labels[pair.Numbering], labels[e.source], labels[e.target])
		e.Warnings = append(e.Warnings, m.Advise("%s names another", edgeSource, "").Advise("%s the other end", edgeTarget, ""))
	}
	for _, choice := range []struct {
		name   string
		column *int
	}{{c.Source, &e.source}, {c.Target, &e.target}, {c.Weight, &e.weight}} {
		if choice.name == "" {
			continue
		}
		var err error
		if *choice.column, err = t.Find(choice.name); err != nil {
			return nil, err
		}
	}
	if e.source == e.target || e.weight == e.source || e.weight == e.target {
		return nil, fmt.Errorf("%s: source, target and weight are columns %s, %s and %s: want different ones", path, labels[e.source], labels[e.target], labels[max(e.weight, 0)])
	}
	for k, column := range [2]int{e.source, e.target} {
		e.endNames[k] = cmp.Or(names[column], strconv.Itoa(column+1))
	}
	isPositive := func(field string) bool { v, ok := table.Notation(0).Number(field); return ok && v > 0 }
	for k := range names {
		isOther := k != pair.Numbering && k != e.source && k != e.target
		if e.weight < 0 && isOther && table.All(sample, k, isPositive) {
			e.positive = append(e.positive, labels[k])
		}
	}
	for k, column := range [2]int{e.source, e.target} {
		e.points[k] = e.isText && table.All(sample, column, table.IsInteger)
	}
	if e.weight < 0 {
		return e, nil
	}
	if head.Numbers != nil && !head.Numbers[e.weight] {
		return nil, badWeight("%s: column %s has words: want positive numbers", path, labels[e.weight])
	}
	var weights []string
	for _, row := range sample {
		weights = append(weights, strings.TrimSpace(row[e.weight]))
	}
	e.notation = table.NotationOf(weights)
	if k := slices.IndexFunc(weights, table.HasMark); k >= 0 {
		e.example = weights[k]
	}
	return e, nil
}

// scanFile calls do with each edge of the table in a file, and returns what the table is like. List
// says that the table may be a plain list ([Source].Edges). Do gets the same edge each time, with other
// contents.
func (c EdgeColumns) scanFile(ctx context.Context, path string, list bool, o table.Options, do func(*edge) error) (info *edgeInfo, err error) {
	info, err = c.scan(path, list, func(choose table.Choose, do func(*table.Row) error) (*table.Table, error) {
		return table.Scan(ctx, path, o, choose, do)
	}, do)
	if errors.Is(err, table.ErrNoLines) {
		err = fmt.Errorf("%s: %w", path, errNoEdges)
	}
	return info, err
}

// scan is scanFile for a table from anywhere: rows calls what it is given with what is known of the
// table and then with each row, as [table.Scan] does. Path is for errors.
func (c EdgeColumns) scan(path string, list bool, rows func(table.Choose, func(*table.Row) error) (*table.Table, error), do func(*edge) error) (info *edgeInfo, err error) {
	e := edge{weight: 1}
	t, err := rows(func(head table.Head) (table.Chosen, error) {
		if info, err = findEdges(path, head, c); err != nil {
			return table.Chosen{}, err
		}
		// A list without names has two columns, or three if the last one is the weight.
		columns := len(head.Names)
		if list && !head.Header && columns > 2 && (columns > 3 || info.weight < 0) {
			return table.Chosen{}, fmt.Errorf("%s: %d columns without names: want two, the ends of each edge, and perhaps one more of numbers, its weight", path, columns)
		}
		e.weighted = info.weight >= 0
		chosen := table.Chosen{Words: []int{info.source, info.target}, Number: noColumn, Pairs: list && !e.weighted}
		switch {
		case e.weighted && head.Numbers != nil:
			chosen.Number = info.weight
		case e.weighted:
			chosen.Words = append(chosen.Words, info.weight)
		}
		return chosen, nil
	}, func(row *table.Row) error {
		if err := info.read(row, &e); err != nil {
			return err
		}
		return do(&e)
	})
	if err != nil {
		return nil, err
	}
	info.headless, info.Notes = t.Headless, t.Notes
	info.Warnings = slices.Concat(info.Warnings, t.Warnings, info.changes.Warnings())
	if !info.isText { // whose numbers are written in one way only
		return info, nil
	}
	const decimalComma = table.Notation(1)
	if info.notation == decimalComma && t.Separator == ';' { // as usual in such files
		info.Note("%s", table.DecimalComma(info.labels[info.weight]))
	} else if info.notation != 0 {
		info.Warn("column %s: weights are read with %q before decimals, as in %s", info.labels[info.weight], info.notation.Decimal(), message.Quote(info.example))
	}
	return info, nil
}

// read sets e to the edge in a row, whose words are the source, the target and perhaps the weight, and
// checks the fields.
func (r *edgeInfo) read(row *table.Row, e *edge) (err error) {
	if e.numbered = row.Pair; e.numbered {
		e.u, e.v = row.Source, row.Target
		return nil
	}
	if e.source, err = r.id(row.Words[0], r.source, r.points[0]); err != nil {
		return err
	}
	if e.target, err = r.id(row.Words[1], r.target, r.points[1]); err != nil || !e.weighted {
		return err
	}
	label := r.labels[r.weight]
	if e.weight = row.Number; len(row.Words) > 2 {
		e.weight = math.NaN()
		if text := strings.TrimSpace(row.Words[2]); !table.IsMissing(text) {
			var ok bool
			if e.weight, ok = r.notation.Number(text); !ok {
				return badWeight("weight %s in column %s: want positive numbers", message.Quote(text), label)
			}
		}
	}
	if !(float32(e.weight) > 0) || e.weight > math.MaxFloat32 { // as a float32; also if it is NaN
		return fmt.Errorf("weight %v in column %s: want a positive finite number", e.weight, label)
	}
	return nil
}

// id returns the id in a field of a column: trimmed, cleaned, and without .0 if points says so
// ([edgeInfo].points). A missing id is an error.
func (r *edgeInfo) id(text string, column int, points bool) (string, error) {
	if !points && table.IsDigits(text) { // as most ids: nothing to clean
		return text, nil
	}
	text = r.changes.Clean(strings.TrimSpace(text))
	switch {
	case text == "":
		return "", fmt.Errorf("column %s is empty: want the id of a node", r.labels[column])
	case r.isText && table.IsMissing(text):
		return "", fmt.Errorf("column %s is %s, which says that it is missing: want the id of a node", r.labels[column], message.Quote(text))
	case !utf8.ValidString(text):
		return "", fmt.Errorf("column %d: %s: want UTF-8", column+1, message.Quote(text))
	case !points:
		return text, nil
	case !table.IsInteger(text):
		return "", fmt.Errorf("column %d: id %s: want all ids of the column with .0, or none", column+1, message.Quote(text))
	}
	return strings.TrimSuffix(text, ".0"), nil
}
