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

// project replaces the graph of l by its projection to the nodes of one of two kinds, which s.Project
// names: these nodes are joined where they share neighbors. The table of nodes keeps only their rows.
func (l *Data) project(ctx context.Context, s Source) error {
	kinds := l.Kinds
	if kinds == nil {
		kinds = graph.TwoKinds(l.Graph.Adjacency)
	}
	if kinds == nil {
		return message.Errorf("%s is %s: the nodes are not of two kinds, as some are in both columns of the edges, or the edges show none: want a table in which a column has the nodes of each kind, as person and event", sourceProject, message.Quote(s.Project))
	}
	kind, description, err := sideOf(kinds, s.Project)
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
	l.Note("%d of %d nodes are kept, those of %s, and joined where they share neighbors: %d edges", g.N(), whole.N(), description, g.Edges())
	if l.Nodes != nil {
		l.Nodes = l.Nodes.Subset(nodes)
	}
	// Features of the structure are those of other edges now; features by a recipe that was made here
	// are of all nodes.
	madeHere := l.Recipe != nil && s.Recipe == nil
	if OfStructure(whole) || madeHere {
		if err := l.makeFeaturesAgain(ctx, s); err != nil {
			return err
		}
	}
	return g.Validate()
}

// sideOf returns which of two kinds of nodes a name stands for, 0 or 1, and a description of that kind
// for notes. The name is that of the kind's column, or source or target; if the kinds have no columns,
// it is first or second. Any other name is an error.
func sideOf(kinds *graph.Kinds, name string) (kind int8, description string, err error) {
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

// keepClasses renumbers the classes of g, of which some may have no node any more, so that each has
// one. It drops the labels if the class of no node is known.
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
	for k, number := range g.ClassNames { // SetClasses has named each class by its old number
		class, _ := strconv.Atoi(number)
		g.ClassNames[k] = names[class]
	}
}

// makeFeaturesAgain makes the features of the nodes that were kept: those of the structure from their
// edges, or those of the table by a new recipe, whose means and categories are of the rows that were
// kept. Features that came from a matrix stay as they are. Notes tell what the new recipe says and the
// earlier one did not.
func (l *Data) makeFeaturesAgain(ctx context.Context, s Source) error {
	var matrix graph.Features // the features that follow those of the table
	if l.Recipe != nil {
		x, from := l.Graph.Features, l.Recipe.Width() // from is the first feature after those of the table
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
		learned, remarks, err := recipe.NewBeside(l.Graph.Labels, l.Nodes, columns)
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
