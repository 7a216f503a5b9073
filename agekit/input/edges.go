package input

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"slices"

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
	largest bool      // the table is a plain list: of repeated edges the largest weight counts
	ids     *idTable  // the ids of the ends, numbered in the order in which they appear
	ends    []uint64  // the ends of each row: the number of the source, in the upper 32 bits, and of the target
	weights []float64 // the weight of each row; nil without weights
	// scan reads the rows again, for an error that names one.
	scan scanRows
}

// largeFile is the size in bytes of a file from which reading takes seconds.
const largeFile = 16 << 20

// scanRows calls do with each row of a table of edges, and returns what the table is like.
type scanRows = func(do func(*edge) error) (*edgeInfo, error)

// edgeTable reads the table of edges in the file s.Edges. Its ends must be among the ids; they may be
// any if ids is nil.
func (s Source) edgeTable(ctx context.Context, o table.Options, ids *idTable) (*edgeTable, error) {
	r := edgeReader{EdgeColumns: s.EdgeColumns, list: s.isPlain()}
	if s.Nodes != "" {
		r.isNode = s.nodeValues(ctx)
	}
	o.Pairs, o.Progress = true, s.Progress
	if info, err := os.Stat(s.Edges); err != nil || info.Size() < largeFile {
		o.Progress = nil
	}
	return newEdgeTable(s.Edges, r.list, ids, func(do func(*edge) error) (*edgeInfo, error) {
		return r.scanFile(ctx, s.Edges, o, do)
	})
}

// edgesOf returns the table of edges of a graph that was read from a file with ids. C names its
// columns, as a user may.
func edgesOf(g *formats.Tables, c EdgeColumns) (*edgeTable, error) {
	rows := func(choose table.Choose, do func(*table.Row) error) (*table.Table, error) {
		return g.Edges, g.Edges.Scan(choose, do)
	}
	return newEdgeTable(g.Edges.Path, false, nil, func(do func(*edge) error) (*edgeInfo, error) {
		info, err := edgeReader{EdgeColumns: c, fixed: true}.scan(g.Edges.Path, rows, do)
		if err == nil {
			info.directed = g.Directed
		}
		return info, err
	})
}

// newEdgeTable returns the table whose rows scan gives. Path is the path of the table, for errors;
// largest and ids are as in [edgeTable] and [Source.edgeTable].
func newEdgeTable(path string, largest bool, ids *idTable, scan scanRows) (*edgeTable, error) {
	t := &edgeTable{path: path, largest: largest, ids: cmp.Or(ids, newIDTable()), scan: scan}
	checked := 0 // rows for which there is memory
	info, err := scan(func(e *edge) error {
		if len(t.ends) == checked {
			checked = max(1<<16, 2*checked) // as append may make room for
			const perRow = 2 * (8 + 8)      // bytes of ends and weight, twice while they are sorted
			if err := system.CheckMemory(fmt.Sprintf("%d edges", checked), perRow*float64(checked)+float64(2*t.ids.bytes())); err != nil {
				return err
			}
		}
		if e.alone {
			_, err := t.ids.add(e.source)
			return err
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
	if id := t.sharedID(); id != "" {
		t.Warn("columns %s and %s have ids in common, such as %s, which are taken for the same nodes: want different ids for nodes of different kinds",
			t.labels[t.source], t.labels[t.target], message.Quote(id))
	}
	return t, nil
}

// sharedID returns the first id that is both a source and a target, if the columns of the ends have the
// names of different kinds of nodes, so that no id should be; else "".
func (t *edgeTable) sharedID() string {
	if !t.unlike {
		return ""
	}
	if _, row := t.sides(); row >= 0 {
		return t.end(row, true)
	}
	return ""
}

// sides returns on which side of the edges each id is: 0 for a source, 1 for a target. If some id is on
// both sides, side is nil, and shared is the first row whose target is a source, too; else shared is
// −1.
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

// end returns the id of the target of a row if target is set, else of the source.
func (t *edgeTable) end(row int, target bool) string {
	if target {
		return t.ids.id(int(uint32(t.ends[row])))
	}
	return t.ids.id(int(t.ends[row] >> 32))
}

// edgeList has the edges of a graph, as [graph.Adjacency] takes them.
type edgeList struct {
	u, v   []int32   // the ends of each edge
	w      []float32 // the weight of each edge; nil if all are 1
	listed int       // how many rows the table had
	sides  []int8    // the side of each node ([edgeTable.sides]); nil if some node is on both
	table.Remarks
}

// edges returns the edges between nodes, whose ids must include all ends; if nodes is nil, they are the
// ends. It drops loops, adds up the weights of an edge listed several times, and makes both directions
// one, with the larger weight; the notes count these. With refuseDirected, a directed graph is an
// error. So is an end without a node, and the error names its row. To save memory the rows of t are
// gone afterward.
func (t *edgeTable) edges(ctx context.Context, nodes *idTable, refuseDirected bool) (*edgeList, error) {
	if t.directed && refuseDirected {
		return nil, message.Errorf("%s: says that its edges are directed: want an undirected graph or no %s", t.path, sourceRefuseDirected)
	}
	number, err := t.numbers(nodes) // the node of each id of t
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
		t.ends[kept] = entryKey(min(u, v), max(u, v), u > v) // in the place of an earlier row
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
	someOneWay := merged.both > 0 && merged.both < len(e.u) // some edges have both directions, others one
	if refuseDirected && (merged.differ > 0 || someOneWay) {
		return nil, message.Errorf("%s: %d of %d edges are there in both directions, %d of them with different weights: the graph is directed, want an undirected one or no %s", t.path, merged.both, len(e.u), merged.differ, sourceRefuseDirected)
	}
	e.About(t.path, t.Remarks)
	describeTable(&e.Remarks, t.path, t.edgeInfo, loops)
	if !t.largest {
		describeCounts(&e.Remarks, t.path, merged.edgeCounts)
	}
	return e, nil
}

// numbers returns the number of the node that has each id in the table; nodes are the ids of the nodes,
// nil for those of the table itself. If no node has some id, the error names the first row with such an
// id, and counts the other ids.
func (t *edgeTable) numbers(nodes *idTable) ([]int, error) {
	if t.byRow() && nodes != nil {
		if err := t.matrix.checkNodes(t.path, nodes.len()); err != nil {
			return nil, err
		}
	}
	number := make([]int, t.ids.len())
	var unknown []string
	for k := range number {
		number[k] = k
		if nodes != nil && nodes != t.ids && !t.byRow() {
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
		if _, ok := nodes.find(id); ok || e.alone {
			return nil
		}
		others, want := "", "one of the"
		if rest := slices.DeleteFunc(slices.Clone(unknown), func(other string) bool { return other == id }); len(rest) > 0 {
			slices.Sort(rest)
			shown := message.Quote(rest[0])
			const most = 2 // others that are named
			if len(rest) >= most {
				shown += ", " + message.Quote(rest[1])
			}
			if len(rest) > most {
				shown += ", …"
			}
			others, want = fmt.Sprintf(", nor have %d others (%s)", len(rest), shown), "the"
		}
		hint, _ := fitting(unknown, nodes)
		if hint != "" {
			hint = "; " + hint
		}
		label := "of the matrix"
		if t.matrix == nil {
			label = "in column " + t.labels[column]
		}
		return fmt.Errorf("no node has the id %s %s%s: want %s %d ids of the nodes%s", message.Quote(id), label, others, want, nodes.len(), hint)
	})
	return nil, cmp.Or(err, fmt.Errorf("%s: the file changed while it was read", t.path))
}

// byRow reports whether the table is a matrix without names, each row of which is a node.
func (t *edgeTable) byRow() bool { return t.matrix != nil && t.matrix.ids == nil }

// entryKey returns the key of an entry of the adjacency matrix. Keys are ordered by row, then by
// column, and the key of a backward entry, that of an edge v–u where the row is u, follows that of the
// edge u–v.
func entryKey(row, column int, backward bool) uint64 {
	key := uint64(row)<<32 | uint64(column)<<1
	if backward {
		key++
	}
	return key
}

// entries merges edges, which come in the order of [entryKey], to the entries of the adjacency matrix:
// between two nodes the weights of each direction are added up, and the larger sum is the weight.
type entries struct {
	path string                                      // the path of the edges, for errors
	put  func(row, column int, weight float32) error // takes each entry
	// largest says that the largest weight counts, not the sum, as in a plain list.
	largest bool

	row, column int        // the place of the entry that edges are merged to
	count       [2]int     // how many edges it has in each direction
	weight      [2]float64 // the weight in each direction
	edgeCounts
}

// edgeCounts counts what a user may want to know.
type edgeCounts struct {
	repeated int // edges that are there again in the same direction
	both     int // pairs of nodes with edges in both directions
	differ   int // of these, pairs whose directions have different weights
}

// add merges an edge to its entry. If the edge belongs to another entry than the one before, that one is ended.
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

// end puts the entry that edges are merged to, if there is one, and counts its edges. Call it after the
// last edge.
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
	if math.IsInf(float64(float32(sum)), 1) { // too large for a float32
		return fmt.Errorf("%s: the weights of the edges between nodes %d and %d add up to %v: want at most %v", e.path, e.row, e.column, sum, float32(math.MaxFloat32))
	}
	e.count, e.weight = [2]int{}, [2]float64{}
	return e.put(e.row, e.column, float32(sum))
}

// describeTable adds remarks about the weights, the direction and the loops of the edges in the file at
// path. Info is what the table is like, and loops is how many loops it has.
func describeTable(s *table.Remarks, path string, info *edgeInfo, loops int) {
	switch {
	case info.reciprocal && info.matrix == nil:
		s.Note("%s: the weights are 1 by the numbers in column %s", path, info.labels[info.weight])
	case info.weight >= 0:
		s.Note("%s: column %s has the weights", path, info.labels[info.weight])
	case len(info.positive) > 0:
		s.Warnings = append(s.Warnings, info.hintOfWeights(path))
	}
	if info.directed {
		s.Warn("%s: the edges are directed: their direction is dropped", path)
	}
	if loops > 0 {
		s.Note("%s: %d loops dropped: a node is no neighbor of itself", path, loops)
	}
}

// describeCounts adds remarks about repeated edges and edges in both directions in the file at path.
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
