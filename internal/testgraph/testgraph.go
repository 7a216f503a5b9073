// Package testgraph provides tests with the data sets on which they check
// figures.
package testgraph

import (
	"sync"
	"testing"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/graph"
)

var (
	lock   sync.Mutex
	loaded = map[string]*graph.Graph{}
)

// Load returns a data set, which is loaded once per test binary. Cora is
// always available. If another data set's files are not on this machine, the
// test is skipped with the reason.
func Load(t testing.TB, name string) *graph.Graph {
	t.Helper()
	lock.Lock()
	defer lock.Unlock()
	if g := loaded[name]; g != nil {
		return g
	}
	g, err := dataset.Load(t.Context(), name, dataset.Options{Offline: true})
	if err != nil {
		if name == "cora" {
			t.Fatal(err)
		}
		t.Skipf("not checked on %s: %v", name, err)
	}
	loaded[name] = g
	return g
}
