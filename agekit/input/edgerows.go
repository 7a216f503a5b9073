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

// edge is an edge of a table, which a row has one of, or several in a list or a row of a matrix.
type edge struct {
	source, target string  // the ids of the ends
	weight         float64 // 1 without weights
	weighted       bool    // the same for all rows

	numbered bool // u and v, not source and target, are the ends
	u, v     int

	alone   bool // there is no edge: source is a node, and target is not set
	several bool // a row of the table may have more than one edge
}

// EdgeColumns says which columns of a table of edges hold what. A column is given by its name, or by
// its number from 1.
type EdgeColumns struct {
	// Source and Target are the ends. Default: those that [table.FindPair] finds. If the cells of
	// one of them are lists, as in a table of nodes and their neighbors, each member is an end.
	Source, Target string
	// Weight is a positive number, and a large one means close. "1/NAME" takes the reciprocals of
	// the numbers in the column NAME, such as distances or costs. In an adjacency matrix, the
	// numbers are the column "value". Default: the column named weight, w, value or
	// count, or the third one if there are three and it has numbers without a name.
	Weight string
}

// names returns the three names, "" for a column that is not given.
func (c EdgeColumns) names() []string {
	return []string{c.Source, c.Target, strings.TrimPrefix(c.Weight, reciprocalOf)}
}

// reciprocalOf is before the name of a column of distances, whose reciprocals are the weights.
const reciprocalOf = "1/"

// edgeReader reads tables of edges.
type edgeReader struct {
	EdgeColumns
	list bool // the table may be a plain list ([Source].Edges)
	// isNode reports whether a value is the id of a node; nil if the nodes are not known.
	isNode func(value string) bool
	// fixed says that the first two columns are the ends, whatever they hold, as in a graph file.
	fixed  bool
	header bool // whether the first line is a header is known, and not detected
	// like is what another part of the same table is like, which this one must be, too; nil for the first.
	like *edgeInfo
}

// edgeInfo says what a table of edges is like, and how its fields are read.
type edgeInfo struct {
	source, target, weight int // the indices of the columns; weight is −1 if there are no weights
	// positive are the names of the other columns that have nothing but positive numbers in the first
	// rows, and so may be the weights. It is empty if there are weights.
	positive []string
	directed bool      // the edges have a direction, as a graph file says
	labels   []string  // of all columns, for messages
	headless bool      // no header was found
	unlike   bool      // the names of the ends say that they are nodes of different kinds
	named    bool      // the ends have the names of ends, such as source and target
	endNames [2]string // the names of the source and the target, or the columns' numbers

	lists      [2]*table.List // how the cells of the source and the target are lists; nil if they are none
	kind       int            // if the source and the target are one column, as in "a (kind) b", that of the kind
	reciprocal bool           // the weights are 1 by the numbers
	matrix     *matrixInfo    // of an adjacency matrix; nil for a table of edges

	isText   bool           // the file is text, in which words such as NA say that a value is missing
	notation table.Notation // how the weights are written
	example  string         // a weight that shows the notation; "" if none does
	// points says, of the source and the target, that all ids of a text are integers with .0, as pandas writes
	// integers in a column with gaps. The ids are taken without .0, as by [table.Column.Key].
	points  [2]bool
	empty   int           // rows whose list has no member
	changes table.Cleaner // counts what was changed in the ids
	choices []string      // notes about how the table is read
	table.Remarks
}

// findEdges finds the columns of the ends and the weights in a table of edges, of which head is known.
// The columns that r names are taken, and the others are found by [table.FindPair]. Path is the file,
// for errors.
func (r edgeReader) findEdges(path string, head table.Head) (*edgeInfo, error) {
	names, sample := head.Names, head.Sample
	t := &table.Table{Path: path, Columns: make([]table.Column, len(names))} // to find columns by their names
	e := &edgeInfo{weight: noColumn, kind: noColumn, isText: head.Text}
	for k, name := range names {
		t.Columns[k].Name = name
		e.labels = append(e.labels, t.Label(k))
	}
	if len(names) < 2 {
		return nil, fmt.Errorf("%s: %d columns: want two, the ends of each edge, and perhaps one more, its weight", path, len(names))
	}
	if m := r.matrixIn(head); m != nil {
		e.matrix, e.endNames = m, [2]string{"row", "column"}
		return e, e.checkMatrix(path, r.Weight)
	}
	known := table.EndOptions{Source: noColumn, Target: noColumn, Weight: noColumn, IsNode: r.isNode}
	for _, choice := range []struct {
		name   string
		column *int
	}{{r.Source, &known.Source}, {r.Target, &known.Target}, {r.Weight, &known.Weight}} {
		if choice.name == "" {
			continue
		}
		var err error
		*choice.column, err = t.Find(choice.name)
		if name, ok := strings.CutPrefix(choice.name, reciprocalOf); ok && choice.column == &known.Weight && err != nil {
			e.reciprocal = true
			*choice.column, err = t.Find(name)
		}
		if err != nil {
			return nil, err
		}
	}
	switch {
	case r.fixed && known.Source < 0 && known.Target < 0:
		known.Source, known.Target = 0, 1
	case r.like != nil:
		known.Source, known.Target = r.like.source, r.like.target
	}
	e.takeEnds(r, head, known)
	if r.like != nil {
		e.lists, e.kind = r.like.lists, r.like.kind
	}
	if e.kind == noColumn && e.source == e.target || e.weight == e.source || e.weight == e.target {
		return nil, fmt.Errorf("%s: source, target and weight are columns %s, %s and %s: want different ones", path, e.labels[e.source], e.labels[e.target], e.labels[max(e.weight, 0)])
	}
	for k, column := range [2]int{e.source, e.target} {
		e.points[k] = e.isText && table.All(sample, column, table.IsInteger)
		if err := checkRounded(sample, column); e.isText && err != nil {
			return nil, fmt.Errorf("%s: column %s: %w", path, e.labels[column], err)
		}
	}
	if e.weight < 0 {
		return e, nil
	}
	if head.Numbers != nil && !head.Numbers[e.weight] {
		return nil, badWeight("%s: column %s has words: want positive numbers", path, e.labels[e.weight])
	}
	if meansFar(names[e.weight]) && !e.reciprocal {
		m := message.Sprintf("column %s has the weights, and by its name a large number means far apart: a large weight means close", e.labels[e.weight])
		e.Warnings = append(e.Warnings, m.Advise("%s turns them", edgeWeight, message.Quote(reciprocalOf+names[e.weight])))
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

// takeEnds sets the columns of the ends, their lists, and the columns that may be weights, and says how they
// were chosen.
func (e *edgeInfo) takeEnds(r edgeReader, head table.Head, known table.EndOptions) {
	names, sample := head.Names, head.Sample
	pair := table.FindPair(names, sample, known)
	e.source, e.target, e.weight, e.unlike, e.named = pair.Source, pair.Target, pair.Weight, pair.Unlike, pair.Named
	if name, kind := combined(names, sample); name >= 0 && !pair.Named && known.Source < 0 && known.Target < 0 {
		e.source, e.target, e.kind, e.unlike = name, name, kind, false
		e.endNames = [2]string{"source", "target"}
		e.Warn("column %s has both ends of each edge and, between them, the kind in column %s, as Cytoscape writes them: the first edge is %s", e.labels[name], e.labels[kind], message.Quote(sample[0][name]))
		return
	}
	for k, column := range [2]int{e.source, e.target} {
		e.endNames[k] = cmp.Or(names[column], strconv.Itoa(column+1))
	}
	if !r.fixed {
		e.lists = [2]*table.List{pair.SourceList, pair.TargetList}
	}
	isPositive := func(field string) bool { v, ok := table.Notation(0).Number(field); return ok && v > 0 }
	for k := range names {
		isOther := k != pair.Numbering && k != e.source && k != e.target && !isKey(sample, k) && !sameOrYears(sample, k)
		if e.weight < 0 && isOther && table.All(sample, k, isPositive) {
			e.positive = append(e.positive, cmp.Or(names[k], strconv.Itoa(k+1)))
		}
	}
	if r.like == nil && !r.fixed {
		e.describeEnds(sample, pair)
	}
}

// sameOrYears reports whether a column of a sample has one value alone, or nothing but years: neither tells how close
// two nodes are.
func sameOrYears(sample [][]string, column int) bool {
	isFirst := func(field string) bool { return field == strings.TrimSpace(sample[0][column]) }
	return table.All(sample, column, isFirst) && len(sample) > 1 || table.All(sample, column, table.IsRecentYear)
}

// isKey reports whether a column of a sample has a different whole number in each of ten rows or more, as keys and
// times are.
func isKey(sample [][]string, column int) bool {
	const enough = 10
	values := map[string]bool{}
	for _, row := range sample {
		values[strings.TrimSpace(row[column])] = true
	}
	return len(sample) >= enough && len(values) == len(sample) && table.All(sample, column, table.IsDigits)
}

// describeEnds says how the columns of the ends were chosen, and how they are read.
func (e *edgeInfo) describeEnds(sample [][]string, pair table.Pair) {
	source, target := e.labels[e.source], e.labels[e.target]
	ends := fmt.Sprintf("columns %s and %s are taken for the ends of the edges", source, target)
	warn := func(m message.Message) {
		e.Warnings = append(e.Warnings, m.Advise("%s names another", edgeSource, "").Advise("%s the other end", edgeTarget, ""))
	}
	first := func(column int) string { return message.Quote(strings.TrimSpace(sample[0][column])) }
	switch {
	case len(sample) == 0:
	case pair.Numbering >= 0:
		warn(message.Sprintf("column %s numbers the rows: %s", e.labels[pair.Numbering], ends))
	case pair.Kind >= 0:
		e.describeKinds(sample, pair.Kind, ends)
	case pair.Near != nil && pair.SourceList == nil && pair.TargetList == nil:
		a, b := pair.Near[0], pair.Near[1]
		warn(message.Sprintf("%s, the first edge from %s to %s, but columns %s and %s could be them as well, as in %s to %s", ends, first(e.source), first(e.target), e.labels[a], e.labels[b], first(a), first(b)))
	case !pair.Named && max(e.source, e.target) > 1:
		why := ""
		if pair.Common {
			why = ", which have ids in common"
		}
		warn(message.Sprintf("%s%s: the first edge is from %s to %s", ends, why, first(e.source), first(e.target)))
	}
	for k, column := range [2]int{e.source, e.target} {
		list := e.lists[k]
		if list == nil {
			continue
		}
		row := slices.IndexFunc(sample, func(row []string) bool { return len(list.Members(row[column])) > 1 })
		if row < 0 {
			row = 0
		}
		e.Warn("column %s has lists with %s: there is an edge for each member, as from %s to each of %s", e.labels[column], list.Name(),
			message.Quote(strings.TrimSpace(sample[row][[2]int{e.target, e.source}[k]])), message.Quote(strings.TrimSpace(sample[row][column])))
	}
}

// describeKinds says which kinds of edges a column has.
func (e *edgeInfo) describeKinds(sample [][]string, column int, ends string) {
	count := map[string]int{}
	var kinds []string // in the order in which they appear
	for _, row := range sample {
		kind := strings.TrimSpace(row[column])
		if count[kind]++; count[kind] == 1 {
			kinds = append(kinds, kind)
		}
	}
	if len(kinds) == 1 {
		e.choices = append(e.choices, fmt.Sprintf("column %s has one word, %s, taken for the kind of all edges: %s", e.labels[column], message.Quote(kinds[0]), ends))
		return
	}
	slices.SortStableFunc(kinds, func(a, b string) int { return count[b] - count[a] })
	const most = 3
	var shown []string
	for _, kind := range kinds[:min(most, len(kinds))] {
		shown = append(shown, fmt.Sprintf("%s (%d)", message.Quote(kind), count[kind]))
	}
	if len(kinds) > most {
		shown = append(shown, "…")
	}
	m := message.Sprintf("column %s has %d words, taken for kinds of edges, in the first %d rows %s: edges of all kinds are taken alike, and %s",
		e.labels[column], len(kinds), len(sample), strings.Join(shown, ", "), ends)
	e.Warnings = append(e.Warnings, m.Advise("%s names another", edgeSource, "").Advise("%s the other end", edgeTarget, ""))
}

// errNamed says that the first row of a table without a header names its columns.
var errNamed = errors.New("the first row names the columns: want a header")

// standsAlone reports whether the first row of a sample looks like a header, because neither of its ends is one in
// another row, of nine or more, while nine tenths of these have an end in common with another row. The reader of
// the table has looked at its first two columns so, and not at the members of lists.
func (e *edgeInfo) standsAlone(sample [][]string) bool {
	const enough = 9
	if len(sample) <= enough {
		return false
	}
	ends := make([][]string, len(sample)) // of each row
	times := map[string]int{}             // how often each is there
	for i, row := range sample {
		for k, column := range [2]int{e.source, e.target} {
			if e.lists[k] != nil {
				ends[i] = append(ends[i], e.lists[k].Members(row[column])...)
			} else {
				ends[i] = append(ends[i], strings.TrimSpace(row[column]))
			}
		}
		for _, end := range ends[i] {
			times[end]++
		}
	}
	isAlone := func(ends []string) bool {
		return !slices.ContainsFunc(ends, func(end string) bool { return times[end] > 1 })
	}
	alone := 0 // rows after the first
	for _, ends := range ends[1:] {
		if isAlone(ends) {
			alone++
		}
	}
	return len(ends[0]) == 2 && isAlone(ends[0]) && 10*alone <= len(sample)
}

// scanFile calls do with each edge of the table in a file, and returns what the table is like. Do gets the
// same edge each time, with other contents.
func (r edgeReader) scanFile(ctx context.Context, path string, o table.Options, do func(*edge) error) (info *edgeInfo, err error) {
	scan := func() (*edgeInfo, error) {
		return r.scan(path, func(choose table.Choose, do func(*table.Row) error) (*table.Table, error) {
			return table.Scan(ctx, path, o, choose, do)
		}, do)
	}
	r.header = o.Header != nil
	if info, err = scan(); errors.Is(err, errNamed) {
		isHeader := true
		o.Header, r.header = &isHeader, true
		info, err = scan()
	}
	if errors.Is(err, table.ErrNoLines) {
		err = fmt.Errorf("%s: %w", path, errNoEdges)
	}
	return info, err
}

// scan is scanFile for a table from anywhere: rows calls what it is given with what is known of the
// table and then with each row, as [table.Scan] does. Path is for errors.
func (r edgeReader) scan(path string, rows func(table.Choose, func(*table.Row) error) (*table.Table, error), do func(*edge) error) (info *edgeInfo, err error) {
	e := edge{weight: 1}
	t, err := rows(func(head table.Head) (table.Chosen, error) {
		if info, err = r.findEdges(path, head); err != nil {
			return table.Chosen{}, err
		}
		if info.matrix != nil {
			e.weighted, e.several = info.matrix.weighted, true
			return table.Chosen{Words: info.matrix.columns(), Number: noColumn}, nil
		}
		isOther := max(info.source, info.target) > 1 || info.lists != [2]*table.List{} // than what the reader has looked at
		if head.Text && !head.Header && !r.header && isOther && info.standsAlone(head.Sample) {
			return table.Chosen{}, errNamed
		}
		// A list without names has two columns, or three if the last one is the weight.
		columns := len(head.Names)
		if r.list && !head.Header && columns > 2 && (columns > 3 || info.weight < 0) {
			return table.Chosen{}, fmt.Errorf("%s: %d columns without names: want two, the ends of each edge, and perhaps one more of numbers, its weight", path, columns)
		}
		e.weighted, e.several = info.weight >= 0, info.lists != [2]*table.List{}
		chosen := table.Chosen{Words: []int{info.source, info.target}, Number: noColumn, Pairs: r.list && !e.weighted && !e.several}
		if info.kind >= 0 {
			chosen.Words[1] = info.kind
		}
		switch {
		case e.weighted && head.Numbers != nil:
			chosen.Number = info.weight
		case e.weighted:
			chosen.Words = append(chosen.Words, info.weight)
		}
		return chosen, nil
	}, func(row *table.Row) error { return info.each(row, &e, do) })
	if err != nil {
		return nil, err
	}
	info.headless, info.Notes = t.Headless, slices.Concat(t.Notes, info.choices)
	info.Warnings = slices.Concat(info.Warnings, t.Warnings, info.changes.Warnings())
	if info.matrix != nil {
		return info, info.matrix.end(path)
	}
	if info.empty > 0 {
		info.Warn("%d rows have an empty list: their nodes get no edge from it", info.empty)
	}
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

// each calls do with each edge in a row.
func (r *edgeInfo) each(row *table.Row, e *edge, do func(*edge) error) error {
	switch {
	case r.matrix != nil:
		return r.matrix.each(row, e, do)
	case r.lists[0] != nil || r.lists[1] != nil:
		return r.eachMember(row, e, do)
	case r.kind >= 0:
		if err := r.cut(row); err != nil {
			return err
		}
	}
	if err := r.read(row, e); err != nil {
		return err
	}
	return do(e)
}

// eachMember calls do with an edge for each member of the list in a row. The other end is a node even if the
// list has no member.
func (r *edgeInfo) eachMember(row *table.Row, e *edge, do func(*edge) error) error {
	side := 0 // the end with the list
	if r.lists[1] != nil {
		side = 1
	}
	list, members := r.lists[side], row.Words[side]
	defer func() { row.Words[side] = members }()
	found := list.Members(members)
	if len(found) == 0 {
		r.empty++
		id, err := r.id(row.Words[1-side], [2]int{r.source, r.target}[1-side], r.points[1-side])
		if err != nil {
			return err
		}
		e.alone, e.source = true, id
		defer func() { e.alone = false }()
		return do(e)
	}
	for _, member := range found {
		row.Words[side] = member
		if err := r.read(row, e); err != nil {
			return err
		}
		if err := do(e); err != nil {
			return err
		}
	}
	return nil
}

// combined returns the index of a column that has both ends of an edge and its kind between them in each
// row, as in Cytoscape's "a (kind) b", and that of the kind's column; −1 if there is none.
func combined(names []string, sample [][]string) (column, kind int) {
	for k := range names {
		if len(sample) == 0 || !strings.Contains(sample[0][k], ") ") {
			continue
		}
		for j := range names {
			isBoth := func(row []string) bool {
				source, target, ok := strings.Cut(row[k], " ("+row[j]+") ")
				return ok && source != "" && target != ""
			}
			if j != k && isBoth(sample[0]) && !slices.ContainsFunc(sample, func(row []string) bool { return !isBoth(row) }) {
				return k, j
			}
		}
	}
	return noColumn, noColumn
}

// cut puts the two ends in place of the words of a row, which are both ends with their kind between them, and
// the kind.
func (r *edgeInfo) cut(row *table.Row) error {
	source, target, ok := strings.Cut(row.Words[0], " ("+row.Words[1]+") ")
	if !ok {
		return fmt.Errorf("column %s: %s: want two ids with the kind of the edge between them, %s; or export columns with the two ends", r.labels[r.source], message.Quote(row.Words[0]), message.Quote("("+row.Words[1]+")"))
	}
	row.Words[0], row.Words[1] = source, target
	return nil
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
	return r.readWeight(row, e)
}

// readWeight sets the weight of e to that in a row.
func (r *edgeInfo) readWeight(row *table.Row, e *edge) error {
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
	if r.reciprocal {
		if !(e.weight > 0) {
			return fmt.Errorf("number %v in column %s, whose reciprocal is the weight: want a positive one", e.weight, label)
		}
		e.weight = 1 / e.weight
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
