package dataset

import (
	"maps"
	"slices"
	"strings"

	"github.com/agekit/age/agekit/graph"
)

// document is a node of a graph that is made from texts.
type document struct {
	name, class string
	links       []string // names of other documents; any other name is ignored
	words       []string // in order, each once
}

// documentGraph makes a graph of documents. An edge joins a document and one that it links
// to. The binary features are the words that occur in minWord documents or more. Classes
// with fewer than minClass documents, and the class "", form the class "other".
func documentGraph(documents []document, minWord, minClass int) (*graph.Graph, error) {
	number := map[string]int32{}                            // of a document, by its name
	perWord, perClass := map[string]int{}, map[string]int{} // numbers of documents
	for i, d := range documents {
		number[d.name] = int32(i)
		perClass[d.class]++
		for _, w := range d.words {
			perWord[w]++
		}
	}
	maps.DeleteFunc(perWord, func(_ string, count int) bool { return count < minWord })
	maps.DeleteFunc(perClass, func(class string, count int) bool { return count < minClass || class == "" })
	vocabulary, classes := slices.Sorted(maps.Keys(perWord)), slices.Sorted(maps.Keys(perClass))
	column := map[string]int32{} // of a word
	for j, w := range vocabulary {
		column[w] = int32(j)
	}
	var u, v []int32
	x := &graph.CSR{Rows: len(documents), Cols: len(vocabulary), Indptr: []int{0}}
	g := &graph.Graph{Features: graph.Features{Sparse: x}, FeatureNames: vocabulary, ClassNames: classes}
	for i, d := range documents {
		class, ok := slices.BinarySearch(classes, d.class)
		if !ok {
			class = len(classes) // other
		}
		g.NodeNames, g.Labels = append(g.NodeNames, d.name), append(g.Labels, class)
		for _, name := range d.links {
			if j, ok := number[name]; ok {
				u, v = append(u, int32(i)), append(v, j)
			}
		}
		for _, w := range d.words { // in order, as the columns are
			if j, ok := column[w]; ok {
				x.Indices = append(x.Indices, j)
			}
		}
		x.Indptr = append(x.Indptr, len(x.Indices))
	}
	if slices.Contains(g.Labels, len(classes)) {
		g.ClassNames = append(g.ClassNames, "other")
	}
	g.Classes, g.ListedEdges = len(g.ClassNames), len(u)
	var err error
	g.Adjacency, err = graph.Adjacency(len(documents), u, v, nil)
	return g, err
}

// isWord reports whether a word, in lower case, can be a feature.
func isWord(word string) bool { return len(word) > 2 && !stopWords[word] }

var stopWords = func() map[string]bool {
	m := make(map[string]bool)
	for word := range strings.FieldsSeq("about above after all also and any are because been before being between both but by can " +
		"could did does each either for from had has have her here how however into its itself may might more most must nor not " +
		"off one only onto other our out over own same shall should since some such than that the their them then there these they " +
		"this those though through thus too two under until upon use used uses using very was way were what when where whether " +
		"which while who whose why will with within without would yet you your package packages") {
		m[word] = true
	}
	return m
}()
