package play

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/input/formats"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/agekit/views"
	"github.com/agekit/age/internal/message"
)

// mostNodes is the largest graph that the pages take: one core without SIMD trains a few
// epochs a second on it.
const mostNodes = 20_000

// file is a file that the page's user dropped on the page. Role says what the file is for: "graph", "nodes",
// "edges", "features" or "labels"; if it is "", withRoles finds it from the file's name.
type file struct{ Path, Role string }

// openAsked names the graph that the page opens.
type openAsked struct {
	// Dataset is "cora" or "planted:…", as in dataset.Load, instead of Files.
	Dataset string
	Files   []file
	// ID and Label are the columns of the table of nodes with ids and classes; "" if none is named.
	ID, Label string
	// Nodes, if not nil, are the nodes of a part of the graph.
	Nodes []int
	// Chosen asks for the settings of a training that agekit fit --view age chooses for the graph, as far as
	// the page has them (chosenFor).
	Chosen bool
}

// Opened describes a graph to the page.
type Opened struct {
	Name                   string
	Nodes, Edges, Features int
	Classes                int
	ClassNames, NodeNames  []string
	Labeled                bool
	Layers                 int // of the filter: the paper's for its graphs
	Epochs                 int // of a training
	Clusters               int // to find: the number of classes, or at most 7
	Files                  []file
	Columns                []string // of the table of nodes
	LabelColumn            string
	Notes, Warnings        []string
	PosStart, PosEnd       float64 // of the thresholds
	NegStart, NegEnd       float64
	Isolated               int // nodes without edges
}

// open makes a data set or the user's own files the page's graph. The reply describes the graph and has its
// numbers, as graphNumbers returns them.
func (p *Player) open(ctx context.Context, r Request) (Reply, error) {
	var a openAsked
	if err := arguments(r, &a); err != nil {
		return Reply{}, err
	}
	source := input.Source{Graph: a.Dataset}
	if a.Dataset == "" {
		var err error
		if source, err = sourceOf(a.Files); err != nil {
			return Reply{}, err
		}
		if err := checkRows(source); err != nil {
			return Reply{}, err
		}
		source.ID, source.Label = a.ID, a.Label
	}
	data, err := dataset.Open(ctx, source, dataset.Options{Offline: true})
	if err != nil {
		return Reply{}, errorInPage(err)
	}
	g := data.Graph
	if a.Nodes != nil {
		if slices.Max(a.Nodes) >= g.N() || slices.Min(a.Nodes) < 0 {
			return Reply{}, fmt.Errorf("a node of the part is not among the graph's %d", g.N())
		}
		g = g.Subgraph(a.Nodes)
		g.Name += ", a corner"
		data.Graph, data.Nodes = g, nil // the table has all nodes
	}
	if g.N() > mostNodes {
		return Reply{}, fmt.Errorf("the graph has %d nodes: want at most %d in a browser; the program has no such limit", g.N(), mostNodes)
	}
	p.use(data)
	opened := describe(g)
	if a.Chosen {
		opened.chosenFor(g)
	}
	opened.Files = withRoles(a.Files)
	for _, note := range data.Notes {
		opened.Notes = append(opened.Notes, withoutFolder(note))
	}
	for _, warning := range data.Warnings {
		opened.Warnings = append(opened.Warnings, withoutFolder(warning.In(inPage)))
	}
	if t := data.Nodes; t != nil {
		for i, c := range t.Columns {
			if i != data.IDColumn {
				opened.Columns = append(opened.Columns, c.Name)
			}
			if i == data.LabelColumn {
				opened.LabelColumn = c.Name
			}
		}
	}
	return Reply{opened, graphNumbers(g)}, nil
}

// chosenFor sets the settings to those that [views.Settings] chooses for g, as agekit fit --view age does. That
// trains three times and clusters the embeddings together, with 500 dimensions, which would keep a
// browser busy: the page trains once, with fewer.
func (o *Opened) chosenFor(g *graph.Graph) {
	s := views.Settings(encoder.Options{}, g.N(), o.Clusters, views.Layers)
	o.Layers, o.Epochs = s.Layers, s.Epochs
	o.PosStart, o.PosEnd = s.Thresholds.PosStart, s.Thresholds.PosEnd
	o.NegStart, o.NegEnd = s.Thresholds.NegStart, s.Thresholds.NegEnd
}

// checkRows returns an error if a table of s, in a file of text, has more rows than the pages take. To read it
// and to join its rows by their features would keep the page busy for minutes.
func checkRows(s input.Source) error {
	texts := []string{".csv", ".tsv", ".tab", ".txt"}
	for _, path := range []string{s.Nodes, s.Features, s.Labels} {
		if !slices.Contains(texts, strings.ToLower(filepath.Ext(path))) {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if rows := bytes.Count(text, []byte("\n")); rows > mostNodes+1 {
			return fmt.Errorf("%s has %d lines: want at most %d nodes in a browser; the program has no such limit", filepath.Base(path), rows, mostNodes)
		}
	}
	return nil
}

// use makes the graph of data the page's graph, and ends the training and the filter of the graph before.
func (p *Player) use(data *input.Data) {
	if p.train != nil {
		p.train.close()
	}
	p.data, p.g, p.train, p.filter = data, data.Graph, nil, nil
}

// describe describes a graph and the settings for it. It leaves out what only open knows: files, columns, notes
// and warnings.
func describe(g *graph.Graph) Opened {
	paper, known := encoder.PaperOptions(g.Catalogue)
	th := thresholds(g)
	_, features := g.Features.Dims()
	o := Opened{
		Name: g.Name, Nodes: g.N(), Edges: g.Edges(), Features: features, Isolated: g.Stats().Isolated,
		Classes: g.Classes, NodeNames: g.NodeNames, Labeled: g.Labels != nil,
		Layers:   paper.Layers,
		Epochs:   defaultOptions().Epochs,
		Clusters: cmp.Or(g.Classes, max(2, min(7, g.N()/4))),
		PosStart: th.PosStart, PosEnd: th.PosEnd, NegStart: th.NegStart, NegEnd: th.NegEnd,
	}
	const otherLayers = 3 // for graphs that the paper does not have
	if !known {
		o.Layers = otherLayers
	}
	if g.Labels != nil {
		_, o.ClassNames, _ = graph.ShownClasses(g)
	}
	return o
}

// thresholds returns the thresholds of a training on g: the paper's for its graphs. For others, the shares of
// positive pairs are large enough that a node has on average at least five other nodes in them at first,
// and two in the end. Each node's pair with itself is among the most similar: in a small graph, the paper's
// shares would select nothing else.
func thresholds(g *graph.Graph) pairs.Thresholds {
	paper, known := encoder.PaperOptions(g.Catalogue)
	th, n := paper.Thresholds, float64(g.N())
	if !known || g.N() < smallestOfPaper {
		th.PosStart = max(th.PosStart, 6/n) // of a node's n pairs, five with others and the one with itself
		th.PosEnd = max(th.PosEnd, 3/n)     // two, and the one with itself
		// Negative pairs are less similar than positive ones.
		th.NegStart = max(th.NegStart, min(0.9, 2*th.PosStart))
		th.NegEnd = max(th.NegEnd, th.NegStart)
	}
	return th
}

// smallestOfPaper is less than the nodes of all the paper's graphs; a part of one has fewer.
const smallestOfPaper = 2400

// graphNumbers returns the numbers of a graph for the page: in "ends" two nodes for each edge, and in "labels"
// the class of each node, −1 if it is unknown.
func graphNumbers(g *graph.Graph) map[string][]float32 {
	numbers := map[string][]float32{"labels": float32s(g.Labels)}
	for i := range g.N() {
		for j := range g.Adjacency.Each(i) {
			if i < j {
				numbers["ends"] = append(numbers["ends"], float32(i), float32(j))
			}
		}
	}
	return numbers
}

// withRoles returns files with a role for each: its own, or the one that its name and kind suggest. A table is
// one of nodes unless its name says otherwise.
func withRoles(files []file) []file {
	files = slices.Clone(files)
	for i, f := range files {
		name := strings.ToLower(filepath.Base(f.Path))
		switch ext := filepath.Ext(name); {
		case f.Role != "":
		case formats.HasTables(name) || ext == ".npz" && len(files) == 1:
			files[i].Role = "graph"
		case strings.Contains(name, "edge") || strings.Contains(name, "link") || ext == ".edges":
			files[i].Role = "edges"
		case strings.Contains(name, "label"):
			files[i].Role = "labels"
		case ext == ".npz" || ext == ".npy" || strings.Contains(name, "feature"):
			files[i].Role = "features"
		case ext == ".txt" && len(files) == 1:
			files[i].Role = "edges"
		default:
			files[i].Role = "nodes"
		}
	}
	return files
}

// neighbors is to how many other nodes each node of a table without edges is joined.
const neighbors = 10

// sourceOf returns the source whose graph the files make, each in its role. It returns an error if two files
// have the same role.
func sourceOf(files []file) (input.Source, error) {
	var s input.Source
	if len(files) == 0 {
		return s, errors.New("no files: want a graph, or a table of nodes with or without one of edges")
	}
	paths := map[string]*string{"graph": &s.Graph, "nodes": &s.Nodes, "edges": &s.Edges, "features": &s.Features, "labels": &s.Labels}
	for _, f := range withRoles(files) {
		path, ok := paths[f.Role]
		switch name := filepath.Base(f.Path); {
		case !ok:
			return s, fmt.Errorf("%s is for %q: want graph, nodes, edges, features or labels", name, f.Role)
		case *path != "":
			return s, fmt.Errorf("%s and %s are both for %s: choose what each is", filepath.Base(*path), name, f.Role)
		}
		*path = f.Path
	}
	if s.Graph == "" && s.Edges == "" {
		s.Neighbors = neighbors
	}
	return s, nil
}

// errorInPage returns an error with the same message in the words of the page: options by their last words, and
// files without their folder.
func errorInPage(err error) error { return errors.New(withoutFolder(message.In(err, inPage))) }

// inPage names an option of [input.Source] by its last word, which the pages use.
func inPage(name message.Option) string {
	words := strings.Split(string(name), ".")
	return strings.ToLower(words[len(words)-1])
}

// withoutFolder returns text without the folder of the page's files, which its user did not choose.
func withoutFolder(text string) string { return strings.ReplaceAll(text, Folder+"/", "") }

// Folder is where the page puts files that were dropped on it.
const Folder = "/dropped"
