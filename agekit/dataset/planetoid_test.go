package dataset

import (
	"bytes"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/graph"
)

// tiny is a Planetoid data set of 6 nodes: 2 in allx and ally, the test nodes
// 4, 5 and 2 (in that order), and node 3, about which nothing is known.
func tiny() (names []file, contents [][]byte) {
	for _, suffix := range []string{"allx", "ally", "tx", "ty", "graph", "test.index"} {
		names = append(names, file{name: "tiny/ind.tiny." + suffix})
	}
	contents = make([][]byte, len(names))
	contents[fileAllX] = pickleMatrix(2, 3, []int32{0, 2, 3}, []int32{2, 0, 1}, []float32{1, 1, 1})
	contents[fileAllY] = pickleOneHot(2, 2, []int32{0, 1, 1, 0})
	contents[fileTX] = pickleMatrix(3, 3, []int32{0, 1, 3, 3}, []int32{0, 1, 2}, []float32{1, 1, 0})
	contents[fileTY] = pickleOneHot(3, 2, []int32{0, 1, 0, 1, 1, 0})
	// Edge 0–1 is listed twice at each endpoint, a self loop at 4 once.
	contents[fileGraph] = pickleGraph([]int{1, 1, 2}, []int{0, 0}, []int{0, 5}, nil, []int{4}, []int{2})
	contents[fileTestIndex] = []byte("4\n5\n2\n")
	return names, contents
}

// TestReadPlanetoid: pickles of a tiny data set, as Planetoid's are, give the graph that was packed, by hand.
func TestReadPlanetoid(t *testing.T) {
	_, contents := tiny()
	g, err := readPlanetoid(contents)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Validate(); err != nil {
		t.Fatal(err)
	}
	wantX := []float32{
		1, 0, 1,
		0, 1, 0,
		0, 0, 0, // third test row
		0, 0, 0, // unknown
		1, 0, 0, // first test row
		0, 1, 0, // second; its stored zero is dropped
	}
	if got := g.Features.ToDense().Data; !slices.Equal(got, wantX) {
		t.Errorf("features %v, want %v", got, wantX)
	}
	if x := g.Features.Sparse; x.NNZ() != 5 || x.Values != nil {
		t.Errorf("%d entries with values %v, want 5 without", x.NNZ(), x.Values)
	}
	if want := []int{1, 0, 0, 0, 1, 1}; !slices.Equal(g.Labels, want) {
		t.Errorf("labels %v, want %v", g.Labels, want)
	}
	wantA, err := graph.Adjacency(6, []int32{0, 0, 2}, []int32{1, 2, 5}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(g.Adjacency.Indices, wantA.Indices) || !slices.Equal(g.Adjacency.Indptr, wantA.Indptr) {
		t.Errorf("adjacency %v, want %v", g.Adjacency, wantA)
	}
	if g.ListedEdges != 5 { // 9 entries
		t.Errorf("%d listed edges, want 5", g.ListedEdges)
	}
}

// TestEveryByteChanged: a file with any byte changed or missing is refused before it is
// read.
func TestEveryByteChanged(t *testing.T) {
	s, files := addTiny(t)
	dir := emptyPlaces(t)
	for k, f := range s.files {
		whole := files[path.Base(f.name)]
		for offset := range whole {
			changed := bytes.Clone(whole)
			changed[offset] ^= 1
			for _, content := range [][]byte{changed, whole[:offset]} {
				write(t, filepath.Join(dir, f.name), content)
				if data, st := (Options{}).locate(s, s.files[k]); data != nil || st.State != Damaged {
					t.Fatalf("%s, byte %d: %+v", f.name, offset, st)
				}
			}
		}
	}
}

// TestUnexpectedPickle: what only a mistake in this package could read is an error.
func TestUnexpectedPickle(t *testing.T) {
	_, contents := tiny()
	contents[fileAllX] = contents[fileGraph]
	if _, err := readPlanetoid(contents); err == nil || !strings.Contains(err.Error(), "unexpected pickle: ") {
		t.Errorf("error %v", err)
	}
}
