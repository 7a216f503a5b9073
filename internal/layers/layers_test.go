// Package layers holds the order of the packages by a test.
package layers

import (
	"bytes"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/agekit/age/"

// floors lists the packages of agekit and the program, from the ground up. A package
// imports those on lower floors only, and packages of internal.
var floors = []string{
	"agekit/graph",
	"agekit/npz agekit/metric agekit/store agekit/laplacian agekit/eigen",
	"agekit/manifest agekit/pairs agekit/spectrum agekit/cluster agekit/tsne agekit/community agekit/figure",
	"agekit/input agekit/backend",
	"agekit/input/parquet agekit/dataset agekit/encoder agekit/explain",
	"agekit/encoder/gomlx agekit/linkpred agekit/auto agekit/paper",
	"agekit/run agekit/baseline",
	"agekit/report agekit/experiment",
	"agekit",
	"agekit/exercise",
	"cmd/agekit",
}

// forbidden are packages that others must not link, not even through others.
var forbidden = []struct{ who, what, why string }{
	{"agekit/encoder", "encoding/csv", "a trained encoder is used where no table is read"},
	{"agekit/encoder", "github.com/gomlx/gomlx", "XLA needs cgo"},
	{"agekit/input", module + "agekit/cluster", "opening data clusters nothing"},
	{"agekit/run", "github.com/gomlx/gomlx", "backends are passed in"},
	{"agekit/report", "github.com/gomlx/gomlx", "a page is made without training"},
}

// only lists who may import what directly.
var only = map[string][]string{
	// agekit evaluates GoMLX expressions that a cell writes.
	"github.com/gomlx/":          {"agekit", "agekit/encoder/gomlx", "agekit/baseline", "agekit/backend", "internal/device", "internal/nbdeps", "internal/quiet"},
	"github.com/janpfeifer/gonb": {"agekit/figure", "agekit", "internal/nbdeps"},
	"net/http":                   {"agekit/dataset", "cmd/agekit"}, // downloads; serving the site to this machine
}

// list returns what go list prints for each package of the module.
func list(t *testing.T, format string) map[string][]string {
	t.Helper()
	c := exec.Command("go", "list", "-f", "{{.ImportPath}} {{join "+format+" \" \"}}", "./...")
	c.Dir = "../.."
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

// violations returns the imports that break the order.
func violations(imports, deps map[string][]string) []string {
	floor := map[string]int{}
	for i, names := range floors {
		for _, name := range strings.Fields(names) {
			floor[name] = i
		}
	}
	var all []string
	for who, whats := range imports {
		own, placed := floor[who]
		if !placed && (strings.HasPrefix(who, "agekit") || strings.HasPrefix(who, "cmd")) {
			all = append(all, who+" stands on no floor")
		}
		for _, what := range whats {
			if f, ok := floor[strings.TrimPrefix(what, module)]; ok && placed && f >= own {
				all = append(all, who+" imports "+strings.TrimPrefix(what, module)+", which is not below it")
			}
			for prefix, may := range only {
				if strings.HasPrefix(what, prefix) && !slices.Contains(may, who) {
					all = append(all, who+" imports "+what)
				}
			}
		}
	}
	for _, f := range forbidden {
		for _, what := range deps[f.who] {
			if what == f.what || strings.HasPrefix(what, f.what+"/") {
				all = append(all, f.who+" links "+what+": "+f.why)
			}
		}
	}
	slices.Sort(all)
	return all
}

// TestLayers: imports go down only, and nobody links what is not for them.
func TestLayers(t *testing.T) {
	for _, v := range violations(list(t, ".Imports"), list(t, ".Deps")) {
		t.Error(v)
	}
}

// TestArrowUp: the test sees an arrow that runs up, a package without a floor, and a
// link that is forbidden.
func TestArrowUp(t *testing.T) {
	imports := map[string][]string{"agekit/graph": {module + "agekit/run"}, "agekit/new": nil, "agekit/metric": {"net/http"}}
	deps := map[string][]string{"agekit/report": {"github.com/gomlx/gomlx/core/graph"}}
	want := []string{
		"agekit/graph imports agekit/run, which is not below it", "agekit/metric imports net/http", "agekit/new stands on no floor",
		"agekit/report links github.com/gomlx/gomlx/core/graph: a page is made without training",
	}
	if got := violations(imports, deps); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
