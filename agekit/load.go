package agekit

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/cell"
	"github.com/agekit/age/internal/progress/bar"
	"gonum.org/v1/gonum/blas/blas32"
)

// Load returns the data set with the given name (package dataset has the list), or
// the graph in the file with that name, such as "x.npz" or "x.graphml" (package input
// has the formats). An empty name means $AGEKIT_DATASET, or cora if that is not set, so
// a notebook that names no data set can run on any. A table, such as "x.csv", is an error
// that names [Open].
func Load(name string) (*graph.Graph, error) {
	name = cmp.Or(name, os.Getenv("AGEKIT_DATASET"), "cora")
	if slices.Contains(tables, table.Extension(table.Unpacked(name))) {
		return nil, fmt.Errorf("%s is a table, and Load reads data sets and whole graphs: want agekit.Open(input.Source{Edges: %q}), or Nodes and Neighbors for a table without edges", name, name)
	}
	return Open(input.Source{Graph: name})
}

// tables are the extensions of files that hold tables and no whole graphs.
var tables = []string{".csv", ".tsv", ".tab", ".txt", ".edges", ".edgelist", ".parquet"}

// Large returns a graph of more than 60,000 nodes: the packages of a Debian release,
// or, where neither apt nor the network has their list, a generated graph of about that
// size. A line says which.
func Large() (*graph.Graph, error) {
	return large(func(name string, o dataset.Options) (*graph.Graph, error) {
		return dataset.Load(cell.Context(), name, o)
	})
}

// large is [Large] with a function that loads a data set by its name.
func large(load func(name string, o dataset.Options) (*graph.Graph, error)) (*graph.Graph, error) {
	g, err := load("debian", dataset.Options{Offline: true})
	if errors.Is(err, dataset.ErrMissing) {
		g, err = load("debian", dataset.Options{Progress: bar.New(os.Stderr).Show})
	}
	if errors.Is(err, dataset.ErrMissing) {
		fmt.Println("There is no list of Debian's packages here: this is a generated graph of about the same size.")
		return load(largePlanted, dataset.Options{})
	}
	return g, err
}

// largePlanted has about as many nodes, edges, features and words as the packages of
// Debian 12.
const largePlanted = "planted:n=63000,classes=50,f=2000,words=4,topic=0.5,degree=8"

// Open returns your own graph from the files of source: edges as "u TAB v" lines, with features
// (.npz, .npy or .csv with one row per node) and labels (one per line), or a table of
// edges and perhaps one of nodes, whose ids and columns keep their names. Open prints
// what became of each column, and warnings. docs/your-data.md describes the files.
func Open(source input.Source) (*graph.Graph, error) {
	d, err := dataset.Open(cell.Context(), source, dataset.Options{Progress: bar.New(os.Stderr).Show})
	if err != nil {
		return nil, err
	}
	for _, note := range d.Notes {
		fmt.Println(note)
	}
	for _, warning := range d.Warnings {
		fmt.Println("warning:", warning)
	}
	return d.Graph, nil
}

// Settings returns the paper's settings for g (§4.3 and table 5), with one cluster per
// class. A graph that is none of the paper's data sets gets those of Cora.
func Settings(g *graph.Graph) encoder.Options {
	c, known := encoder.PaperOptions(g.Catalogue)
	if known { // the ranking of the paper's settings, even if the caller then changes the thresholds
		n, f := g.Features.Dims()
		c.Ranking = c.Ranks(encoder.ByPaper, n, f)
	}
	c.Clusters = g.Classes
	return c
}

// Describe returns a table of g's statistics, as in table 1 of the paper.
func Describe(g *graph.Graph) figure.Fragment {
	s := g.Stats()
	row := func(name string, value int) []string { return []string{name, fmt.Sprint(value)} }
	return figure.Table([]string{g.Name, ""}, [][]string{
		row("nodes", s.Nodes), row("edges as listed", s.ListedEdges), row("distinct edges, no loops", s.Edges),
		row("features", s.Features), row("entries that are not 0", s.NonZeros), row("classes", s.Classes),
		row("nodes without a neighbor", s.Isolated), row("connected components", s.Components), row("largest degree", s.MaxDegree),
	})
}

// Laplacian returns the operator L̃sym of g.
func Laplacian(g *graph.Graph) *laplacian.Operator { return laplacian.New(g.Adjacency) }

// InverseLambdaMax, passed as k, means k = 1/λmax.
const InverseLambdaMax = laplacian.InverseLambdaMax

// Smooth mixes the features of each node with those of its neighbors, once for each layer,
// and returns the smoothed features, a row for each of the n nodes and a column for each of
// the f features: X̃ = HᵗX with H = I − k·L̃sym (paper, §3.3). k says how much a node takes
// over in a layer: 0 nothing, 2/3 is the paper's, and [InverseLambdaMax] means 1/λmax. Above
// 2/λmax, which [Train] refuses, neighbors become less alike with each layer. A line warns of
// that, and others of features or edge weights of very different size.
func Smooth(g *graph.Graph, k float64, layers int) (blas32.General, error) {
	op := Laplacian(g)
	f, err := laplacian.ResolveFilter(cell.Context(), op, laplacian.Filter{K: k, Layers: layers})
	if err != nil {
		return blas32.General{}, err
	}
	if f.K > 1 && f.Layers > 0 { // λmax is below 2, so a smaller k is below 2/λmax
		lambda, err := laplacian.LambdaMax(cell.Context(), op)
		if err != nil {
			return blas32.General{}, err
		}
		if _, err := f.Resolve(lambda); err != nil {
			fmt.Printf("k = %.4g is above 2/λmax = %.4g: high frequencies grow instead of shrinking, the highest %.3g-fold with each layer. A filter that smooths has k ≤ 1/λmax = %.4g.\n",
				f.K, 2/lambda, f.K*lambda-1, 1/lambda)
		}
	}
	for _, line := range graph.UnitWarnings(g) {
		fmt.Println(line)
	}
	return f.Smooth(cell.Context(), op, g.Features)
}

// RayleighQuotients returns the Rayleigh quotient R(L̃sym, x) of each column of x, n×f, that is
// not 0.
func RayleighQuotients(g *graph.Graph, x blas32.General) []float64 {
	return slices.DeleteFunc(Laplacian(g).RayleighQuotients(x), math.IsNaN)
}
