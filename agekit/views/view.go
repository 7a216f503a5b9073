package views

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/message"
)

// Name names a view.
type Name string

const (
	// Features is k-means of the standardized features.
	Features Name = "features"
	// Edges is Leiden's communities, joined to k.
	Edges Name = "edges"
	// Both is k-means of the features, smoothed four times, in rows of length 1.
	Both Name = "both"
	// Unlike is spectral clustering by the eigenvalues of the largest size, for edges that join
	// unlike nodes.
	Unlike Name = "unlike"
	// AGE is a training of the encoder.
	AGE Name = "age"
)

// Names has the names of all views, in the order in which they are shown.
var Names = []Name{Features, Edges, Both, Unlike, AGE}

// Title returns what a view is called in a sentence.
func (n Name) Title() string {
	switch n {
	case Unlike:
		return "unlike edges"
	case AGE:
		return "AGE"
	}
	return string(n)
}

// About says in a few words what the clusters of a view are.
func (n Name) About() string {
	switch n {
	case Features:
		return "k-means of the features"
	case Edges:
		return "communities of the edges (Leiden)"
	case Both:
		return "k-means of the features, smoothed over the edges"
	case Unlike:
		return "spectral clustering for edges that join unlike nodes"
	}
	return "the Adaptive Graph Encoder, trained"
}

// UnmarshalText parses a name; the empty one is the default view.
func (n *Name) UnmarshalText(text []byte) error {
	name := Name(strings.ToLower(string(text)))
	if name != "" && !slices.Contains(Names, name) {
		return fmt.Errorf("%s: want features, edges, both, unlike or age", text)
	}
	*n = name
	return nil
}

// manyColumns is the number of features from which on AGE is the default. Graphs of words have as many,
// and AGE was developed on these. On all of seven small graphs with edges of their own and manyColumns
// columns or more, features were at least as good as edges; the graphs on which they were not had 67
// columns or fewer.
const manyColumns = 100

// Source says where the edges and the features of a graph come from.
type Source struct {
	// Nearest says that the edges were made from the features, so that they say nothing of
	// their own.
	Nearest bool
	// Structural says that the features were made from the edges.
	Structural bool
	// Kinds are the two kinds of nodes, if there are any. Clusters of the edges have nodes of
	// both: those that belong together.
	Kinds *graph.Kinds
}

// Default returns the view of the graph g that is used unless the caller names one; s says where its
// edges and features come from. It is Features if there are no edges, or if they were made from the
// features; [AGE] if there are at least 100 columns of features; and Edges otherwise. With two kinds
// of nodes it is Edges, even with many columns: the features of persons and those of events tell the
// kinds apart, and not the groups. (A run also takes Features instead of Edges if
// [Finder.OnlyFeatures] is true.)
func Default(g *graph.Graph, s Source) Name {
	_, columns := g.Features.Dims()
	switch {
	case s.Nearest || g.Edges() == 0:
		return Features
	case columns >= manyColumns && !s.Structural && s.Kinds == nil:
		return AGE
	}
	return Edges
}

// Check returns an error if the graph g, whose edges and features come from s, does not have the view n.
// Without edges it has only [Features]. It does not have Features if they were made from the edges,
// and not [Unlike] with two kinds of nodes, where edges always join unlike nodes.
func Check(g *graph.Graph, s Source, n Name) error {
	switch {
	case g.Edges() == 0 && n != Features:
		return message.Errorf("%s is %s: the graph has no edges: want %s", message.Option("view"), n, Features)
	case s.Structural && n == Features:
		return message.Errorf("%s is %s: the graph has no features of its own: want %s", message.Option("view"), n, Edges)
	case s.Kinds != nil && n == Unlike:
		return message.Errorf("%s is %s: the nodes are of two kinds, and each edge joins one of each: want %s", message.Option("view"), n, Edges)
	}
	return nil
}
