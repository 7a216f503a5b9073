package dataset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/files"
)

func init() {
	register(&source{
		Info: Info{
			Name: "gomodule", Description: "gomodule:DIR is the packages of the Go module in a folder, with their imports and words; no classes",
			Source: "the folder DIR, which must have a go.mod", Citation: "the module's authors",
		},
		load: loadGoModule,
		params: func(dir string) error {
			if dir == "" {
				return errors.New("no folder: want gomodule:DIR")
			}
			return nil
		},
	})
}

// mostGoMod is the size of the largest go.mod that is read.
const mostGoMod = 16 << 20

// loadGoModule builds a graph of the packages of the Go module in a folder, without the
// modules within it, as "gostd" does of the standard library, but without labels. A folder
// without go.mod, fewer than three packages, and source that is not Go are errors.
func loadGoModule(ctx context.Context, _ *source, dir string, _ Options) (*graph.Graph, error) {
	file := filepath.Join(dir, "go.mod")
	data, err := files.ReadFile(file, mostGoMod)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has no go.mod: want the folder of a Go module", files.ShortPath(dir))
	}
	if err != nil {
		return nil, err
	}
	module := modfile.ModulePath(data)
	if module == "" {
		return nil, fmt.Errorf("%s names no module", files.ShortPath(file))
	}
	parsed, err := modfile.ParseLax(file, data, nil)
	if err != nil {
		return nil, err
	}
	var ignored []string
	for _, i := range parsed.Ignore {
		ignored = append(ignored, strings.TrimSuffix(i.Path, "/"))
	}
	packages, err := scanPackages(ctx, dir, module, ignored)
	if err != nil {
		return nil, err
	}
	if len(packages) < 3 {
		return nil, fmt.Errorf("module %s has %d packages: want three or more", module, len(packages))
	}
	g, err := documentGraph(packages, goStdMinPackages, goStdMinClass)
	if err != nil {
		return nil, err
	}
	g.Name, g.Labels, g.ClassNames, g.Classes = filepath.Base(module), nil, nil, 0
	return g, nil
}

// isModule reports whether a folder is a module of its own.
func isModule(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil && info.Mode().IsRegular()
}
