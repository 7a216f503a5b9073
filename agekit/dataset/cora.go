package dataset

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"

	"github.com/agekit/age/agekit/graph"
)

//go:generate go test -run TestEmbeddedCora -update .

// coraCompact is Cora as distributed in the Planetoid files, in the format of
// packCora. Source: kimiyoung/planetoid, data/ind.cora.*; the data are from
// Sen et al., "Collective Classification in Network Data", AI Magazine 29(3),
// 2008, in the node order of Yang et al., ICML 2016.
//
//go:embed cora.bin.gz
var coraCompact []byte

// loadCora reads Cora's files from opts.Dir if any of them is there, and the
// embedded copy otherwise.
func loadCora(ctx context.Context, s *source, _ string, opts Options) (*graph.Graph, error) {
	if opts.Dir != "" {
		for _, file := range s.files {
			for _, p := range []string{filepath.Join(opts.Dir, filepath.FromSlash(file)), filepath.Join(opts.Dir, path.Base(file))} {
				if _, err := os.Stat(p); err == nil {
					return loadPlanetoid(ctx, s, "", opts)
				}
			}
		}
	}
	return unpackCora(coraCompact)
}

// packCora writes a graph with binary features and labels as gzipped varints:
// n, f, the number of classes and the number of listed edges; each node's
// label; each node's neighbors with higher numbers; and each node's features.
// Neighbors and features are stored as a count followed by the differences
// between consecutive numbers.
func packCora(g *graph.Graph) ([]byte, error) {
	x := g.Features.Sparse
	var b []byte
	for _, v := range append([]int{g.N(), x.Cols, g.Classes, g.ListedEdges}, g.Labels...) {
		b = binary.AppendUvarint(b, uint64(v))
	}
	for i := range g.N() {
		columns, _ := g.Adjacency.Row(i)
		for len(columns) > 0 && int(columns[0]) < i {
			columns = columns[1:]
		}
		b = appendRow(b, columns)
	}
	for i := range g.N() {
		columns, _ := x.Row(i)
		b = appendRow(b, columns)
	}
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(b)
	err = errors.Join(err, w.Close())
	return out.Bytes(), err
}

func appendRow(b []byte, columns []int32) []byte {
	b = binary.AppendUvarint(b, uint64(len(columns)))
	last := int32(0)
	for _, j := range columns {
		b = binary.AppendUvarint(b, uint64(j-last))
		last = j
	}
	return b
}

// unpackCora is the inverse of packCora.
func unpackCora(data []byte) (*graph.Graph, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	u := unpacker{bytes.NewReader(raw), nil}
	n, f := u.int(), u.int()
	g := &graph.Graph{Classes: u.int(), ListedEdges: u.int(), Labels: make([]int, n)}
	for i := range g.Labels {
		g.Labels[i] = u.int()
	}
	var from, to []int32
	for i := range n {
		for _, j := range u.row() {
			from, to = append(from, int32(i)), append(to, j)
		}
	}
	x := &graph.CSR{Rows: n, Cols: f, Indptr: make([]int, 1, n+1)}
	for range n {
		x.Indices = append(x.Indices, u.row()...)
		x.Indptr = append(x.Indptr, len(x.Indices))
	}
	if u.err != nil || u.r.Len() > 0 {
		return nil, fmt.Errorf("embedded copy is damaged: %w, %d bytes left", u.err, u.r.Len())
	}
	g.Features.Sparse = x
	g.Adjacency, err = graph.Adjacency(n, from, to, nil)
	return g, err
}

// unpacker reads varints and keeps the first error.
type unpacker struct {
	r   *bytes.Reader
	err error
}

func (u *unpacker) int() int {
	v, err := binary.ReadUvarint(u.r)
	u.err = errors.Join(u.err, err)
	return int(v)
}

func (u *unpacker) row() []int32 {
	columns := make([]int32, u.int())
	last := int32(0)
	for k := range columns {
		last += int32(u.int())
		columns[k] = last
	}
	return columns
}
