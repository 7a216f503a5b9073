package input

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input/formats"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/extsort"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/system"
)

// edgeTable has the rows of a table of edges, whose nodes need not be known yet.
type edgeTable struct {
	*edgeInfo
	path    string
	largest bool      // it is a plain list, of whose repeated edges the largest weight counts
	ids     *idTable  // of the ends, numbered in the order in which they appear
	ends    []uint64  // of each row: the numbers of the source, in the upper 32 bits, and of the target
	weights []float64 // of each row; nil without weights
	// scan reads the rows again, for an error that names one.
	scan scanRows
}

// largeFile is the size of a file from which reading takes seconds.
const largeFile = 16 << 20

// scanRows calls do with each row of a table of edges.
type scanRows = func(do func(*edge) error) (*edgeInfo, error)

// edgeTable reads the table Edges, whose ends are among the ids or, if none are given, any.
func (s Source) edgeTable(ctx context.Context, o table.Options, ids *idTable) (*edgeTable, error) {
	list := s.isPlain()
	o.Pairs, o.Progress = true, s.Progress
	if info, err := os.Stat(s.Edges); err != nil || info.Size() < largeFile {
		o.Progress = nil
	}
	return newEdgeTable(s.Edges, list, ids, func(do func(*edge) error) (*edgeInfo, error) {
		return s.EdgeColumns.scanFile(ctx, s.Edges, list, o, do)
	})
}

// edgesOf returns the edges of a graph that was read.
func edgesOf(g *formats.Tables, c EdgeColumns) (*edgeTable, error) {
	rows := func(choose table.Choose, do func(*table.Row) error) (*table.Table, error) {
		return g.Edges, g.Edges.Scan(choose, do)
	}
	return newEdgeTable(g.Edges.Path, false, nil, func(do func(*edge) error) (*edgeInfo, error) {
		info, err := c.scan(g.Edges.Path, false, rows, do)
		if err == nil {
			info.directed = g.Directed
		}
		return info, err
	})
}

// newEdgeTable reads the rows of a table.
func newEdgeTable(path string, largest bool, ids *idTable, scan scanRows) (*edgeTable, error) {
	t := &edgeTable{path: path, largest: largest, ids: cmp.Or(ids, newIDTable()), scan: scan}
	checked := 0 // rows for which there is memory
	info, err := scan(func(e *edge) error {
		if len(t.ends) == checked {
			checked = max(1<<16, 2*checked)
			const perRow = 2 * (8 + 8) // while they are sorted
			if err := system.CheckMemory(fmt.Sprintf("%d edges", checked), perRow*float64(checked)+float64(2*t.ids.bytes())); err != nil {
				return err
			}
		}
		u, v, err := t.ids.addEnds(e)
		if err != nil {
			return err
		}
		t.ends = append(t.ends, uint64(u)<<32|uint64(v))
		if e.weighted {
			t.weights = append(t.weights, e.weight)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	t.edgeInfo = info
	t.WarnOfFormulas(t.ids.all())
	if id := t.shared(); id != "" {
		t.Warn("columns %s and %s have ids in common, such as %s, which are taken for the same nodes: want different ids for nodes of different kinds",
			t.labels[t.source], t.labels[t.target], message.Quote(id))
	}
	return t, nil
}

// shared returns the first id that is both a source and a target, though these have the names
// of nodes of different kinds; else "".
func (t *edgeTable) shared() string {
	if !t.unlike {
		return ""
	}
	if _, row := t.sides(); row >= 0 {
		return t.end(row, true)
	}
	return ""
}

// sides returns the column of each id, 0 for a source and 1 for a target, if none is both; else the
// first row whose target is a source too.
func (t *edgeTable) sides() (side []int8, shared int) {
	side = slices.Repeat([]int8{graph.NoKind}, t.ids.len())
	for _, ends := range t.ends {
		side[ends>>32] = 0
	}
	for row, ends := range t.ends {
		if side[uint32(ends)] == 0 {
			return nil, row
		}
		side[uint32(ends)] = 1
	}
	return side, -1
}

// end returns the id of an end of a row, the source or the target.
func (t *edgeTable) end(row int, target bool) string {
	if target {
		return t.ids.id(int(uint32(t.ends[row])))
	}
	return t.ids.id(int(t.ends[row] >> 32))
}

// edgeList has the edges of a graph, as [graph.Adjacency] takes them.
type edgeList struct {
	u, v   []int32
	w      []float32 // nil if all are 1
	listed int       // rows of the table
	sides  []int8    // of the nodes: the column of each; nil if some node is in both
	table.Remarks
}

// edges returns the edges between nodes that have ids, or between those that the table names
// if nodes is nil. It drops loops, adds up the weights of an edge listed several times, and
// makes both directions one, with the larger weight; the notes count them. The error about an
// end without a node names its row. The rows are gone afterward.
func (t *edgeTable) edges(ctx context.Context, nodes *idTable, refuseDirected bool) (*edgeList, error) {
	if t.directed && refuseDirected {
		return nil, message.Errorf("%s: says that its edges are directed: want an undirected graph or no %s", t.path, sourceRefuseDirected)
	}
	number, err := t.numbers(nodes)
	if err != nil {
		return nil, err
	}
	e := &edgeList{listed: len(t.ends)}
	if sides, shared := t.sides(); shared < 0 {
		e.sides = slices.Repeat([]int8{graph.NoKind}, cmp.Or(nodes, t.ids).len())
		for id, side := range sides {
			e.sides[number[id]] = side
		}
	}
	kept, loops := 0, 0
	for row, ends := range t.ends {
		u, v := number[ends>>32], number[uint32(ends)]
		if u == v {
			loops++
			continue
		}
		t.ends[kept] = entryKey(min(u, v), max(u, v), u > v)
		if t.weights != nil {
			t.weights[kept] = t.weights[row]
		}
		kept++
	}
	keys, weights := t.ends[:kept], t.weights[:min(kept, len(t.weights))]
	t.ends, t.weights = nil, nil
	if keys, weights, err = extsort.Sort(ctx, keys, weights); err != nil {
		return nil, err
	}
	e.u, e.v, e.w = make([]int32, 0, kept), make([]int32, 0, kept), make([]float32, 0, kept)
	merged := entries{path: t.path, largest: t.largest, put: func(row, column int, weight float32) error {
		e.u, e.v, e.w = append(e.u, int32(row)), append(e.v, int32(column)), append(e.w, weight)
		return nil
	}}
	for k, key := range keys {
		weight := 1.
		if weights != nil {
			weight = weights[k]
		}
		if err := merged.add(key, weight); err != nil {
			return nil, err
		}
	}
	if err := merged.end(); err != nil {
		return nil, err
	}
	if weights == nil && (merged.repeated == 0 || t.largest) {
		e.w = nil
	}
	if refuseDirected && (merged.differ > 0 || merged.both > 0 && merged.both < len(e.u)) {
		return nil, message.Errorf("%s: %d of %d edges are there in both directions, %d of them with different weights: the graph is directed, want an undirected one or no %s", t.path, merged.both, len(e.u), merged.differ, sourceRefuseDirected)
	}
	e.About(t.path, t.Remarks)
	describeTable(&e.Remarks, t.path, t.edgeInfo, loops)
	if !t.largest {
		describeCounts(&e.Remarks, t.path, merged.edgeCounts)
	}
	return e, nil
}

// numbers returns the node of each id in the table. The error about an id that no node has names
// its row, and counts the others.
func (t *edgeTable) numbers(nodes *idTable) ([]int, error) {
	number := make([]int, t.ids.len())
	var unknown []string
	for k := range number {
		number[k] = k
		if nodes != nil && nodes != t.ids {
			var ok bool
			if number[k], ok = nodes.find(t.ids.id(k)); !ok {
				unknown = append(unknown, t.ids.id(k))
			}
		}
	}
	if len(unknown) == 0 {
		return number, nil
	}
	_, err := t.scan(func(e *edge) error {
		id, column := e.source, t.source
		if _, ok := nodes.find(id); ok {
			id, column = e.target, t.target
		}
		if _, ok := nodes.find(id); ok {
			return nil
		}
		others := ": want one of"
		if unknown = slices.DeleteFunc(unknown, func(other string) bool { return other == id }); len(unknown) > 0 {
			others = fmt.Sprintf(", nor have %d others (%s, …): want", len(unknown), message.Quote(slices.Min(unknown)))
		}
		return fmt.Errorf("no node has the id %s in column %s%s the %d ids of the nodes", message.Quote(id), t.labels[column], others, nodes.len())
	})
	return nil, cmp.Or(err, fmt.Errorf("%s: the file changed while it was read", t.path))
}

// entryKey orders the entries of the adjacency matrix by row and column, and keeps those of
// an edge u–v apart from those of v–u, which are backward.
func entryKey(row, column int, backward bool) uint64 {
	key := uint64(row)<<32 | uint64(column)<<1
	if backward {
		key++
	}
	return key
}

// entries merges edges, which come in the order of [entryKey], to the entries of the
// adjacency matrix: between two nodes the weights of each direction are added up, and the
// larger sum counts.
type entries struct {
	path string // of the edges, for errors
	put  func(row, column int, weight float32) error
	// largest says that the largest weight counts, not the sum, as in a plain list.
	largest bool

	row, column int
	count       [2]int     // of the edges of each direction
	weight      [2]float64 // of each direction
	edgeCounts
}

// edgeCounts counts what a user may want to know.
type edgeCounts struct{ repeated, both, differ int }

// add adds an edge.
func (e *entries) add(key uint64, weight float64) error {
	row, column, direction := int(key>>32), int(uint32(key)>>1), key&1
	if row != e.row || column != e.column {
		if err := e.end(); err != nil {
			return err
		}
		e.row, e.column = row, column
	}
	e.count[direction]++
	if e.largest {
		e.weight[direction] = max(e.weight[direction], weight)
	} else {
		e.weight[direction] += weight
	}
	return nil
}

// end ends an entry. Call it after the last edge.
func (e *entries) end() error {
	if e.count[0]+e.count[1] == 0 {
		return nil
	}
	if e.row < e.column { // else it is counted at the other end
		e.repeated += max(0, e.count[0]-1) + max(0, e.count[1]-1)
		if e.count[0] > 0 && e.count[1] > 0 {
			e.both++
			if e.weight[0] != e.weight[1] {
				e.differ++
			}
		}
	}
	sum := max(e.weight[0], e.weight[1])
	if math.IsInf(float64(float32(sum)), 1) {
		return fmt.Errorf("%s: the weights of the edges between nodes %d and %d add up to %v: want at most %v", e.path, e.row, e.column, sum, float32(math.MaxFloat32))
	}
	e.count, e.weight = [2]int{}, [2]float64{}
	return e.put(e.row, e.column, float32(sum))
}

// describeTable says where the weights are, and what became of directions and loops.
func describeTable(s *table.Remarks, path string, info *edgeInfo, loops int) {
	if info.weight >= 0 {
		s.Note("%s: column %s has the weights", path, info.labels[info.weight])
	} else if len(info.positive) > 0 {
		m := message.Sprintf("%s: no weights: column %s has positive numbers", path, strings.Join(info.positive, ", "))
		s.Warnings = append(s.Warnings, m.Advise("%s uses them", edgeWeight, info.positive[0]))
	}
	if info.directed {
		s.Warn("%s: the edges are directed: their direction is dropped", path)
	}
	if loops > 0 {
		s.Note("%s: %d loops dropped: a node is no neighbor of itself", path, loops)
	}
}

// describeCounts says what became of repeated edges and of those in both directions.
func describeCounts(s *table.Remarks, path string, counts edgeCounts) {
	if counts.repeated > 0 {
		s.Note("%s: %d lines repeat an edge: its weights are added", path, counts.repeated)
	}
	switch {
	case counts.differ > 0:
		s.Warn("%s: %d edges are there in both directions, %d of them with different weights: each counts once, with the larger weight", path, counts.both, counts.differ)
	case counts.both > 0:
		s.Note("%s: %d edges are there in both directions: each counts once", path, counts.both)
	}
}
