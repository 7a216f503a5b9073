package dataset

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"encoding/binary"
	"io"
	"os"

	"github.com/agekit/age/agekit/graph"
)

func init() {
	s := planetoid("cora", "Cora", "2,708 machine learning papers, their citations and words, 7 topics; embedded, no file needed",
		[]string{"Theory", "Reinforcement Learning", "Genetic Algorithms", "Neural Networks", "Probabilistic Methods", "Case Based", "Rule Learning"}, []file{
			{"allx", 257305, "9419ba2f26f5c35243db64aba110e0f35a04851609e0dc5433450676ca6b8543"},
			{"ally", 47959, "2b998f5cc7fedc86e7f97ca2498f47a1ffc1462c29e2d578b23bf3f62b6e7d71"},
			{"tx", 148025, "b9afbaa4a400df991f6f02ef677e1e44da55ffc04801fd02f9e673987829226a"},
			{"ty", 28135, "41f5ac76596a1699cc33f53084a2419e92961c42bb75f36fc38e616d348532ad"},
			{"graph", 59847, "58f13302f39dde8852dad6fe6d15b89b077b6d7f837626bce671ef80344b383d"},
			{"test.index", 5000, "297ce89af2b51a6a194181c7dbe1796c6a1cf9cd9349a88383b1b1e227867875"},
		})
	s.load = loadCora
	// The copy in the program replaces each file that is missing.
	s.substitute = func(_ Options, name string) (FileStatus, bool) { return FileStatus{File: name, State: Embedded}, true }
	register(s)
}

//go:generate go test -run TestEmbeddedCora -update .

// coraCompact is the data set Cora, made from its Planetoid files, in the format that unpackCora reads.
//
//go:embed cora.bin.gz
var coraCompact []byte

// loadCora is the load function of Cora (see source.load), which has no parameters. If opts.Dir
// has at least one of Cora's files, valid or not, loadCora reads all of them as loadPlanetoid
// does. Otherwise it returns the embedded copy.
func loadCora(ctx context.Context, s *source, noParams string, opts Options) (*graph.Graph, error) {
	if opts.Dir != "" {
		for _, f := range s.files {
			for _, path := range f.places(opts.Dir) {
				if _, err := os.Stat(path); err == nil {
					return loadPlanetoid(ctx, s, noParams, opts)
				}
			}
		}
	}
	return unpackCora(coraCompact)
}

// unpackCora reads a graph with binary features from packed, gzipped varints, in this order:
// the numbers of nodes, of features, of classes and of listed edges; the label of each node;
// for each node the row of its neighbors with higher numbers; for each node the row of its
// features. A row is its length, then the difference of each number from the one before.
func unpackCora(packed []byte) (*graph.Graph, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	next := func() int { // takes the next number from data
		v, size := binary.Uvarint(data)
		data = data[size:]
		return int(v)
	}
	nextRow := func() []int32 {
		columns := make([]int32, next())
		last := int32(0)
		for k := range columns {
			last += int32(next())
			columns[k] = last
		}
		return columns
	}
	n := next()
	f := next()
	g := &graph.Graph{Labels: make([]int, n)}
	g.Classes = next()
	g.ListedEdges = next()
	for i := range g.Labels {
		g.Labels[i] = next()
	}
	var citing, cited []int32
	for i := range n {
		for _, j := range nextRow() {
			citing, cited = append(citing, int32(i)), append(cited, j)
		}
	}
	x := &graph.CSR{Rows: n, Cols: f, Indptr: make([]int, 1, n+1)}
	for range n {
		x.Indices = append(x.Indices, nextRow()...)
		x.Indptr = append(x.Indptr, len(x.Indices))
	}
	g.Features.Sparse = x
	g.Adjacency, err = graph.Adjacency(n, citing, cited, nil)
	return g, err
}
