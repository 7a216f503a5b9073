package input

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/agekit/age/internal/limit"
	"github.com/agekit/age/internal/option"
)

// edgeList has the edges in a table, as [graph.Adjacency] takes them.
type edgeList struct {
	u, v   []int32
	w      []float32 // nil if all are 1
	listed int       // rows of the table
	// notes are about loops and repeated edges, and warnings about directed ones and
	// columns that are not used, for the user.
	notes    []string
	warnings []Warning
}

// Ends name the columns of a table of edges, as a name, or a number from 1, takes them.
type Ends struct {
	// Source and Target are the ends. Default: the columns with one of the names
	// in [sourceNames] and [targetNames], or else the first two.
	Source, Target string
	// Weight is a positive number. Default: the column named weight, w, value or
	// count, or the third one if there are three and it has numbers without a name.
	Weight string
}

// names returns those that are given.
func (c Ends) names() []string { return []string{c.Source, c.Target, c.Weight} }

// findEdges returns the columns of edges' ends and weights, −1 if there are no weights.
func (t *Table) findEdges(c Ends) (source, target, weight int, err error) {
	if len(t.Columns) < 2 {
		return 0, 0, 0, fmt.Errorf("%s: %d columns: want two, the ends of each edge, and perhaps one more, its weight", t.Path, len(t.Columns))
	}
	named := func(names ...string) int {
		return slices.IndexFunc(t.Columns, func(c Column) bool { return slices.Contains(names, strings.ToLower(c.Name)) })
	}
	source, target, weight = named(sourceNames...), named(targetNames...), named("weight", "w", "value", "count", "weights")
	if source < 0 || target < 0 {
		source, target = 0, 1
	}
	if weight < 0 && len(t.Columns) == 3 && t.Columns[2].Name == "" && t.Columns[2].Numbers != nil {
		weight = 2
	}
	for _, choice := range []struct {
		name string
		to   *int
	}{{c.Source, &source}, {c.Target, &target}, {c.Weight, &weight}} {
		if choice.name == "" {
			continue
		}
		if *choice.to, err = t.Find(choice.name); err != nil {
			return 0, 0, 0, err
		}
	}
	if source == target || weight == source || weight == target {
		return 0, 0, 0, fmt.Errorf("%s: source, target and weight are columns %s, %s and %s: want different ones", t.Path, t.label(source), t.label(target), t.label(max(weight, 0)))
	}
	return source, target, weight, nil
}

// edges reads the edges between the nodes that have ids. If none has, all ids in the table
// become nodes, in the order in which they appear. It drops loops, adds up the weights of
// an edge listed several times, and makes both directions one; the notes count them.
// Errors name the line of the first end without a node or weight that is not positive.
func (t *Table) edges(ids *nodeIDs, c Ends, refuseDirected bool) (*edgeList, error) {
	source, target, weight, err := t.findEdges(c)
	if err != nil {
		return nil, err
	}
	collect := len(ids.names) == 0
	e := &edgeList{listed: t.Rows}
	if len(t.Notes) > 0 {
		e.note("%s: %s", t.Path, strings.Join(t.Notes, "; "))
	}
	for _, warning := range t.Warnings {
		e.warn("%s: %s", t.Path, warning)
	}
	if weight >= 0 {
		e.note("%s: column %s has the weights", t.Path, t.label(weight))
	} else if unused := t.positive(source, target); len(unused) > 0 {
		m := option.Sprintf("%s: no weights: column %s has positive numbers", t.Path, strings.Join(unused, ", "))
		e.warnings = append(e.warnings, m.Advise("%s uses them", endsWeight, unused[0]))
	}
	var list []weighted
	from, to := t.nodes(ids, source, target, collect), t.nodes(ids, target, source, collect)
	loops := 0
	for row := range t.Rows {
		u, err := from(row)
		if err != nil {
			return nil, err
		}
		v, err := to(row)
		if err != nil {
			return nil, err
		}
		w := 1.
		if weight >= 0 {
			if w, err = t.weight(row, weight); err != nil {
				return nil, err
			}
		}
		if u == v {
			loops++
			continue
		}
		list = append(list, weighted{u, v, w})
	}
	listed := len(list)
	list = merge(list)
	repeated := listed - len(list)
	both, differ := directions(list)
	if t.Directed && refuseDirected {
		return nil, option.Errorf("%s: says that its edges are directed: want an undirected graph or no %s", t.Path, sourceRefuseDirected)
	}
	if t.Directed {
		e.warn("%s: the edges are directed: their direction is dropped", t.Path)
	}
	if refuseDirected && (differ > 0 || both > 0 && 2*both < len(list)) {
		return nil, option.Errorf("%s: %d of %d edges are there in both directions, %d of them with different weights: the graph is directed, want an undirected one or no %s", t.Path, both, len(list)-both, differ, sourceRefuseDirected)
	}
	e.say(t.Path, loops, repeated, both, differ)
	e.u, e.v = make([]int32, 0, len(list)), make([]int32, 0, len(list))
	for _, one := range list {
		e.u, e.v = append(e.u, one.u), append(e.v, one.v)
		if weight >= 0 || repeated > 0 {
			e.w = append(e.w, float32(one.w))
		}
	}
	return e, nil
}

// say says what became of loops, repeated edges and edges in both directions.
func (e *edgeList) say(path string, loops, repeated, both, differ int) {
	if loops > 0 {
		e.note("%s: %d loops dropped: a node is no neighbor of itself", path, loops)
	}
	if repeated > 0 {
		e.note("%s: %d lines repeat an edge: its weights are added", path, repeated)
	}
	switch {
	case differ > 0:
		e.warn("%s: %d edges are there in both directions, %d of them with different weights: each counts once, with the larger weight", path, both, differ)
	case both > 0:
		e.note("%s: %d edges are there in both directions: each counts once", path, both)
	}
}

func (e *edgeList) note(format string, args ...any) {
	e.notes = append(e.notes, fmt.Sprintf(format, args...))
}

func (e *edgeList) warn(format string, args ...any) {
	e.warnings = append(e.warnings, option.Sprintf(format, args...))
}

// positive returns the columns but two that have positive numbers alone.
func (t *Table) positive(source, target int) (labels []string) {
	for k, c := range t.Columns {
		if k != source && k != target && c.Numbers != nil && !slices.ContainsFunc(c.Numbers, func(v float64) bool { return !(v > 0) }) {
			labels = append(labels, t.label(k))
		}
	}
	return labels
}

// nodes returns a function that gives the node in a column; the other is for errors.
func (t *Table) nodes(ids *nodeIDs, column, other int, collect bool) func(row int) (int32, error) {
	c := &t.Columns[column]
	same := c.sameIDs()
	seen := map[float64]int32{}           // for numbers
	known := make([]int32, len(c.Values)) // for words: 1 + node
	return func(row int) (int32, error) {
		if same {
			if node, ok := seen[c.Numbers[row]]; ok {
				return node, nil
			}
		} else if c.Codes != nil && c.Codes[row] >= 0 && known[c.Codes[row]] > 0 {
			return known[c.Codes[row]] - 1, nil
		}
		id, ok := c.ID(row)
		if !ok {
			return 0, t.errorf(row, "column %s is empty: want the id of a node", t.label(column))
		}
		node, ok := ids.index[id]
		switch {
		case ok:
		case collect:
			node = ids.add(id)
		default:
			return 0, t.errorf(row, "no node has the id %s in column %s%s", limit.Quote(id), t.label(column), t.unknown(ids, id, column, other))
		}
		switch {
		case same:
			seen[c.Numbers[row]] = node
		case c.Codes != nil:
			known[c.Codes[row]] = node + 1
		}
		return node, nil
	}
}

// unknown ends the error about the first id that no node has: it counts the others.
func (t *Table) unknown(ids *nodeIDs, first string, columns ...int) string {
	var others []string
	for id := range t.ends(columns...) {
		if _, ok := ids.index[id]; !ok && id != first {
			others = append(others, id)
		}
	}
	if len(others) == 0 {
		return fmt.Sprintf(": want one of the %d ids of the nodes", len(ids.names))
	}
	return fmt.Sprintf(", nor have %d others (%s, …): want the %d ids of the nodes", len(others), limit.Quote(slices.Min(others)), len(ids.names))
}

// weight returns the weight in a row.
func (t *Table) weight(row, column int) (float64, error) {
	c := &t.Columns[column]
	if c.Numbers == nil {
		text, _ := c.Text(row)
		return 0, t.errorf(row, "%w", BadWeight("weight %s in column %s: want positive numbers", limit.Quote(text), t.label(column)))
	}
	w := c.Numbers[row]
	if !(float32(w) > 0) || w > math.MaxFloat32 {
		return 0, t.errorf(row, "weight %v in column %s: want a positive finite number", w, t.label(column))
	}
	return w, nil
}

// weighted is an edge with a direction and a weight.
type weighted struct {
	u, v int32
	w    float64
}

// byEnds orders edges.
func byEnds(a, b weighted) int { return cmp.Or(cmp.Compare(a.u, b.u), cmp.Compare(a.v, b.v)) }

// merge sorts edges and adds up those with the same ends.
func merge(list []weighted) (merged []weighted) {
	slices.SortStableFunc(list, byEnds)
	for k, e := range list {
		if k > 0 && byEnds(list[k-1], e) == 0 {
			merged[len(merged)-1].w += e.w
		} else {
			merged = append(merged, e)
		}
	}
	return merged
}

// directions counts the pairs of nodes with an edge in both directions, and those
// of them whose two weights differ. The edges are sorted.
func directions(list []weighted) (both, differ int) {
	for _, e := range list {
		if e.u > e.v {
			continue
		}
		if k, ok := slices.BinarySearchFunc(list, weighted{u: e.v, v: e.u}, byEnds); ok {
			both++
			if list[k].w != e.w {
				differ++
			}
		}
	}
	return both, differ
}
