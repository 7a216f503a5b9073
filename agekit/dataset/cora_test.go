package dataset

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"os"
	"testing"

	"github.com/agekit/age/agekit/graph"
)

var update = flag.Bool("update", false, "rewrite cora.bin.gz from the original files")

// TestEmbeddedCora: the embedded copy of Cora is the graph of the original files, which the test
// needs on this machine. With the flag -update, it writes the embedded copy first.
func TestEmbeddedCora(t *testing.T) {
	s, err := catalogEntry("cora")
	if err != nil {
		t.Fatal(err)
	}
	contents, _, err := s.contents(context.Background(), Options{Offline: true})
	if err != nil {
		t.Skipf("the original files are not on this machine: set AGEKIT_DATA (%v)", err)
	}
	want, err := readPlanetoid(contents)
	if err != nil {
		t.Fatal(err)
	}
	packed, err := packCora(want)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("cora.bin.gz", packed, 0o644); err != nil {
			t.Fatal(err)
		}
		coraCompact = packed
	}
	got, err := unpackCora(coraCompact)
	if err != nil {
		t.Fatal(err)
	}
	if got.Fingerprint() != want.Fingerprint() || got.ListedEdges != want.ListedEdges {
		t.Errorf("embedded Cora differs from the original files: run go generate")
	}
	t.Logf("the embedded copy has %d bytes", len(coraCompact))
}

// packCora packs the graph in the format that unpackCora reads.
func packCora(g *graph.Graph) ([]byte, error) {
	x := g.Features.Sparse
	var b []byte
	for _, v := range append([]int{g.N(), x.Cols, g.Classes, g.ListedEdges}, g.Labels...) {
		b = binary.AppendUvarint(b, uint64(v))
	}
	for i := range g.N() {
		neighbors, _ := g.Adjacency.Row(i)
		for len(neighbors) > 0 && int(neighbors[0]) < i { // the other end lists this edge
			neighbors = neighbors[1:]
		}
		b = appendRow(b, neighbors)
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

// appendRow appends to b the length of a row and the differences between its columns.
func appendRow(b []byte, columns []int32) []byte {
	b = binary.AppendUvarint(b, uint64(len(columns)))
	last := int32(0)
	for _, j := range columns {
		b = binary.AppendUvarint(b, uint64(j-last))
		last = j
	}
	return b
}
