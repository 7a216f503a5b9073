package dataset

import (
	"context"
	"errors"
	"fmt"

	"github.com/agekit/age/agekit/graph"
)

const (
	planetoidURL  = "https://raw.githubusercontent.com/kimiyoung/planetoid/master/data/"
	planetoidCite = "Sen et al., Collective Classification in Network Data, AI Magazine 29(3), 2008; " +
		"split and features as in Yang et al., Revisiting Semi-Supervised Learning with Graph Embeddings, ICML 2016"
)

// The files of a data set. Nobody needs x and y, the first rows of allx and ally.
const (
	fileAllX = iota
	fileAllY
	fileTX
	fileTY
	fileGraph
	fileTestIndex
)

// planetoid returns a data set of Planetoid; of the files' names, files has the ends.
func planetoid(name, title, description string, classes []string, files []file) *source {
	for k := range files {
		files[k].name = fmt.Sprintf("%s/ind.%s.%s", name, name, files[k].name)
	}
	return &source{
		Info: Info{Name: name, Title: title, Description: description, Source: planetoidURL + "ind." + name + ".*", Citation: planetoidCite},
		url:  planetoidURL, inWheel: true, load: loadPlanetoid, classes: classes, files: files,
	}
}

func loadPlanetoid(ctx context.Context, s *source, _ string, opts Options) (*graph.Graph, error) {
	contents, _, err := s.gather(ctx, opts)
	if err != nil {
		return nil, err
	}
	return readPlanetoid(contents)
}

// readPlanetoid assembles a Planetoid data set. Node i < rows(allx) is row i of allx and
// ally; row i of tx and ty is node test.index[i]. A node in neither group (Citeseer has
// 15) gets no features and class 0, as in the paper's code. Both ends list an edge, so the
// paper's number of edges is half the number of entries, rounded up.
func readPlanetoid(contents [][]byte) (*graph.Graph, error) {
	allX, err1 := readPickledMatrix(contents[fileAllX])
	allY, classes, err2 := readPickledOneHot(contents[fileAllY])
	testX, err3 := readPickledMatrix(contents[fileTX])
	testY, _, err4 := readPickledOneHot(contents[fileTY])
	u, v, n, err5 := readPickledGraph(contents[fileGraph])
	index, err6 := readColumns(contents[fileTestIndex], "test.index", 1, nil)
	if err := errors.Join(err1, err2, err3, err4, err5, err6); err != nil {
		return nil, err
	}
	testRow := make([]int, n) // 1 + the row of tx, or 0
	for row, node := range index[0] {
		testRow[node] = row + 1
	}
	x := &graph.CSR{Rows: n, Cols: allX.Cols, Indptr: make([]int, 1, n+1)}
	labels := make([]int, n)
	for i := range n {
		var columns []int32
		var values []float32 // nil in binary data sets
		if i < allX.Rows {
			columns, values = allX.Row(i)
			labels[i] = allY[i]
		} else if row := testRow[i] - 1; row >= 0 {
			columns, values = testX.Row(row)
			labels[i] = testY[row]
		}
		x.Indices, x.Values = append(x.Indices, columns...), append(x.Values, values...)
		x.Indptr = append(x.Indptr, len(x.Indices))
	}
	a, err := graph.Adjacency(n, u, v, nil)
	return &graph.Graph{Adjacency: a, Features: graph.Features{Sparse: x}, Labels: labels,
		Classes: classes, ListedEdges: (len(u) + 1) / 2}, err
}
