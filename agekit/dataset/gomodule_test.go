package dataset

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestGoModule: the packages of a small module, with a module inside that is left out.
func TestGoModule(t *testing.T) {
	dir := t.TempDir()
	put := func(path, text string) {
		t.Helper()
		path = filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	fails := func(want string) {
		t.Helper()
		if _, err := Load(t.Context(), "gomodule:"+dir, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	fails("has no go.mod: want the folder of a Go module")
	put("go.mod", "go 1.26\n")
	fails("names no module")
	put("go.mod", "module example.org/boats\n\ngo 1.26\n")
	put("boats.go", "// Package boats rows and sails boats.\npackage boats\n\nimport _ \"example.org/boats/sail\"\n")
	fails("module example.org/boats has 1 packages: want three or more")
	put("sail/sail.go", "// Package sail sails boats.\npackage sail\n\nimport _ \"fmt\"\n")
	put("cmd/row/main.go", "// Row rows boats.\npackage main\n\nimport _ \"example.org/boats\"\n\nfunc main() {}\n")
	put("sail/sail_test.go", "package sail\n")
	put("inner/go.mod", "module example.org/inner\n")
	put("inner/inner.go", "package inner\n")
	put("testdata/x.go", "no Go at all")
	g, err := Load(t.Context(), "gomodule:"+dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"example.org/boats", "example.org/boats/cmd/row", "example.org/boats/sail"}; !slices.Equal(g.NodeNames, want) || g.Name != "boats" || g.Labels != nil {
		t.Errorf("%s: packages %v, want %v", g.Name, g.NodeNames, want)
	}
	if g.Edges() != 2 || g.Adjacency.At(0, 2) != 1 || g.Adjacency.At(1, 0) != 1 || !slices.Equal(g.FeatureNames, []string{"boats"}) {
		t.Errorf("%d edges, words %v", g.Edges(), g.FeatureNames)
	}
	put("go.mod", "module example.org/boats\n\ngo 1.26\n\nignore (\n\tnode_modules\n\t./web/dist/\n)\n")
	put("node_modules/flat/f.go", "package flat\n")
	put("sail/node_modules/deep/d.go", "package deep\n")
	put("web/dist/gen/g.go", "package gen\n")
	put("cmd/web/dist/d.go", "package dist\n")
	if g, err = Load(t.Context(), "gomodule:"+dir, Options{}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"example.org/boats", "example.org/boats/cmd/row", "example.org/boats/cmd/web/dist", "example.org/boats/sail"}; !slices.Equal(g.NodeNames, want) {
		t.Errorf("packages %v, want %v without those that go.mod ignores", g.NodeNames, want)
	}
	put("sail/bad.go", "package")
	fails("package sail: ")
}
