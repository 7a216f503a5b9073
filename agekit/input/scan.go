package input

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agekit/age/internal/files"
	"github.com/agekit/age/internal/option"
)

// Edge is a row of a table of edges, as [Format].Scan reads it.
type Edge struct {
	Source, Target string  // the ids of the ends
	Weight         float64 // 1 without weights
	Weighted       bool    // the same for all rows

	text     string // of the weight, if it is to be read
	numbered bool   // u and v, not Source and Target, are the ends
	u, v     int
}

// FindEdges returns the indices of the columns of the ends and of the weights, −1 without
// weights, in a table with named columns, of which sample has the first rows.
type FindEdges func(names []string, sample [][]string) (source, target, weight int, err error)

// EdgeColumns name the columns of a table of edges, as a name, or a number from 1, takes them.
type EdgeColumns struct {
	// Source and Target are the ends. Default: the columns with one of the names
	// in [sourceNames] and [targetNames], or else the first two that do not number the rows.
	Source, Target string
	// Weight is a positive number. Default: the column named weight, w, value or
	// count, or the third one if there are three and it has numbers without a name.
	Weight string
}

// names returns those that are given.
func (c EdgeColumns) names() []string { return []string{c.Source, c.Target, c.Weight} }

// edgeInfo says what a table of edges is like, and how its fields are read.
type edgeInfo struct {
	source, target, weight int // the indices of the columns; weight is −1 if there are no weights
	// positive are the labels of other columns whose first rows have positive numbers alone, if
	// there are no weights.
	positive []string
	directed bool // the edges have a direction
	labels   []string
	headless bool      // no header was found
	unlike   bool      // the names of the ends say that they are nodes of different kinds
	endNames [2]string // of the columns of the ends, or their numbers

	isText   bool     // words such as NA say that a value is missing
	notation Notation // of the weights
	example  string   // of one that shows it
	// points says of the source and the target that all ids of a text are integers with .0, as
	// pandas writes those of a column with gaps: they lose it, as in [Table.ids].
	points  [2]bool
	changes Cleaner
	Remarks
}

// findEdges finds the columns of the ends and the weights of edges in a table, of which sample
// has the first rows. An unnamed third column has the weights if it has a number. A column
// that numbers the rows is no end unless it is named as one.
func findEdges(path string, names []string, c EdgeColumns, isText bool, sample [][]string) (*edgeInfo, error) {
	t := &Table{Path: path, Columns: make([]Column, len(names))}
	var labels []string
	for k, name := range names {
		t.Columns[k].Name = name
		labels = append(labels, t.Label(k))
	}
	if len(names) < 2 {
		return nil, fmt.Errorf("%s: %d columns: want two, the ends of each edge, and perhaps one more, its weight", path, len(names))
	}
	named := func(known []string) int {
		return slices.IndexFunc(names, func(name string) bool { return slices.Contains(known, plainName(name)) })
	}
	e := &edgeInfo{source: named(sourceNames), target: named(targetNames), weight: named(weightNames), labels: labels, isText: isText}
	if e.weight < 0 && len(names) == 3 && names[2] == "" && slices.ContainsFunc(sample, func(row []string) bool { return isNumber(row[2]) }) {
		e.weight = 2
	}
	numbering := -1
	if e.source < 0 || e.target < 0 {
		e.source, e.target = 0, 1
		k := 2
		if k == e.weight {
			k++
		}
		if k < len(names) && c.Source == "" && c.Target == "" && countsRows(names, sample) {
			numbering, e.source, e.target = 0, 1, k
			m := option.Sprintf("column %s numbers the rows: columns %s and %s are taken for the ends of the edges", labels[0], labels[1], labels[k])
			e.Warnings = append(e.Warnings, m.Advise("%s names another", edgeSource, "").Advise("%s the other end", edgeTarget, ""))
		}
		e.unlike = kindOfEnd(names[e.source]) != kindOfEnd(names[e.target])
	}
	for _, choice := range []struct {
		name string
		to   *int
	}{{c.Source, &e.source}, {c.Target, &e.target}, {c.Weight, &e.weight}} {
		if choice.name == "" {
			continue
		}
		var err error
		if *choice.to, err = t.Find(choice.name); err != nil {
			return nil, err
		}
	}
	if e.source == e.target || e.weight == e.source || e.weight == e.target {
		return nil, fmt.Errorf("%s: source, target and weight are columns %s, %s and %s: want different ones", path, labels[e.source], labels[e.target], labels[max(e.weight, 0)])
	}
	for k, column := range [2]int{e.source, e.target} {
		e.endNames[k] = cmp.Or(names[column], strconv.Itoa(column+1))
	}
	isPositive := func(field string) bool { v, ok := Notation(0).Number(field); return ok && v > 0 }
	for k := range names {
		if e.weight < 0 && k != numbering && k != e.source && k != e.target && all(sample, k, isPositive) {
			e.positive = append(e.positive, labels[k])
		}
	}
	e.points = [2]bool{isText && all(sample, e.source, isInteger), isText && all(sample, e.target, isInteger)}
	var n numerals
	for _, row := range sample {
		if e.weight < 0 {
			break
		}
		field := strings.TrimSpace(row[e.weight])
		n.add(field)
		if e.example == "" && hasMark(field) {
			e.example = field
		}
	}
	e.notation = n.best()
	return e, nil
}

// scanner is [Format].Scan of a file.
type scanner = func(find FindEdges, do func(*Edge) error) (*Table, error)

// scanFile reads the table of edges in a file.
func (c EdgeColumns) scanFile(ctx context.Context, path string, o TableOptions, do func(*Edge) error) (info *edgeInfo, err error) {
	err = open(ctx, path, "table", func(f Format) bool { return f.Scan != nil }, func(format Format, f *os.File) (err error) {
		info, err = c.scan(path, format.text, func(find FindEdges, do func(*Edge) error) (*Table, error) {
			return format.Scan(ctx, f, o, find, do)
		}, do)
		return err
	})
	return info, err
}

// scan reads a table of edges row by row. A text has words such as NA for missing values.
func (c EdgeColumns) scan(path string, isText bool, scan scanner, do func(*Edge) error) (info *edgeInfo, err error) {
	t, err := scan(func(names []string, sample [][]string) (source, target, weight int, err error) {
		if info, err = findEdges(path, names, c, isText, sample); err != nil {
			return 0, 0, 0, err
		}
		return info.source, info.target, info.weight, nil
	}, func(e *Edge) error {
		if err := info.read(e); err != nil {
			return err
		}
		return do(e)
	})
	if err != nil {
		return nil, err
	}
	info.headless, info.directed, info.Notes = t.Headless, t.Directed, t.Notes
	info.Warnings = slices.Concat(info.Warnings, t.Warnings, info.changes.Warnings())
	if !isText { // who read its numbers has said how
		return info, nil
	}
	if info.notation == 1 && t.Separator == ';' {
		info.Note("%s", decimalComma(info.labels[info.weight]))
	} else if mark := marks[info.notation]; info.notation != 0 {
		info.Warn("column %s: weights are read with %q before decimals, as in %s", info.labels[info.weight], mark.decimal, files.Quote(info.example))
	}
	return info, nil
}

// scan reads the edges in a table that was read.
func (t *Table) scan(find FindEdges, do func(*Edge) error) (*Table, error) {
	var names []string
	for _, column := range t.Columns {
		names = append(names, column.Name)
	}
	sample := make([][]string, min(t.Rows, sniffedRows))
	for row := range sample {
		for k := range t.Columns {
			sample[row] = append(sample[row], t.Columns[k].Cell(row))
		}
	}
	source, target, weight, err := find(names, sample)
	if err != nil {
		return nil, err
	}
	e := Edge{Weight: 1, Weighted: weight >= 0}
	for row := range t.Rows {
		e.Source, e.Target = t.Columns[source].Cell(row), t.Columns[target].Cell(row)
		if e.Weighted {
			e.Weight, e.text = math.NaN(), t.Columns[weight].Cell(row)
		}
		if err := do(&e); err != nil {
			return nil, t.Errorf(row, "%w", err)
		}
	}
	return t, nil
}

// read reads the fields of an edge, and checks them.
func (r *edgeInfo) read(e *Edge) (err error) {
	if e.numbered {
		return nil
	}
	if e.Source, err = r.id(e.Source, r.source, r.points[0]); err != nil {
		return err
	}
	if e.Target, err = r.id(e.Target, r.target, r.points[1]); err != nil || !e.Weighted {
		return err
	}
	label := r.labels[r.weight]
	if text := strings.TrimSpace(e.text); !isMissing(text) {
		var ok bool
		if e.Weight, ok = r.notation.Number(text); !ok {
			return BadWeight("weight %s in column %s: want positive numbers", files.Quote(text), label)
		}
	}
	if !(float32(e.Weight) > 0) || e.Weight > math.MaxFloat32 {
		return fmt.Errorf("weight %v in column %s: want a positive finite number", e.Weight, label)
	}
	return nil
}

func (r *edgeInfo) id(text string, column int, points bool) (string, error) {
	if !points && isDigits(text) {
		return text, nil
	}
	text = r.changes.Clean(strings.TrimSpace(text))
	switch {
	case text == "":
		return "", fmt.Errorf("column %s is empty: want the id of a node", r.labels[column])
	case r.isText && isMissing(text):
		return "", fmt.Errorf("column %s is %s, which says that it is missing: want the id of a node", r.labels[column], files.Quote(text))
	case !utf8.ValidString(text):
		return "", fmt.Errorf("column %d: %s: want UTF-8", column+1, files.Quote(text))
	case !points:
		return text, nil
	case !isInteger(text):
		return "", fmt.Errorf("column %d: id %s: want all ids of the column with .0, or none", column+1, files.Quote(text))
	}
	return strings.TrimSuffix(text, ".0"), nil
}
