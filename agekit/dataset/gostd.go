package dataset

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/readfile"
	"github.com/agekit/age/internal/system"
)

func init() {
	register(&source{
		Info: Info{
			Name: "gostd", Description: "the packages of the installed Go standard library, their imports and the words of their documentation; class = top-level directory",
			Source: "GOROOT/src of the installed Go", Citation: "The Go Authors, https://go.dev",
		},
		load: loadGoStd,
	})
}

const (
	goStdMinPackages = 3 // words in fewer packages are dropped
	goStdMinClass    = 8 // top-level directories with fewer packages form the class "other"
)

// loadGoStd builds a graph of the installed Go standard library. The nodes are the
// packages under GOROOT/src (without cmd, vendor, testdata and builtin) as built for
// linux/amd64 with cgo and no experiments, whatever the machine; an edge joins a package
// and one that it imports. The binary features are the words of the documentation and of
// the exported names, split at capitals and in lower case, without stop words and words
// in fewer than 3 packages. The class is the top-level directory; directories with fewer
// than 8 packages, such as bufio, form the class "other".
//
// It is the load function of gostd (see source.load), which has no files or parameters.
func loadGoStd(ctx context.Context, _ *source, _ string, _ Options) (*graph.Graph, error) {
	root, err := goRoot(ctx)
	if err != nil {
		return nil, err
	}
	packages, err := scanPackages(ctx, filepath.Join(root, "src"))
	if err != nil {
		return nil, err
	}
	return documentGraph(packages, goStdMinPackages, goStdMinClass)
}

// goRoot returns the folder of a Go installation with sources: the go command's or, if it has none,
// that of the Go that built this program.
func goRoot(ctx context.Context) (string, error) {
	candidates := []string{build.Default.GOROOT}
	if out, err := system.ProgramOutput(ctx, "go", "env", "GOROOT"); err == nil {
		candidates = slices.Insert(candidates, 0, strings.TrimSpace(string(out)))
	}
	for _, root := range candidates {
		if info, err := os.Stat(filepath.Join(root, "src", "fmt")); root != "" && err == nil && info.IsDir() {
			return root, nil
		}
	}
	return "", fmt.Errorf("no sources of the standard library in %q: want a Go installation with its src folder; add its go command to PATH or set GOROOT", candidates)
}

// scanPackages reads all packages under the folder src and returns them as documents, ordered by
// import path.
func scanPackages(ctx context.Context, src string) ([]document, error) {
	var dirs []string
	err := filepath.WalkDir(src, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(src, path)
		if rel == "." {
			return nil
		}
		base := d.Name()
		isLibrary := rel != "cmd" && rel != "builtin" && base != "vendor" && base != "testdata"
		isHidden := strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")
		if !isLibrary || isHidden {
			return filepath.SkipDir
		}
		dirs = append(dirs, filepath.ToSlash(rel))
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(dirs)
	packages := make([]document, len(dirs))
	errs := make([]error, len(dirs))
	const perCall = 1 // directory
	if err := linalg.ParallelContext(ctx, len(dirs), perCall, func(k, _ int) {
		packages[k], errs[k] = readPackage(src, dirs[k])
	}); err != nil {
		return nil, err
	}
	packages = slices.DeleteFunc(packages, func(d document) bool { return d.name == "" })
	return packages, errors.Join(errs...)
}

// readPackage reads the package in the directory with the import path, under src, and returns it as
// a document. The document has no name if the directory has no package, or only tests.
func readPackage(src, path string) (d document, err error) {
	platform := build.Context{GOARCH: "amd64", GOOS: "linux", GOROOT: filepath.Dir(src), Compiler: "gc",
		CgoEnabled: true, ReleaseTags: build.Default.ReleaseTags,
		OpenFile: func(path string) (io.ReadCloser, error) {
			f, _, err := readfile.Open(path)
			return f, err
		}}
	dir := filepath.Join(src, filepath.FromSlash(path))
	b, err := platform.ImportDir(dir, 0)
	var none *build.NoGoError
	if errors.As(err, &none) || err == nil && len(b.GoFiles)+len(b.CgoFiles) == 0 { // nothing, or only tests
		return d, nil
	}
	if err != nil {
		return d, fmt.Errorf("package %s: %w", path, err)
	}
	words := map[string]bool{}
	for _, name := range slices.Concat(b.GoFiles, b.CgoFiles) {
		source, err := readfile.All(filepath.Join(dir, name), readfile.LongestLine)
		if err != nil {
			return d, fmt.Errorf("package %s: %w", path, err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return d, fmt.Errorf("package %s: %w", path, err)
		}
		addWords(words, file.Doc.Text())
		for _, decl := range file.Decls {
			addNames(words, decl)
		}
	}
	top, _, _ := strings.Cut(path, "/")
	return document{name: path, class: top, links: b.Imports, words: slices.Sorted(maps.Keys(words))}, nil
}

// addNames adds to the set words the words of the exported names that decl declares.
func addNames(words map[string]bool, decl ast.Decl) {
	add := func(names ...*ast.Ident) {
		for _, name := range names {
			if name.IsExported() {
				addWords(words, name.Name)
			}
		}
	}
	switch d := decl.(type) {
	case *ast.FuncDecl:
		add(d.Name)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				add(s.Name)
			case *ast.ValueSpec:
				add(s.Names...)
			}
		}
	}
}

// addWords adds to the set words those of a text or name that can be features (isWord), in lower
// case. The text is split at non-letters and before capitals: "ReadAtLeast" is split into read,
// at and least, and "HTTPServer" into http and server.
func addWords(words map[string]bool, text string) {
	runes := []rune(text)
	start := 0                // of the word that is being read
	endWord := func(at int) { // the next word starts there
		word := strings.ToLower(string(runes[start:at]))
		if isWord(word) {
			words[word] = true
		}
		start = at
	}
	for i, r := range runes {
		if !unicode.IsLetter(r) {
			endWord(i)
			start = i + 1
			continue
		}
		if i == start || !unicode.IsUpper(r) {
			continue
		}
		afterLower := !unicode.IsUpper(runes[i-1])                     // the L of AtLeast
		beforeLower := i+1 < len(runes) && unicode.IsLower(runes[i+1]) // the S of HTTPServer
		if afterLower || beforeLower {
			endWord(i)
		}
	}
	endWord(len(runes))
}
