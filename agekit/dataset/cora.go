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
	s.substitute = func(_ Options, name string) (FileStatus, bool) { return FileStatus{File: name, State: Embedded}, true }
	register(s)
}

//go:generate go test -run TestEmbeddedCora -update .

// coraCompact is Cora of the Planetoid files, in the format of unpackCora.
//
//go:embed cora.bin.gz
var coraCompact []byte

// loadCora reads Cora's files in opts.Dir if any is there, and else the embedded copy.
func loadCora(ctx context.Context, s *source, _ string, opts Options) (*graph.Graph, error) {
	if opts.Dir != "" {
		for _, f := range s.files {
			for _, p := range f.places(opts.Dir) {
				if _, err := os.Stat(p); err == nil {
					return loadPlanetoid(ctx, s, "", opts)
				}
			}
		}
	}
	return unpackCora(coraCompact)
}

// unpackCora reads a graph with binary features from gzipped varints: n, f, the numbers of
// classes and of listed edges; each node's label; each node's neighbors with higher
// numbers; and each node's features. Neighbors and features are a count, then the
// differences between consecutive numbers.
func unpackCora(packed []byte) (*graph.Graph, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	number := func() int {
		v, size := binary.Uvarint(data)
		data = data[size:]
		return int(v)
	}
	row := func() []int32 {
		columns, last := make([]int32, number()), int32(0)
		for k := range columns {
			last += int32(number())
			columns[k] = last
		}
		return columns
	}
	n, f := number(), number()
	g := &graph.Graph{Classes: number(), ListedEdges: number(), Labels: make([]int, n)}
	for i := range g.Labels {
		g.Labels[i] = number()
	}
	var citing, cited []int32
	for i := range n {
		for _, j := range row() {
			citing, cited = append(citing, int32(i)), append(cited, j)
		}
	}
	x := &graph.CSR{Rows: n, Cols: f, Indptr: make([]int, 1, n+1)}
	for range n {
		x.Indices = append(x.Indices, row()...)
		x.Indptr = append(x.Indptr, len(x.Indices))
	}
	g.Features.Sparse = x
	g.Adjacency, err = graph.Adjacency(n, citing, cited, nil)
	return g, err
}
