package input

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agekit/age/internal/limit"
	"github.com/agekit/age/internal/option"
)

// Edge is a row of a table of edges, as [Format].Scan reads it.
type Edge struct {
	Source, Target string  // the ids of the ends
	Weight         float64 // 1 without weights
	Weighted       bool    // the same for all rows
}

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

// EdgeInfo says what a table of edges is like.
type EdgeInfo struct {
	// Source, Target and Weight are the indices of the columns; Weight is −1 if there are no
	// weights.
	Source, Target, Weight int
	// Positive are the labels of other columns whose first rows have positive numbers alone, if
	// there are no weights.
	Positive []string
	Directed bool // the edges have a direction
	Said

	labels   []string
	headless bool // no header was found
	unlike   bool // the names of the ends say that they are nodes of different kinds
}

// Label names a column in messages: by its name, or its number from 1.
func (e *EdgeInfo) Label(column int) string { return e.labels[column] }

// NoID returns the error about a missing id in a column.
func (e *EdgeInfo) NoID(column int) error {
	return fmt.Errorf("column %s is empty: want the id of a node", e.Label(column))
}

// CheckWeight returns an error for a weight that is not positive and finite.
func (e *EdgeInfo) CheckWeight(w float64) error {
	if !(float32(w) > 0) || w > math.MaxFloat32 {
		return fmt.Errorf("weight %v in column %s: want a positive finite number", w, e.Label(e.Weight))
	}
	return nil
}

// FindEdges finds the columns of the ends and the weights of edges in a table, of which sample
// has rows, at least the first. An unnamed third column has the weights if it has a
// number. A column that numbers the rows is no end unless it is named as one.
func FindEdges(path string, names []string, c EdgeColumns, sample [][]string) (*EdgeInfo, error) {
	t := &Table{Path: path, Columns: make([]Column, len(names))}
	var labels []string
	for k, name := range names {
		t.Columns[k].Name = name
		labels = append(labels, t.label(k))
	}
	if len(names) < 2 {
		return nil, fmt.Errorf("%s: %d columns: want two, the ends of each edge, and perhaps one more, its weight", path, len(names))
	}
	named := func(known []string) int {
		return slices.IndexFunc(names, func(name string) bool { return slices.Contains(known, plainName(name)) })
	}
	e := &EdgeInfo{Source: named(sourceNames), Target: named(targetNames), Weight: named(weightNames), labels: labels}
	if e.Weight < 0 && len(names) == 3 && names[2] == "" && slices.ContainsFunc(sample, func(row []string) bool { return isNumber(row[2]) }) {
		e.Weight = 2
	}
	if e.Source < 0 || e.Target < 0 {
		e.Source, e.Target = 0, 1
		k := 2
		if k == e.Weight {
			k++
		}
		if k < len(names) && c.Source == "" && c.Target == "" && countsRows(names, sample) {
			e.Source, e.Target = 1, k
			m := option.Sprintf("column %s numbers the rows: columns %s and %s are taken for the ends of the edges", e.Label(0), e.Label(1), e.Label(k))
			e.Warnings = append(e.Warnings, m.Advise("%s names another", edgeSource, "").Advise("%s the other end", edgeTarget, ""))
		}
		e.unlike = kindOfEnd(names[e.Source]) != kindOfEnd(names[e.Target])
	}
	for _, choice := range []struct {
		name string
		to   *int
	}{{c.Source, &e.Source}, {c.Target, &e.Target}, {c.Weight, &e.Weight}} {
		if choice.name == "" {
			continue
		}
		var err error
		if *choice.to, err = t.Find(choice.name); err != nil {
			return nil, err
		}
	}
	if e.Source == e.Target || e.Weight == e.Source || e.Weight == e.Target {
		return nil, fmt.Errorf("%s: source, target and weight are columns %s, %s and %s: want different ones", path, e.Label(e.Source), e.Label(e.Target), e.Label(max(e.Weight, 0)))
	}
	isPositive := func(field string) bool { v, ok := notation(0).number(field); return ok && v > 0 }
	for k := range names {
		if e.Weight < 0 && k != e.Source && k != e.Target && all(sample, k, isPositive) {
			e.Positive = append(e.Positive, e.Label(k))
		}
	}
	return e, nil
}

// all reports whether there are rows, and the fields of a column are all of a kind.
func all(rows [][]string, column int, is func(field string) bool) bool {
	return len(rows) > 0 && !slices.ContainsFunc(rows, func(row []string) bool { return !is(strings.TrimSpace(row[column])) })
}

// countsRows reports whether the first column of a table numbers its rows: by its name, or
// because it counts up, as in 1, 2, 3 or t1, t2, t3, and none of its values is in another
// column.
func countsRows(names []string, sample [][]string) bool {
	if slices.ContainsFunc(names, func(name string) bool { return name != "" }) && numbersRows(names[0]) {
		return true
	}
	numbers := map[string]bool{}
	for i, row := range sample {
		numbers[row[0]] = true
		word := strings.TrimRight(row[0], "0123456789")
		number, err := strconv.Atoi(row[0][len(word):])
		if err != nil || i+1 < len(sample) && sample[i+1][0] != word+strconv.Itoa(number+1) {
			return false
		}
	}
	const enough = 3
	return len(sample) >= enough && !slices.ContainsFunc(sample, func(row []string) bool {
		return slices.ContainsFunc(row[1:], func(field string) bool { return numbers[field] })
	})
}

// kindOfEnd returns the name of a column of ends without what tells the two ends of an edge
// between nodes of one kind apart, as in person_a and person_b.
func kindOfEnd(name string) string {
	name = strings.ToLower(name)
	if stem := strings.TrimRight(name, "0123456789"); stem != name {
		return strings.TrimRight(stem, "_- .")
	}
	if k := strings.LastIndexAny(name, "_- ."); k > 0 && len(name)-k == 2 {
		return name[:k]
	}
	return name
}

// scanSeparated reads a table of edges row by row. Its ids are those of [readSeparated].
func scanSeparated(ctx context.Context, f *os.File, o TableOptions, columns EdgeColumns, do func(*Edge) error) (*EdgeInfo, error) {
	r, err := newCSVReader(f, o)
	if err != nil {
		return nil, err
	}
	style := r.style
	info, err := FindEdges(f.Name(), style.names, columns, style.sample)
	if err != nil {
		return nil, err
	}
	if columns := len(style.names); o.list && !style.header && columns > 2 && (columns > 3 || info.Weight < 0) {
		return nil, fmt.Errorf("%s: %d columns without names: want two, the ends of each edge, and perhaps one more of numbers, its weight", f.Name(), columns)
	}
	if o.Progress != nil {
		r.progress = func(at int64) { o.Progress(f.Name(), at, sizeOf(f)) }
	}
	rows := newEdgeRows(info, style.sample)
	rows.isText = true
	if err := r.each(ctx, f, func(record []string, _ int) error {
		if err := rows.read(record); err != nil {
			return err
		}
		return do(&rows.edge)
	}); err != nil {
		return nil, err
	}
	info.headless, info.Notes = style.headless, []string{style.note()}
	info.Warnings = slices.Concat(info.Warnings, r.warnings(), rows.changes.warnings())
	if rows.notation == 1 && style.separator == ';' {
		info.Notes = append(info.Notes, decimalComma(info.Label(info.Weight)))
	} else if mark := marks[rows.notation]; rows.notation != 0 {
		info.Warnings = append(info.Warnings, option.Sprintf("column %s: weights are read with %q before decimals, as in %s", info.Label(info.Weight), mark.decimal, limit.Quote(rows.example)))
	}
	return info, nil
}

// edgeRows makes edges of the fields of rows.
type edgeRows struct {
	info     *EdgeInfo
	notation notation // of the weights
	example  string   // of one that shows it
	// points are the columns of ends whose ids are integers with .0, as pandas writes those of a
	// column with gaps: they lose it, as in [Column.ID].
	points []bool

	isText  bool // a table of text, where words such as NA stand for missing values
	edge    Edge // of the last row
	changes changes
}

// newEdgeRows returns a maker of edges for a table of which sample has rows.
func newEdgeRows(info *EdgeInfo, sample [][]string) *edgeRows {
	r := &edgeRows{info: info, points: make([]bool, len(info.labels)), edge: Edge{Weight: 1, Weighted: info.Weight >= 0}}
	for _, k := range []int{info.Source, info.Target} {
		r.points[k] = all(sample, k, isInteger)
	}
	if info.Weight >= 0 {
		var n numerals
		for _, row := range sample {
			field := strings.TrimSpace(row[info.Weight])
			n.add(field)
			if r.example == "" && hasMark(field) {
				r.example = field
			}
		}
		r.notation = n.best()
	}
	return r
}

// read reads a row.
func (r *edgeRows) read(fields []string) (err error) {
	if r.edge.Source, err = r.id(fields, r.info.Source); err != nil {
		return err
	}
	if r.edge.Target, err = r.id(fields, r.info.Target); err != nil {
		return err
	}
	if !r.edge.Weighted {
		return nil
	}
	return r.weight(strings.TrimSpace(fields[r.info.Weight]))
}

func (r *edgeRows) id(fields []string, column int) (string, error) {
	text := fields[column]
	if isDigits(text) && !r.points[column] {
		return text, nil
	}
	text = r.changes.clean(strings.TrimSpace(text))
	switch {
	case text == "":
		return "", r.info.NoID(column)
	case r.isText && isMissing(text):
		return "", fmt.Errorf("column %s is %s, which says that it is missing: want the id of a node", r.info.Label(column), limit.Quote(text))
	case !utf8.ValidString(text):
		return "", fmt.Errorf("column %d: %s: want UTF-8", column+1, limit.Quote(text))
	case !r.points[column]:
		return text, nil
	case !isInteger(text):
		return "", fmt.Errorf("column %d: id %s: want all ids of the column with .0, or none", column+1, limit.Quote(text))
	}
	return strings.TrimSuffix(text, ".0"), nil
}

// isDigits reports whether a text is a number of digits alone, as most ids are.
func isDigits(text string) bool {
	for k := range len(text) {
		if text[k] < '0' || text[k] > '9' {
			return false
		}
	}
	return text != ""
}

func (r *edgeRows) weight(field string) error {
	v, ok := r.notation.number(field)
	if !ok && !isMissing(field) {
		return BadWeight("weight %s in column %s: want positive numbers", limit.Quote(field), r.info.Label(r.info.Weight))
	}
	if !ok {
		v = math.NaN()
	}
	r.edge.Weight = v
	return r.info.CheckWeight(v)
}

// scanEdges reads the edges in the table of a graph file.
func (t *Table) scanEdges(c EdgeColumns, do func(*Edge) error) (*EdgeInfo, error) {
	fields := func(row int) (fields []string) {
		for k := range t.Columns {
			fields = append(fields, t.Columns[k].Cell(row))
		}
		return fields
	}
	var names []string
	for _, column := range t.Columns {
		names = append(names, column.Name)
	}
	var sample [][]string
	for row := range min(t.Rows, sniffedRows) {
		sample = append(sample, fields(row))
	}
	info, err := FindEdges(t.Path, names, c, sample)
	if err != nil {
		return nil, err
	}
	rows := newEdgeRows(info, sample)
	for row := range t.Rows {
		err := rows.read(fields(row))
		if err == nil {
			err = do(&rows.edge)
		}
		if err != nil {
			return nil, t.errorf(row, "%w", err)
		}
	}
	info.Directed, info.Notes, info.Warnings = t.Directed, t.Notes, append(info.Warnings, t.Warnings...)
	return info, nil
}

func decimalComma(label string) string {
	return fmt.Sprintf("column %s: numbers with a decimal comma", label)
}
