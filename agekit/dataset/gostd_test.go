package dataset

import (
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestGoStdImports: the nodes and edges are the packages and imports that the go command lists for
// the same platform.
func TestGoStdImports(t *testing.T) {
	g, err := Load(t.Context(), "gostd", Options{})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "list", "-f", "{{if or .GoFiles .CgoFiles}}{{.ImportPath}} {{join .Imports \" \"}}{{end}}", "std")
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=1", "GOEXPERIMENT=none", "GOFLAGS=", "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("go list std: %v", err)
	}
	imports := make(map[string][]string)
	for line := range strings.Lines(string(out)) {
		field := strings.Fields(line)
		if !strings.HasPrefix(field[0], "vendor/") {
			imports[field[0]] = field[1:]
		}
	}
	if len(imports) != g.N() {
		t.Errorf("%d packages, go list has %d", g.N(), len(imports))
	}
	listed := 0 // imports of one package of the graph by another
	for i, path := range g.NodeNames {
		want, ok := imports[path]
		if !ok {
			t.Errorf("package %s is not in go list std", path)
		}
		for _, other := range want {
			if j, ok := slices.BinarySearch(g.NodeNames, other); ok {
				listed++
				if g.Adjacency.At(i, j) != 1 || g.Adjacency.At(j, i) != 1 {
					t.Errorf("%s imports %s: no edge", path, other)
				}
			}
		}
	}
	if g.ListedEdges != listed {
		t.Errorf("%d imports, go list has %d", g.ListedEdges, listed)
	}
	// Imports have no cycles, so each one is a distinct edge.
	if g.Edges() != listed {
		t.Errorf("%d edges, go list has %d imports", g.Edges(), listed)
	}
}

// TestGoStdWordsAndClasses: the class of a package is its top-level directory or "other". Each class
// has goStdMinClass packages or more, and each word is in goStdMinPackages or more.
func TestGoStdWordsAndClasses(t *testing.T) {
	g, err := Load(t.Context(), "gostd", Options{})
	if err != nil {
		t.Fatal(err)
	}
	sizes := make([]int, g.Classes)
	for i, path := range g.NodeNames {
		class := g.ClassNames[g.Labels[i]]
		sizes[g.Labels[i]]++
		if top, _, _ := strings.Cut(path, "/"); class != top && class != "other" {
			t.Errorf("%s is in class %s", path, class)
		}
	}
	if smallest := slices.Min(sizes); smallest < goStdMinClass {
		t.Errorf("class sizes %v, want at least %d", sizes, goStdMinClass)
	}
	perWord := g.Features.Sparse.Transpose()
	for j := range perWord.Rows {
		if packages := perWord.Indptr[j+1] - perWord.Indptr[j]; packages < goStdMinPackages {
			t.Errorf("word %d is in %d packages, want at least %d", j, packages, goStdMinPackages)
		}
	}
}

// TestAddWords: a text with names gives the words that were found by hand: it is split before
// capitals and at non-letters, and stop words ("the", "at") and words of two letters are left out.
func TestAddWords(t *testing.T) {
	words := map[string]bool{}
	addWords(words, "ReadAtLeast HTTPServer; the ErrBadPattern-like UTF8 json2Go écrit an io.EOF")
	got := slices.Sorted(maps.Keys(words))
	want := []string{"bad", "eof", "err", "http", "json", "least", "like", "pattern", "read", "server", "utf", "écrit"}
	if !slices.Equal(got, want) {
		t.Errorf("words %q, want %q", got, want)
	}
}

// TestGoStdStops: scanPackages returns context.Canceled for a canceled context, and os.ErrNotExist
// for a folder that does not exist.
func TestGoStdStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	root, err := goRoot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := scanPackages(ctx, root+"/src"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	if _, err := scanPackages(t.Context(), t.TempDir()+"/none"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want that the folder does not exist", err)
	}
}
