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

// tiny returns the files, without pins, and their contents of a Planetoid data set with 6 nodes, 3
// features and 2 classes: the nodes 0 and 1 are in allx and ally, the test nodes 4, 5 and 2 (in
// that order) in tx and ty, and node 3 in neither.
func tiny() (unpinned []file, contents [][]byte) {
	for _, suffix := range []string{"allx", "ally", "tx", "ty", "graph", "test.index"} {
		unpinned = append(unpinned, file{name: "tiny/ind.tiny." + suffix})
	}
	const features, classes = 3, 2
	contents = make([][]byte, len(unpinned))
	contents[fileAllX] = pickleMatrix(2, features, []int32{0, 2, 3}, []int32{2, 0, 1}, []float32{1, 1, 1})
	contents[fileAllY] = pickleOneHot(2, classes, []int32{0, 1, 1, 0})
	contents[fileTX] = pickleMatrix(3, features, []int32{0, 1, 3, 3}, []int32{0, 1, 2}, []float32{1, 1, 0})
	contents[fileTY] = pickleOneHot(3, classes, []int32{0, 1, 0, 1, 1, 0})
	// Edge 0–1 is listed twice at each end, the edges 0–2 and 2–5 once, and a self loop at 4 once.
	contents[fileGraph] = pickleGraph([]int{1, 1, 2}, []int{0, 0}, []int{0, 5}, nil, []int{4}, []int{2})
	contents[fileTestIndex] = []byte("4\n5\n2\n")
	return unpinned, contents
}

// TestReadPlanetoid: the pickles of tiny give the features, classes and edges that were found by hand.
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
	if g.ListedEdges != 5 { // half of 9 entries, rounded up
		t.Errorf("%d listed edges, want 5", g.ListedEdges)
	}
}

// TestEveryByteChanged: a file with any one byte changed, or cut off at any byte, is damaged, and its
// content is not returned.
func TestEveryByteChanged(t *testing.T) {
	s, files := addTiny(t)
	cache := emptyPlaces(t)
	for k, f := range s.files {
		whole := files[path.Base(f.name)]
		for offset := range whole {
			changed := bytes.Clone(whole)
			changed[offset] ^= 1
			for _, content := range [][]byte{changed, whole[:offset]} {
				write(t, filepath.Join(cache, f.name), content)
				if data, st := (Options{}).locate(s, s.files[k]); data != nil || st.State != Damaged {
					t.Fatalf("%s, byte %d: %+v", f.name, offset, st)
				}
			}
		}
	}
}

// TestUnexpectedPickle: a pickle of another type than is expected, here a dict in place of a matrix,
// is an error, and no panic.
func TestUnexpectedPickle(t *testing.T) {
	_, contents := tiny()
	contents[fileAllX] = contents[fileGraph]
	if _, err := readPlanetoid(contents); err == nil || !strings.Contains(err.Error(), "unexpected pickle: ") {
		t.Errorf("error %v", err)
	}
}
