package dataset

import (
	"bytes"
	"context"
	"slices"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/classes"
	"github.com/agekit/age/internal/limit"
	"github.com/agekit/age/internal/lines"
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

func loadWiki(ctx context.Context, s *source, _ string, opts Options) (*graph.Graph, error) {
	contents, _, err := s.gather(ctx, opts)
	if err != nil {
		return nil, err
	}
	return readWiki(s.files, contents)
}

// readWiki assembles the Wiki data set from the contents of graph.txt,
// group.txt and tfidf.txt. The number of nodes is the number of lines in
// group.txt. The classes are the ids in group.txt, in increasing order. Each
// feature column is divided by its maximum, which is the min–max scaling of
// the code published with the paper: every column's minimum is 0, since some
// pages have no words.
func readWiki(files []file, contents [][]byte) (*graph.Graph, error) {
	labels, classNames, err := readGroups(contents[1], files[1].name)
	if err != nil {
		return nil, err
	}
	n := len(labels)
	u, v, err := readPairs(contents[0], files[0].name, n)
	if err != nil {
		return nil, err
	}
	x, err := readTriples(contents[2], files[2].name, n)
	if err != nil {
		return nil, err
	}
	scaleColumns(x)
	a, err := graph.Adjacency(n, u, v, nil)
	if err != nil {
		return nil, err
	}
	return &graph.Graph{Adjacency: a, Features: graph.Features{Sparse: x}, Labels: labels,
		Classes: len(classNames), ClassNames: classNames, ListedEdges: len(u)}, nil
}

// readGroups reads lines "node class" with the nodes 0, 1, … in order.
func readGroups(data []byte, name string) (labels []int, classNames []string, err error) {
	l := lines.NewReader(context.Background(), bytes.NewReader(data), name)
	for l.Next() {
		node, rest := lines.CutField(l.Text())
		id, rest := lines.CutField(rest)
		i, ok1 := lines.ParseInt(node)
		c, ok2 := lines.ParseInt(id)
		if !ok1 || !ok2 || i != len(labels) || len(rest) > 0 {
			return nil, nil, l.Errorf("%s, want node %d and its class", limit.Quote(l.Text()), len(labels))
		}
		labels = append(labels, c)
	}
	labels, classNames = classes.Number(labels)
	return labels, classNames, l.Err()
}

// readPairs reads lines "node node".
func readPairs(data []byte, name string, n int) (u, v []int32, err error) {
	l := lines.NewReader(context.Background(), bytes.NewReader(data), name)
	for l.Next() {
		first, rest := lines.CutField(l.Text())
		second, rest := lines.CutField(rest)
		i, ok1 := lines.ParseInt(first)
		j, ok2 := lines.ParseInt(second)
		if !ok1 || !ok2 || len(rest) > 0 {
			return nil, nil, l.Errorf("%s, want two nodes", limit.Quote(l.Text()))
		}
		if max(i, j) >= n {
			return nil, nil, l.Errorf("node %d, want 0 to %d", max(i, j), n-1)
		}
		u, v = append(u, int32(i)), append(v, int32(j))
	}
	return u, v, l.Err()
}

// readTriples reads lines "node column value" into a matrix with n rows. The
// largest column that occurs determines the number of columns.
func readTriples(data []byte, name string, n int) (*graph.CSR, error) {
	var rows, columns []int32
	var values []float32
	x := &graph.CSR{Rows: n, Indptr: make([]int, n+1)}
	l := lines.NewReader(context.Background(), bytes.NewReader(data), name)
	for l.Next() {
		first, rest := lines.CutField(l.Text())
		second, rest := lines.CutField(rest)
		third, rest := lines.CutField(rest)
		i, ok1 := lines.ParseInt(first)
		j, ok2 := lines.ParseInt(second)
		if !ok1 || !ok2 || len(rest) > 0 {
			return nil, l.Errorf("%s, want node, column and value", limit.Quote(l.Text()))
		}
		if i >= n || j >= limit.Columns {
			return nil, l.Errorf("node %d, column %d, want at most %d and %d", i, j, n-1, limit.Columns-1)
		}
		value, err := lines.ParseFloat(third)
		if err != nil {
			return nil, l.Errorf("value %w", err)
		}
		rows, columns, values = append(rows, int32(i)), append(columns, int32(j)), append(values, value)
		x.Cols = max(x.Cols, j+1)
		x.Indptr[i+1]++
	}
	if err := l.Err(); err != nil {
		return nil, err
	}
	for i := range n {
		x.Indptr[i+1] += x.Indptr[i]
	}
	x.Indices, x.Values = make([]int32, len(rows)), make([]float32, len(rows))
	next := slices.Clone(x.Indptr)
	for k, i := range rows {
		x.Indices[next[i]], x.Values[next[i]] = columns[k], values[k]
		next[i]++
	}
	return x.Canonical(), nil
}

// scaleColumns divides each column by its maximum.
func scaleColumns(x *graph.CSR) {
	if x.Values == nil {
		return
	}
	top := make([]float32, x.Cols)
	for p, j := range x.Indices {
		top[j] = max(top[j], x.Values[p])
	}
	for p, j := range x.Indices {
		x.Values[p] /= top[j]
	}
}
