package input

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/recipe"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/system"
)

// Extend returns the old graph with new nodes from a source, which come last, and notes and warnings in
// sentences for the user. The old nodes keep their features and edges; reading says how they were read.
// If the old graph has no nodes, but a matrix of as many features, the result is a graph of the new
// nodes alone.
//
// Of the source, Nodes is a table with the recipe's columns, and ID defaults to the column
// of the ids of the training, or else to the first. Without Nodes, the old nodes must have
// their numbers as ids, and the new ones follow them. Features has the new nodes' rows of
// the features that do not come from the table, and Edges, if not empty, is a table of
// edges among them and to old nodes; edges between old nodes are left out. Without it, each
// new node is joined to the old ones of the most similar features if the old ones were joined
// so to each other.
//
// An old node's id, missing columns or features, edges to unknown nodes, and a table of
// edges none of which has a new node are errors.
func Extend(ctx context.Context, old *graph.Graph, reading Reading, source Source) (g *graph.Graph, notes []string, warnings []table.Warning, err error) {
	var nodes *table.Table
	if source.Nodes != "" {
		names := []string{source.ID, reading.ID}
		if reading.Recipe != nil {
			for _, c := range reading.Recipe.Columns {
				names = append(names, c.Name)
			}
		}
		if nodes, err = table.Read(ctx, source.Nodes, table.Options{Header: source.Header, Names: names}); err != nil {
			return nil, nil, nil, err
		}
		warnings = append(warnings, nodes.Warnings...)
		if source.ID == "" && slices.ContainsFunc(nodes.Columns, func(c table.Column) bool { return c.Name == reading.ID }) {
			source.ID = reading.ID
		}
		column := 0 // of the ids
		if source.ID != "" {
			if column, err = nodes.Find(source.ID); err != nil {
				return nil, nil, nil, err
			}
		}
		if _, err = source.splitLists(nodes, column, reading.Recipe); err != nil {
			return nil, nil, nil, err
		}
	}
	// The features of the new nodes.
	x, unseen, err := source.featuresAs(ctx, old, reading.Recipe, nodes)
	if err != nil {
		return nil, nil, nil, err
	}
	warnings = append(warnings, unseen...)
	all, err := joinIDs(old, nodes, source.ID, x)
	if err != nil {
		return nil, nil, nil, err
	}
	g = &graph.Graph{Name: old.Name, NodeNames: all.names(), FeatureNames: old.FeatureNames, Features: graph.Stacked(old.Features, x)}
	e := &edgeList{}
	if source.Edges != "" {
		source.Features = "" // with which a table without a header would be a plain list
		t, err := source.edgeTable(ctx, table.Options{Header: source.Header, Names: source.EdgeColumns.names()}, nil)
		if err != nil {
			return nil, nil, nil, err
		}
		if t, err = source.withHeader(ctx, t, all); err != nil {
			return nil, nil, nil, err
		}
		if e, err = t.edges(ctx, all, false); err != nil {
			return nil, nil, nil, err
		}
		if err := e.ofNew(old.N(), t.path); err != nil {
			return nil, nil, nil, err
		}
	}
	if source.Edges == "" && reading.Nearest > 0 && old.N() > 0 {
		found, err := reading.nearest(ctx, old.Features, &x)
		if err != nil {
			return nil, nil, nil, err
		}
		e.u, e.v = found.U, found.V
		e.Note("each new node is joined to its %d nearest of the training by features", reading.Nearest)
	}
	if g.Adjacency, err = joined(old.Adjacency, g.Features, e); err != nil {
		return nil, nil, nil, err
	}
	alone := 0
	for node := old.N(); node < all.len(); node++ {
		if g.Adjacency.Indptr[node] == g.Adjacency.Indptr[node+1] {
			alone++
		}
	}
	if alone > 0 {
		e.Note("%d of %d new nodes have no edge: their features alone decide", alone, all.len()-old.N())
	}
	return g, e.Notes, append(warnings, e.Warnings...), nil
}

// ofNew leaves out the edges between old nodes, which are the first old ones, and warns of them and of
// new nodes that no edge joins to old ones. Path is the file of the edges, for messages. It is an error
// if no edge has a new node.
func (e *edgeList) ofNew(old int, path string) error {
	kept := edgeList{Remarks: e.Remarks, listed: e.listed}
	reaches := false // some edge joins a new node to an old one
	for i, u := range e.u {
		v := e.v[i]
		if int(u) < old && int(v) < old {
			continue
		}
		reaches = reaches || int(min(u, v)) < old
		kept.u, kept.v = append(kept.u, u), append(kept.v, v)
		if e.w != nil {
			kept.w = append(kept.w, e.w[i])
		}
	}
	dropped := len(e.u) - len(kept.u)
	*e = kept
	switch {
	case len(kept.u) == 0 && dropped > 0:
		return fmt.Errorf("%s: no edge has a new node: all %d are between nodes of the training, whose ids come first; the ids of new nodes without a table go on after theirs, from %d", path, dropped, old)
	case dropped > 0:
		e.Warn("%s: %d edges between nodes of the training are left out: these stay as they were", path, dropped)
	}
	if !reaches && old > 0 {
		e.Warn("%s: no edge leads to a node of the training", path)
	}
	return nil
}

// featuresAs returns the features x of new nodes, made as those of the old graph: from a table of nodes
// by the recipe that was learned, nil if there is none, from the matrix in s.Features, or both side by
// side. Unseen are warnings about values that the recipe does not know. If the features of the old
// graph were those of [structure], the new nodes have zeros, and get only what is smoothed onto them
// from their neighbors.
func (s Source) featuresAs(ctx context.Context, old *graph.Graph, learned *recipe.Recipe, nodes *table.Table) (x graph.Features, unseen []table.Warning, err error) {
	if learned != nil && nodes == nil {
		return x, nil, message.Errorf("the model's features came from a table: want %s, a table of the new nodes", sourceNodes)
	}
	_, want := old.Features.Dims() // how many features a node must have
	x, rows, err := s.matrix(ctx)
	fromTable := 0 // how many of them come from the table
	switch {
	case err != nil:
		return x, nil, err
	case nodes != nil && s.Features != "" && nodes.Rows != rows:
		return x, nil, fmt.Errorf("%s has %d rows: want one for each of the %d nodes of %s", s.Features, rows, nodes.Rows, nodes.Path)
	case learned != nil:
		var ofTable graph.Features
		if ofTable, unseen, err = learned.Features(nodes); err != nil {
			return x, nil, err
		}
		if fromTable = learned.Width(); s.Features == "" {
			x = ofTable
		} else {
			x = graph.SideBySide(ofTable, x)
		}
	case nodes != nil && s.Features == "" && OfStructure(old):
		zeros := &graph.CSR{Rows: nodes.Rows, Cols: want, Indptr: make([]int, nodes.Rows+1)}
		x = graph.Features{Sparse: zeros}
	}
	switch _, columns := x.Dims(); {
	case columns != want && s.Features == "":
		err = message.Errorf("the model has %d features, %d of them from a table: want %s, a matrix with the others", want, fromTable, sourceFeatures)
	case columns != want:
		err = fmt.Errorf("the new nodes have %d features, %d of them from a table: want %d, as in the training", columns, fromTable, want)
	}
	return x, unseen, err
}

// joinIDs returns the ids of the nodes of the old graph, and after them those of the new nodes, from
// the column of nodes named id; from the first column if id is "". Old nodes without ids have their
// numbers. Without a table, nodes is nil, and new nodes, as many as x has rows, have the numbers that
// follow; then the old ones must have numbers.
func joinIDs(old *graph.Graph, nodes *table.Table, id string, x graph.Features) (*idTable, error) {
	numbers := numberedIDs(old.N()).names()
	if nodes == nil {
		if old.NodeNames != nil && !slices.Equal(old.NodeNames, numbers) {
			return nil, errors.New("the model's nodes have ids: want a table with those of the new nodes")
		}
		rows, _ := x.Dims()
		return numberedIDs(old.N() + rows), nil
	}
	column := 0
	if id != "" {
		var err error
		if column, err = nodes.Find(id); err != nil {
			return nil, err
		}
	}
	added, err := idsOf(nodes, column)
	if err != nil {
		return nil, err
	}
	names := old.NodeNames
	if names == nil {
		names = numbers
	}
	all, err := newIDs(slices.Concat(names, added.names()))
	if err != nil {
		err = fmt.Errorf("%s: %w; the first %d nodes are the model's", nodes.Path, err, old.N())
	}
	return all, err
}

// joined returns the adjacency matrix of the nodes with features x, old and new: with the edges of a,
// which is that of the old nodes, and those of e.
func joined(a *graph.CSR, x graph.Features, e *edgeList) (*graph.CSR, error) {
	const perEdge = 24 // bytes: ends and weight, of 4 bytes each, in the list and in the matrix
	if err := system.CheckMemory("the edges of old and new nodes", perEdge*float64(a.NNZ()/2+len(e.u))); err != nil {
		return nil, err
	}
	u, v, w := e.u, e.v, e.w
	weighted := e.w != nil || a.Values != nil
	if weighted && w == nil {
		w = slices.Repeat([]float32{1}, len(u))
	}
	for i := range a.Rows {
		for j, weight := range a.Each(i) {
			if j < i { // the mirror image of an entry
				continue
			}
			u, v = append(u, int32(i)), append(v, int32(j))
			if weighted {
				w = append(w, weight)
			}
		}
	}
	n, _ := x.Dims()
	joined, err := graph.Adjacency(n, u, v, w)
	if err != nil {
		return nil, fmt.Errorf("the edges of old and new nodes: %w", err)
	}
	return joined, nil
}
