package input

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/recipe"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/message"
)

// project keeps the nodes of one of two kinds ([Source].Project).
func (l *Data) project(ctx context.Context, s Source) error {
	kinds := l.Kinds
	if kinds == nil {
		kinds = graph.TwoKinds(l.Graph.Adjacency)
	}
	if kinds == nil {
		return message.Errorf("%s is %s: the nodes are not of two kinds, as some are in both columns of the edges, or the edges show none: want a table in which a column has the nodes of each kind, as person and event", sourceProject, message.Quote(s.Project))
	}
	kind, what, err := sideOf(kinds, s.Project)
	if err != nil {
		return err
	}
	a, nodes, err := graph.Project(l.Graph.Adjacency, kinds.Of, kind)
	if err != nil {
		return message.Errorf("%s is %s: %w", sourceProject, message.Quote(s.Project), err)
	}
	whole := l.Graph
	g := whole.Subgraph(nodes)
	g.Adjacency, g.ListedEdges = a, a.NNZ()/2
	if g.NodeNames == nil { // their numbers in the whole graph
		for _, node := range nodes {
			g.NodeNames = append(g.NodeNames, strconv.Itoa(node))
		}
	}
	if whole.Labels != nil {
		keepClasses(g)
	}
	l.Graph, l.Kinds = g, nil
	l.Note("%d of %d nodes are kept, those of %s, and joined where they share neighbors: %d edges", g.N(), whole.N(), what, g.Edges())
	if l.Nodes != nil {
		l.Nodes = l.Nodes.Subset(nodes)
	}
	if OfStructure(whole) || l.Recipe != nil && s.Recipe == nil {
		if err := l.makeFeaturesAgain(ctx, s); err != nil {
			return err
		}
	}
	return g.Validate()
}

// sideOf returns the kind of a name, and what it is.
func sideOf(kinds *graph.Kinds, name string) (kind int8, what string, err error) {
	known := kinds.Names[:]
	if known[0] == "" {
		known = []string{"first", "second"}
	}
	k := slices.Index(known, name)
	if k < 0 && kinds.Names[0] != "" {
		k = slices.Index([]string{"source", "target"}, name)
	}
	switch {
	case k < 0:
		return 0, "", message.Errorf("%s is %s: want %s or %s, one of the two kinds of nodes", sourceProject, message.Quote(name), message.Quote(known[0]), message.Quote(known[1]))
	case kinds.Names[0] == "":
		return int8(k), "the " + known[k] + " kind", nil
	}
	return int8(k), "column " + message.Quote(known[k]), nil
}

// keepClasses leaves out the classes that no node has, and the labels if no class is known.
func keepClasses(g *graph.Graph) {
	labels, names := g.Labels, g.ClassNames
	graph.SetClasses(g, len(labels), func(node int) (int, bool) { return labels[node], labels[node] != graph.Unknown })
	switch {
	case g.Classes == 0:
		g.Labels = nil
		return
	case names == nil:
		g.ClassNames = nil
		return
	}
	for k, number := range g.ClassNames {
		class, _ := strconv.Atoi(number)
		g.ClassNames[k] = names[class]
	}
}

// makeFeaturesAgain makes the features that come from the edges, or from the table: from the rows
// that it still has, whose means and categories are not those of the other nodes too.
func (l *Data) makeFeaturesAgain(ctx context.Context, s Source) error {
	var matrix graph.Features // of the columns that follow those of the table
	if l.Recipe != nil {
		x, from := l.Graph.Features, l.Recipe.Width()
		n, all := x.Dims()
		matrix = graph.GatherFeatures(n, all-from, func(row int, put func(int, float32)) {
			x.EachInRow(row, func(j int, v float32) {
				if j >= from {
					put(j-from, v)
				}
			})
		})
		columns := s.Columns
		columns.Drop = slices.Clone(columns.Drop)
		for _, k := range []int{l.IDColumn, l.LabelColumn} {
			if k >= 0 {
				columns.Drop = append(columns.Drop, cmp.Or(l.Nodes.Columns[k].Name, strconv.Itoa(k+1)))
			}
		}
		learned, remarks, err := recipe.New(l.Nodes, columns)
		if err != nil {
			return err
		}
		l.Recipe = nil
		if len(learned.Columns) > 0 {
			l.Recipe = learned
		}
		for _, note := range remarks.Notes {
			if !slices.Contains(l.Notes, note) {
				l.Note("of the nodes that are kept: %s", note)
			}
		}
		for _, warning := range remarks.Warnings {
			if !slices.ContainsFunc(l.Warnings, func(w table.Warning) bool { return w.String() == warning.String() }) {
				l.Note("of the nodes that are kept: %s", warning.Text())
			}
		}
	}
	return l.makeFeatures(ctx, s, l.Nodes, matrix)
}
