package dataset

import (
	"bytes"
	"fmt"
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

func TestReadPlanetoid(t *testing.T) {
	names, contents := tiny()
	g, err := readPlanetoid(names, contents)
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

func TestPlanetoidRefuses(t *testing.T) {
	arrays := func(p *pickler) { p.array("f4", []int{2}, []float32{1, 2}) }
	foreign := newPickle()
	arrays(foreign)
	foreign.global("os", "system")
	foreign.tuple(func() { foreign.string("false") })
	foreign.WriteByte('R')
	huge := append([]byte("\x80\x02T\xff\xff\xff\x7f"), 'x')
	shared := newPickle() // one list of 2,000 entries under 2,000 keys
	shared.WriteString("}(")
	shared.int(0)
	shared.WriteString("](")
	for range 2000 {
		shared.WriteString("K\x01")
	}
	shared.WriteString("eq\x07")
	for range 2000 {
		shared.WriteString("K\x01h\x07")
	}
	shared.WriteByte('u')
	whole := pickleOneHot(2, 2, []int32{0, 1, 1, 0})

	for _, test := range []struct {
		name, want string
		file       int
		content    []byte
	}{
		{"foreign global", fmt.Sprintf("ind.tiny.allx: byte %d: names the global \"os.system\"", bytes.Index(foreign.Bytes(), []byte("cos\n"))), fileAllX, foreign.end()},
		{"foreign global of the library", `names the global "collections.OrderedDict"`, fileGraph, []byte("\x80\x02ccollections\nOrderedDict\n)R.")},
		{"empty", "ind.tiny.allx: byte 0: the file ends", fileAllX, nil},
		{"truncated within a string", "ind.tiny.ally: byte", fileAllY, whole[:len(whole)-10]},
		{"truncated between", "ends before the pickle does", fileAllY, whole[:len(whole)-1]},
		{"more after the end", "3 bytes follow", fileAllY, append(slices.Clone(whole), "abc"...)},
		{"length beyond the file", "want 2147483651 more bytes, the file ends after 5", fileTX, huge},
		{"opcode of a newer protocol", "opcode 0x95", fileTX, []byte("\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\x7f.")},
		{"nothing on the stack", "damaged pickle", fileTX, []byte("\x80\x02R.")},
		{"odd number of items", "damaged pickle", fileGraph, []byte("\x80\x02}(K\x01u.")},
		{"wrong object", "want a CSR matrix", fileAllX, whole},
		{"wrong object", "want a dict of lists", fileGraph, whole},
		{"wrong object", "want an array", fileTY, pickleGraph(nil)},
		{"missing content", "row pointers, want one more than rows", fileAllX, pickleMatrix(3, 3, []int32{0, 0}, nil, nil)},
		{"column out of range", "row 1: column 3, want 0 to 2", fileAllX, pickleMatrix(2, 3, []int32{0, 0, 1}, []int32{3}, []float32{1})},
		{"row pointer", "row pointer goes from 2 to 1", fileAllX, pickleMatrix(3, 3, []int32{0, 2, 1, 2}, []int32{0, 0}, []float32{1, 1})},
		{"huge matrix", "-1 columns, want 0 to", fileAllX, pickleMatrix(1, -1, []int32{0, 0}, nil, nil)},
		{"shape and content", "16 bytes of values for shape (3, 2) and type int32: want 24", fileAllY, pickleOneHot(3, 2, []int32{0, 1, 1, 0})},
		{"list that contains itself", "node 0: neighbor list, want a node", fileGraph, []byte("\x80\x02}(K\x00]q\x07h\x07au.")},
		{"list as key", "entry of list and int, want a node and a list", fileGraph, []byte("\x80\x02}(]q\x07h\x07aK\x00u.")},
		{"shared lists", "more neighbors than the file has bytes", fileGraph, shared.end()},
		{"neighbor out of range", "node 6, want 0 to 5", fileGraph, pickleGraph([]int{6}, nil, nil, nil, nil, nil)},
		{"too few nodes", "graph has 4 nodes, allx and tx together have 5 rows", fileGraph, pickleGraph(nil, nil, nil, nil)},
		{"not a number", `ind.tiny.test.index:2: "x", want a node number`, fileTestIndex, []byte("4\nx\n2\n")},
		{"test node twice", "test.index:2: node 4", fileTestIndex, []byte("4\n4\n2\n")},
		{"test node out of range", "test.index:1: node 1, want each from 2 to 5", fileTestIndex, []byte("1\n4\n2\n")},
		{"too few test nodes", "test.index has 2 lines, tx has 3 rows", fileTestIndex, []byte("4\n2\n")},
		{"other classes", "ind.tiny.ty: has 3 classes, ind.tiny.ally has 2", fileTY, pickleOneHot(1, 3, []int32{0, 0, 1})},
	} {
		t.Run(test.name, func(t *testing.T) {
			names, contents := tiny()
			contents[test.file] = test.content
			_, err := readPlanetoid(names, contents)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

// TestEveryTruncation truncates each file at every byte, which must always
// give an error.
func TestEveryTruncation(t *testing.T) {
	names, whole := tiny()
	for file := range fileTestIndex {
		for cut := range whole[file] {
			contents := slices.Clone(whole)
			contents[file] = contents[file][:cut]
			if _, err := readPlanetoid(names, contents); err == nil || !strings.Contains(err.Error(), names[file].name) {
				t.Fatalf("%s cut to %d bytes: error %v, want one that names the file", names[file].name, cut, err)
			}
		}
	}
}

// TestEveryByteChanged corrupts each file at every byte, which must give an
// error or a valid graph, never a panic.
func TestEveryByteChanged(t *testing.T) {
	names, whole := tiny()
	refused := 0
	for file := range whole {
		for at := range whole[file] {
			for _, mask := range []byte{0x01, 0xff} {
				contents := slices.Clone(whole)
				contents[file] = bytes.Clone(contents[file])
				contents[file][at] ^= mask
				g, err := readPlanetoid(names, contents)
				if err != nil {
					refused++
					continue
				}
				if err := g.Adjacency.Validate(); err != nil {
					t.Fatalf("%s, byte %d: %v", names[file].name, at, err)
				}
			}
		}
	}
	if refused == 0 {
		t.Error("no damage was noticed")
	}
}

// TestPubmed reads the parts of Pubmed that are available.
func TestPubmed(t *testing.T) {
	s, err := find("pubmed")
	if err != nil {
		t.Fatal(err)
	}
	data, st := Options{}.locate(s, s.files[fileGraph])
	if data == nil {
		t.Skip(st.Problem)
	}
	u, v, n, err := readPickledGraph(data)
	if err != nil {
		t.Fatal(err)
	}
	a, err := graph.Adjacency(n, u, v, nil)
	if err != nil {
		t.Fatal(err)
	}
	if listed := (len(u) + 1) / 2; n != 19717 || listed != 44338 || a.NNZ()/2 != 44324 {
		t.Errorf("%d nodes, %d listed and %d distinct edges, want 19717, 44338 and 44324", n, listed, a.NNZ()/2)
	}
	_, err = Load(t.Context(), "pubmed", Options{Offline: true})
	if _, missing := (Options{}).locate(s, s.files[fileAllX]); missing.State == Missing {
		if err == nil || !strings.Contains(err.Error(), "1 of 6 files") || !strings.Contains(err.Error(), "pubmed/ind.pubmed.allx: missing") ||
			!strings.Contains(err.Error(), planetoidURL+"ind.pubmed.allx") {
			t.Errorf("error %v, want one that names the missing file and its address", err)
		}
	} else if err != nil {
		t.Error(err)
	}
}

// TestStandin compares the stand-in's graph with Pubmed's figures.
func TestStandin(t *testing.T) {
	g := load(t, "pubmed-standin")
	s := g.Stats()
	if s.Nodes != 19717 || s.Edges != 44324 || s.Features != 500 || s.Classes != 3 || s.Components != 1 || s.Isolated != 0 {
		t.Errorf("statistics %+v", s)
	}
	sizes := make([]int, 3)
	for _, c := range g.Labels {
		sizes[c]++
	}
	if !slices.Equal(sizes, []int{4103, 7739, 7875}) {
		t.Errorf("class sizes %v, want 4103, 7739 and 7875", sizes)
	}
}
