package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/lab"
)

// linked is a small graph as the story's linked views read it: a drawing, a letter for each
// node, and a signal for each word.
type linked struct {
	Title   string
	Graph   figure.Drawing
	Short   []string
	Named   bool // the names of the nodes stand below them
	Signals []figure.Signal
}

// papers has the story's made-up papers: a title, a topic, and words.
var papers = []struct {
	title, topic string
	words        []string
}{
	{"Deep nets", "learning", []string{"training", "network", "layer"}},
	{"Backprop", "learning", []string{"training", "layer"}},
	{"Vision", "learning", []string{"network", "data"}},
	{"Speech", "learning", []string{"layer", "data"}},
	{"Dropout", "learning", []string{"training"}},
	{"Gene maps", "genetics", []string{"gene", "data"}},
	{"Cell atlas", "genetics", []string{"cell", "gene"}},
	{"Mutations", "genetics", []string{"gene"}},
	{"Proteins", "genetics", []string{"cell", "network"}},
	{"Pathways", "genetics", []string{"network", "data"}},
}

// citations are pairs of papers, of which one cites the other.
var citations = [][2]int{
	{0, 1}, {0, 2}, {0, 4}, {1, 3}, {1, 4}, {2, 3}, {5, 6}, {5, 7}, {5, 9}, {6, 7}, {6, 8}, {8, 9}, {2, 9},
}

// stories returns the graphs among which the story's reader can choose: the made-up papers, and
// the neighborhood of a paper of g, which is Cora.
func stories(g *graph.Graph) map[string]linked {
	const center = 2580 // its eleven papers are on two topics
	return map[string]linked{"papers": tenPapers(), "cora": neighborhood(g, center)}
}

// neighborhood returns the story of a node's neighbors and their neighbors.
func neighborhood(g *graph.Graph, center int) linked {
	nodes := []int{center}
	for range 2 {
		for _, i := range slices.Clone(nodes) {
			for j := range g.Adjacency.Each(i) {
				if !slices.Contains(nodes, j) {
					nodes = append(nodes, j)
				}
			}
		}
	}
	return withWords(g.Subgraph(nodes))
}

// tenPapers returns the story of the made-up papers.
func tenPapers() linked {
	s := linked{Title: "Ten papers", Graph: figure.Draw(len(papers), citations), Short: letters(len(papers)), Named: true}
	words := map[string]int{} // the index of a word among the signals
	for i, p := range papers {
		s.Graph.Names = append(s.Graph.Names, p.title)
		topic := slices.Index(s.Graph.ClassNames, p.topic)
		if topic < 0 {
			topic = len(s.Graph.ClassNames)
			s.Graph.ClassNames = append(s.Graph.ClassNames, p.topic)
		}
		s.Graph.Classes = append(s.Graph.Classes, topic)
		for _, word := range p.words {
			w, ok := words[word]
			if !ok {
				w = len(s.Signals)
				words[word] = w
				s.Signals = append(s.Signals, figure.Signal{Name: word, X: make([]float64, len(papers))})
			}
			s.Signals[w].X[i] = 1
		}
	}
	return s
}

// withWords returns the story of a small graph with the words that are nearest to being in half of its nodes.
func withWords(g *graph.Graph) linked {
	const words = 6
	s := linked{Title: fmt.Sprintf("%d papers of Cora", g.N()), Graph: lab.Draw(g), Short: letters(g.N())}
	_, f := g.Features.Dims()
	nodesWith := make([]int, f)
	for i := range g.N() {
		g.Features.EachInRow(i, func(j int, _ float32) { nodesWith[j]++ })
	}
	order := make([]int, f)
	for j := range order {
		order[j] = j
	}
	twiceFromHalf := func(j int) int { return max(2*nodesWith[j]-g.N(), g.N()-2*nodesWith[j]) }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(twiceFromHalf(a), twiceFromHalf(b)) })
	for _, j := range order[:words] {
		x := make([]float64, g.N())
		for i := range x {
			x[i] = float64(g.Features.At(i, j))
		}
		s.Signals = append(s.Signals, figure.Signal{Name: fmt.Sprint("word ", j), X: x})
	}
	return s
}

// letters returns A, B, … for n nodes.
func letters(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = string(rune('A' + i))
	}
	return all
}
