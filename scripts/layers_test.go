package scripts

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/internal/testutil"
)

// module is how the paths of this module's packages begin.
const module = "github.com/agekit/age/"

// floors lists the packages of the module from the ground up. A package imports those on
// lower floors only.
var floors = []string{
	"agekit/figure/palette internal/message internal/progress internal/quiet internal/rng internal/simd",
	"internal/progress/bar internal/progress/progresstest internal/readfile internal/setting internal/system",
	"internal/checksum internal/linalg internal/mapped",
	"agekit/graph agekit/pairs agekit/tsne internal/atomicfile internal/cost",
	"agekit/backend agekit/cluster agekit/laplacian agekit/metric agekit/table internal/extsort internal/graphfolder internal/npy internal/provenance internal/store",
	"agekit/community agekit/encoder/step agekit/figure agekit/input/formats agekit/recipe agekit/table/parquet internal/device internal/inputtest kernels",
	"agekit/encoder agekit/input internal/engine",
	"agekit/dataset agekit/encoder/gomlx agekit/views internal/cell",
	"agekit/explain agekit/method internal/testutil",
	"agekit/reproduce agekit/settings internal/modeltest site/play",
	"agekit/run",
	"agekit agekit/report",
	"agekit/lab cmd/agekit",
	"agekit/lab/exercise scripts/grade/recorder site/build",
	"scripts/grade",
}

// forbidden has links that must not be, not even through other packages: who must not link what, or a package
// below it.
var forbidden = []struct{ who, what, why string }{
	{"agekit/encoder", "encoding/csv", "a trained encoder is used where no table is read"},
	{"agekit/encoder", "github.com/gomlx/gomlx", "XLA needs cgo"},
	{"agekit/input", module + "agekit/cluster", "opening data clusters nothing"},
	{"agekit/table", module + "agekit/graph", "a table is no graph"},
	{"agekit/run", "gonum.org/v1/plot", "a run draws nothing"},
	{"site/play", "gonum.org/v1/plot", "browsers load the program"},
	{"site/play", "github.com/schollz/progressbar/v3", "it links net/http, and browsers load the program"},
}

// onlyForTests are packages that only tests and one another link: those of this module for tests, and those of
// others that no program needs.
var onlyForTests = []string{module + "internal/testutil", module + "internal/modeltest", module + "internal/inputtest", module + "internal/progress/progresstest", "testing", "github.com/cockroachdb/datadriven", "pgregory.net/rapid"}

// only has, for the beginning of packages' paths, the packages of this module that may import them directly.
var only = map[string][]string{
	// agekit/lab evaluates GoMLX expressions that a cell writes.
	"github.com/gomlx/":          {"agekit/lab", "agekit/encoder/gomlx", "agekit/method", "agekit/backend", "internal/device", "internal/quiet"},
	"github.com/janpfeifer/gonb": {"agekit/figure"},
	"net/http":                   {"agekit/dataset", "cmd/agekit"}, // downloads; serving the site to this machine
}

// list returns, for each package of the module by its path in the module, the packages in a field of go list:
// .Imports are those that it imports, .Deps those that it links, through others too.
func list(t *testing.T, field string) map[string][]string {
	t.Helper()
	c := exec.Command("go", "list", "-f", "{{.ImportPath}} {{join "+field+" \" \"}}", "./...")
	c.Dir = ".."
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &errs)
	}
	all := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		all[strings.TrimPrefix(words[0], module)] = words[1:]
	}
	return all
}

// violations returns, sorted and in words, what breaks the rules of floors, only, onlyForTests and forbidden.
// imports and links have the packages that each package imports, and links, as list returns them.
func violations(imports, links map[string][]string) (all []string) {
	floor := map[string]int{} // from the ground up
	for i, names := range floors {
		for _, name := range strings.Fields(names) {
			floor[name] = i
		}
	}
	for who, imported := range imports {
		level, placed := floor[who] // scripts, with tests alone, has no floor
		if !placed && who != "scripts" {
			all = append(all, who+" stands on no floor")
		}
		for _, what := range imported {
			inside := strings.TrimPrefix(what, module)
			if f, ours := floor[inside]; ours && placed && f >= level {
				all = append(all, who+" imports "+inside+", which is not below it")
			}
			for prefix, allowed := range only {
				if strings.HasPrefix(what, prefix) && !slices.Contains(allowed, who) {
					all = append(all, who+" imports "+what)
				}
			}
		}
	}
	for who, linked := range links {
		isTestCode := slices.Contains(onlyForTests, module+who)
		for _, what := range linked {
			if !isTestCode && slices.Contains(onlyForTests, what) {
				all = append(all, who+" links "+strings.TrimPrefix(what, module)+", which is for tests")
			}
		}
	}
	for _, f := range forbidden {
		for _, what := range links[f.who] {
			if what == f.what || strings.HasPrefix(what, f.what+"/") {
				all = append(all, f.who+" links "+what+": "+f.why)
			}
		}
	}
	slices.Sort(all)
	return all
}

// TestLayers: the packages of this module break none of the rules of floors, only, onlyForTests and forbidden.
func TestLayers(t *testing.T) {
	for _, v := range violations(list(t, ".Imports"), list(t, ".Deps")) {
		t.Error(v)
	}
}

// TestArrowUp: violations sees an import that runs up, a package without a floor, an import that only others may
// have, a link that is forbidden, and a package that links what is for tests.
func TestArrowUp(t *testing.T) {
	imports := map[string][]string{
		"agekit/graph":  {module + "agekit/run"},
		"agekit/new":    nil,
		"agekit/metric": {"net/http"},
	}
	links := map[string][]string{
		"agekit/encoder":     {"github.com/gomlx/gomlx/core/graph"},
		"agekit/report":      {module + "internal/testutil"},
		"internal/modeltest": {module + "internal/testutil", "testing"}, // which is test code itself
	}
	want := []string{
		"agekit/encoder links github.com/gomlx/gomlx/core/graph: XLA needs cgo",
		"agekit/graph imports agekit/run, which is not below it",
		"agekit/metric imports net/http",
		"agekit/new stands on no floor",
		"agekit/report links internal/testutil, which is for tests",
	}
	if got := violations(imports, links); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestSources: no source file but those of package rng calls a function of math/rand/v2 that makes a random
// source. Tests, and packages for tests, may: their random numbers need not come from a listed stream.
func TestSources(t *testing.T) {
	allowed := []string{"internal/rng", "internal/testutil", "internal/modeltest"}
	source := regexp.MustCompile(`\brand\.New(PCG|ChaCha8|Zipf)\(`)
	for _, root := range []string{"agekit", "cmd", "internal", "kernels", "site", "tools"} {
		err := filepath.WalkDir("../"+root, func(path string, d os.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			if folder := strings.TrimPrefix(filepath.Dir(path), "../"); slices.Contains(allowed, folder) {
				return nil
			}
			text, err := os.ReadFile(path)
			for _, call := range source.FindAll(text, -1) {
				t.Errorf("%s calls %s): want rng.New with a stream that package rng lists", path, call)
			}
			return err
		})
		testutil.NoError(t, err)
	}
}

// TestCellImports: the cells of notebooks and solutions import only packages of modules that the packages below
// agekit link, because a kernel downloads nothing.
func TestCellImports(t *testing.T) {
	linked := map[string]bool{}
	for who, whats := range list(t, ".Deps") {
		if strings.HasPrefix(who, "agekit") {
			linked[moduleOf(module+who)] = true
			for _, what := range whats {
				linked[moduleOf(what)] = true
			}
		}
	}
	imported := regexp.MustCompile(`\\"((?:github\.com|gonum\.org)/[A-Za-z0-9/._-]+)\\"`)
	count := 0
	for _, pattern := range []string{"../notebooks/*.ipynb", "../solutions/*.ipynb"} {
		paths := testutil.Value(filepath.Glob(pattern)).OrFatal(t)
		for _, path := range paths {
			text := testutil.Value(os.ReadFile(path)).OrFatal(t)
			for _, m := range imported.FindAllSubmatch(text, -1) {
				if count++; !linked[moduleOf(string(m[1]))] {
					t.Errorf("%s imports %s, which agekit does not link", path, m[1])
				}
			}
		}
	}
	if count == 0 {
		t.Error("no imports found")
	}
}

// moduleOf returns the first three parts of a package's path, which name its module.
func moduleOf(what string) string {
	parts := strings.SplitN(what, "/", 4)
	return strings.Join(parts[:min(3, len(parts))], "/")
}
