package dataset

import (
	"bytes"
	"context"
	"fmt"
	"path"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/limit"
	"github.com/agekit/age/internal/lines"
)

const (
	planetoidURL  = "https://raw.githubusercontent.com/kimiyoung/planetoid/master/data/"
	planetoidCite = "Sen et al., Collective Classification in Network Data, AI Magazine 29(3), 2008; " +
		"split and features as in Yang et al., Revisiting Semi-Supervised Learning with Graph Embeddings, ICML 2016"
)

// The files of a Planetoid data set, in the order of its entry. The files
// x and y are not read: they hold the first rows of allx and ally.
const (
	fileAllX = iota
	fileAllY
	fileTX
	fileTY
	fileGraph
	fileTestIndex
)

func loadPlanetoid(ctx context.Context, s *source, _ string, opts Options) (*graph.Graph, error) {
	contents, _, err := s.gather(ctx, opts)
	if err != nil {
		return nil, err
	}
	return readPlanetoid(s.files, contents)
}

// readPlanetoid assembles a Planetoid data set. Node i < rows(allx) is row i
// of allx and ally; row i of tx and ty is node test.index[i]. A node in
// neither group (Citeseer has 15) gets no features and class 0, as in the code
// published with the paper. Every edge is listed at both endpoints, so the
// paper's number of edges is half the number of list entries, rounded up.
func readPlanetoid(files []file, contents [][]byte) (*graph.Graph, error) {
	p := planetoidParts{}
	for k, read := range []func([]byte) error{
		fileAllX: func(b []byte) (err error) { p.allX, err = readPickledMatrix(b); return },
		fileAllY: func(b []byte) (err error) { p.allY, p.classes, err = readPickledOneHot(b); return },
		fileTX:   func(b []byte) (err error) { p.testX, err = readPickledMatrix(b); return },
		fileTY: func(b []byte) (err error) {
			var classes int
			if p.testY, classes, err = readPickledOneHot(b); err == nil && classes != p.classes {
				err = fmt.Errorf("has %d classes, %s has %d", classes, path.Base(files[fileAllY].name), p.classes)
			}
			return
		},
		fileGraph: func(b []byte) (err error) { p.u, p.v, p.nodes, err = readPickledGraph(b); return },
		fileTestIndex: func(b []byte) (err error) {
			p.testIndex, err = readTestIndex(b, path.Base(files[fileTestIndex].name))
			return
		},
	} {
		if err := read(contents[k]); err != nil {
			return nil, fmt.Errorf("%s: %w", files[k].name, err)
		}
	}
	return p.assemble()
}

// planetoidParts holds the contents of the files.
type planetoidParts struct {
	allX, testX *graph.CSR
	allY, testY []int
	classes     int
	u, v        []int32
	nodes       int // keys of the dict of lists
	testIndex   []int
}

func (p *planetoidParts) assemble() (*graph.Graph, error) {
	known, tests, n := p.allX.Rows, len(p.testIndex), p.nodes
	switch {
	case len(p.allY) != known:
		return nil, fmt.Errorf("allx has %d rows, ally has %d", known, len(p.allY))
	case p.testX.Rows != tests || len(p.testY) != tests:
		return nil, fmt.Errorf("test.index has %d lines, tx has %d rows, ty has %d", tests, p.testX.Rows, len(p.testY))
	case p.testX.Cols != p.allX.Cols:
		return nil, fmt.Errorf("allx has %d columns, tx has %d", p.allX.Cols, p.testX.Cols)
	case n < known+tests:
		return nil, fmt.Errorf("graph has %d nodes, allx and tx together have %d rows", n, known+tests)
	}
	testRow := make([]int, n) // 1 + the row of tx, or 0
	for row, node := range p.testIndex {
		if node < known || node >= n || testRow[node] != 0 {
			return nil, fmt.Errorf("test.index:%d: node %d, want each from %d to %d at most once", row+1, node, known, n-1)
		}
		testRow[node] = row + 1
	}

	x := &graph.CSR{Rows: n, Cols: p.allX.Cols, Indptr: make([]int, 1, n+1)}
	labels := make([]int, n)
	for i := range n {
		var columns []int32
		var values []float32
		switch {
		case i < known:
			columns, values = p.allX.Row(i)
			labels[i] = p.allY[i]
		case testRow[i] > 0:
			columns, values = p.testX.Row(testRow[i] - 1)
			labels[i] = p.testY[testRow[i]-1]
		}
		x.Indices = append(x.Indices, columns...)
		for k := range columns {
			v := float32(1)
			if values != nil {
				v = values[k]
			}
			x.Values = append(x.Values, v)
		}
		x.Indptr = append(x.Indptr, len(x.Indices))
	}
	a, err := graph.Adjacency(n, p.u, p.v, nil)
	if err != nil {
		return nil, err
	}
	return &graph.Graph{Adjacency: a, Features: graph.Features{Sparse: x.Canonical()}, Labels: labels,
		Classes: p.classes, ListedEdges: (len(p.u) + 1) / 2}, nil
}

// readTestIndex reads one node per line.
func readTestIndex(data []byte, name string) ([]int, error) {
	var index []int
	l := lines.NewReader(context.Background(), bytes.NewReader(data), name)
	for l.Next() {
		if err := l.Blank(); err != nil {
			return nil, err
		}
		i, ok := lines.ParseInt(l.Text())
		if !ok {
			return nil, l.Errorf("%s, want a node number", limit.Quote(l.Text()))
		}
		index = append(index, i)
	}
	return index, l.Err()
}
