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
	links       []string // names that the document links to; documentGraph ignores names of no document
	words       []string // in increasing order, each once
}

// documentGraph makes a graph whose nodes are the documents, in their order. An edge joins a
// document with each document that it links to. The binary features are the words that occur in
// minDocuments documents or more. Classes with fewer than minClass documents, and the class "",
// form the class "other".
func documentGraph(documents []document, minDocuments, minClass int) (*graph.Graph, error) {
	nodeOf := map[string]int32{}   // the node of each document, by its name
	wordCounts := map[string]int{} // the number of documents with each word
	classSizes := map[string]int{} // the number of documents in each class
	for i, d := range documents {
		nodeOf[d.name] = int32(i)
		classSizes[d.class]++
		for _, w := range d.words {
			wordCounts[w]++
		}
	}
	maps.DeleteFunc(wordCounts, func(_ string, count int) bool { return count < minDocuments })
	maps.DeleteFunc(classSizes, func(class string, count int) bool { return count < minClass || class == "" })
	vocabulary, classes := slices.Sorted(maps.Keys(wordCounts)), slices.Sorted(maps.Keys(classSizes))
	other := len(classes)          // the number of the class "other", the last
	columnOf := map[string]int32{} // the column of each word
	for j, w := range vocabulary {
		columnOf[w] = int32(j)
	}
	var u, v []int32 // the ends of each edge
	x := &graph.CSR{Rows: len(documents), Cols: len(vocabulary), Indptr: []int{0}}
	g := &graph.Graph{Features: graph.Features{Sparse: x}, FeatureNames: vocabulary, ClassNames: classes}
	for i, d := range documents {
		class, ok := slices.BinarySearch(classes, d.class)
		if !ok {
			class = other
		}
		g.NodeNames, g.Labels = append(g.NodeNames, d.name), append(g.Labels, class)
		for _, name := range d.links {
			if j, ok := nodeOf[name]; ok {
				u, v = append(u, int32(i)), append(v, j)
			}
		}
		for _, w := range d.words { // in increasing order, so the columns are, too
			if j, ok := columnOf[w]; ok {
				x.Indices = append(x.Indices, j)
			}
		}
		x.Indptr = append(x.Indptr, len(x.Indices))
	}
	if slices.Contains(g.Labels, other) {
		g.ClassNames = append(g.ClassNames, "other")
	}
	g.Classes, g.ListedEdges = len(g.ClassNames), len(u)
	var err error
	g.Adjacency, err = graph.Adjacency(len(documents), u, v, nil)
	return g, err
}

// isWord reports whether a word, in lower case, can be a feature: it has 3 bytes or more and is no
// stop word.
func isWord(word string) bool { return len(word) > 2 && !stopWords[word] }

// stopWords are frequent English words that say nothing about a document's subject.
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
