package dataset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/readfile"
)

const wikiURL = "https://raw.githubusercontent.com/thunlp/AGE/master/data/"

func init() {
	register(&source{
		Info: Info{
			Name: "wiki", Title: "Wiki", Description: "2,405 Wikipedia pages, their links and tf-idf word weights, 17 categories",
			Source: wikiURL + "{graph,group,tfidf}.txt", Citation: "Yang et al., Network Representation Learning with Rich Text Information, IJCAI 2015",
		},
		url: wikiURL, load: loadWiki,
		files: []file{
			{"wiki/graph.txt", 162007, "3cdeb169eebca7bc59393da5b3aa030a3ccb7447379d10897df39fed7dde603a"},
			{"wiki/group.txt", 16636, "783708cb88bc7b785355a8cdefe9cdd94ad00171dda7d11328849b1a56d99f9e"},
			{"wiki/tfidf.txt", 26362801, "a475c9fec88f147d0a9a3ed45d2adfccbb0fdd8227f328b1a7d9c1238843ee43"},
		},
	})
}

// loadWiki is the load function of wiki (see source.load), which has no parameters: it finds or
// downloads the files of s and assembles the graph.
func loadWiki(ctx context.Context, s *source, _ string, opts Options) (*graph.Graph, error) {
	contents, _, err := s.contents(ctx, opts)
	if err != nil {
		return nil, err
	}
	return readWiki(contents)
}

// readWiki assembles the Wiki data set from the contents of three files: graph.txt, with lines
// "node node", group.txt, with "node class" for the nodes 0, 1, … in order, and tfidf.txt, with
// "node column value". The classes are the ids in group.txt, in increasing order. The number of
// features is the largest column plus 1. The values of a column are divided by their maximum.
// This is the min–max scaling of the paper's code: every column's minimum is 0, since some pages
// have no words.
func readWiki(contents [][]byte) (*graph.Graph, error) {
	var values []float32 // the third column of tfidf.txt
	edges, err1 := readColumns(contents[0], "graph.txt", 2, nil)
	groups, err2 := readColumns(contents[1], "group.txt", 2, nil)
	words, err3 := readColumns(contents[2], "tfidf.txt", 2, &values)
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	g := &graph.Graph{ListedEdges: len(edges[0])}
	for _, class := range groups[1] {
		g.Labels = append(g.Labels, int(class))
	}
	g.Labels, g.ClassNames = graph.NumberClasses(g.Labels)
	g.Classes = len(g.ClassNames)
	nodes, columns := words[0], words[1]
	largest := make([]float32, slices.Max(columns)+1) // the maximum of each column
	for k, j := range columns {
		largest[j] = max(largest[j], values[k])
	}
	entries := make([]graph.Entry, len(values))
	for k, j := range columns {
		entries[k] = graph.Entry{Row: nodes[k], Col: j, Value: values[k] / largest[j]}
	}
	g.Features.Sparse = graph.FromEntries(len(g.Labels), len(largest), entries)
	var err error
	g.Adjacency, err = graph.Adjacency(len(g.Labels), edges[0], edges[1], nil)
	return g, err
}

// readColumns reads a text whose lines begin with count whole numbers, 0 or more, and returns
// these numbers column by column. Unless values is nil, another number follows in each line, which
// readColumns appends to values. The name of the file is for errors.
func readColumns(data []byte, name string, count int, values *[]float32) (columns [][]int32, err error) {
	columns = make([][]int32, count)
	lineNumber := 0
	for line := range bytes.Lines(data) {
		lineNumber++
		fields := bytes.Fields(line)
		for k := range columns {
			v, err := strconv.ParseUint(string(fields[k]), 10, 31)
			if err != nil {
				return nil, fmt.Errorf("%s:%d: column %d is %s, want a whole number", name, lineNumber, k+1, message.Quote(fields[k]))
			}
			columns[k] = append(columns[k], int32(v))
		}
		if values != nil {
			v, err := readfile.ParseFloat(fields[count])
			if err != nil {
				return nil, fmt.Errorf("%s:%d: value %w", name, lineNumber, err)
			}
			*values = append(*values, v)
		}
	}
	return columns, nil
}
