package testutil

// This part checks in tests that keys of stored results have all that decides them:
// each option, and a version that grows when results change.

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/simd"
	"github.com/agekit/age/internal/store"
)

// VersionsVariable names the environment variable that makes [CheckVersion] write its files.
const VersionsVariable = "AGEKIT_VERSIONS"

// versionFile returns the path of the file with the checksums of a test's results:
// testdata/version.json for TestVersion.
func versionFile(t testing.TB) string {
	return filepath.Join("testdata", strings.ToLower(strings.TrimPrefix(t.Name(), "Test"))+".json")
}

// recorded is what a version file holds.
type recorded struct {
	Version int `json:"version"`
	// Sums are checksums by architecture and SIMD level, on which the last digits depend.
	Sums map[string]string `json:"sha256"`
}

// CheckVersion fails the test if the results that compute returns are not those that a file has
// checksums of, or if the file is of another version. The file is testdata/version.json for
// TestVersion. A change that alters results must raise the version, so that results that earlier
// versions stored are not used.
//
// CheckVersion computes the results at the given SIMD levels, by default at each that this processor
// has; levels without a checksum are not checked. With AGEKIT_VERSIONS=write, it adds the missing
// checksums to the file, and begins the file anew for a higher version.
//
// Results are numbers, strings, matrices and slices of them: names of types and fields, which
// may change, would be part of the checksum.
func CheckVersion(t testing.TB, version int, compute func() []any, levels ...string) {
	t.Helper()
	path := versionFile(t)
	file := recorded{Sums: map[string]string{}}
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &file)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("%s: %v", path, err)
	}
	write := os.Getenv(VersionsVariable) == "write"
	if version > file.Version && write {
		file = recorded{Version: version, Sums: map[string]string{}}
	}
	if version != file.Version {
		t.Fatalf("%s is of version %d, the package of %d: if the package's results changed, raise its version and run its tests with %s=write", path, file.Version, version, VersionsVariable)
	}
	defer setLevel(t, simd.Level()) // the level at this line
	if levels == nil {
		levels = simd.Levels()
	}
	for _, level := range levels {
		setLevel(t, level)
		name := runtime.GOARCH + "/" + level
		content, err := store.Encode(compute())
		if err != nil {
			t.Fatal(err)
		}
		sum := fmt.Sprintf("%x", sha256.Sum256(content))
		switch want := file.Sums[name]; {
		case want == "" && write:
			file.Sums[name] = sum
		case want == "":
			t.Logf("%s has no checksum for %s", path, name)
		case sum != want:
			t.Errorf("%s: other results than those of version %d in %s: if the change is meant, raise the version and run the test with %s=write", name, version, path, VersionsVariable)
		}
	}
	if write && !t.Failed() {
		save(t, path, file)
	}
}

// setLevel sets the SIMD level, or ends the test if this processor does not have it.
func setLevel(t testing.TB, level string) {
	t.Helper()
	if err := simd.SetLevel(level); err != nil {
		t.Fatal(err)
	}
}

// save writes file to path, whose folder it creates.
func save(t testing.TB, path string, file recorded) {
	t.Helper()
	text, err := json.MarshalIndent(file, "", "  ")
	NoError(t, err)
	NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
	NoError(t, os.WriteFile(path, append(text, '\n'), 0o666))
}

// NinetyGraph returns a graph of 90 nodes in three classes, always the same one: the input for
// [CheckVersion]. An edge is likelier within a class (0.15) than between two (0.02). Each class has a
// third of the 36 binary features as its own, which its nodes have more often (0.35) than others (0.1).
func NinetyGraph(t testing.TB) *graph.Graph {
	t.Helper()
	const nodes, classes, words = 90, 3, 36
	rnd := rand.New(rand.NewPCG(90, 3))
	g := &graph.Graph{Name: "ninety", Classes: classes}
	x := &graph.CSR{Rows: nodes, Cols: words, Indptr: []int{0}}
	var u, v []int32
	for i := range nodes {
		class := i % classes
		g.Labels = append(g.Labels, class)
		for j := range i {
			chance := 0.02
			if j%classes == class {
				chance = 0.15
			}
			if rnd.Float64() < chance {
				u, v = append(u, int32(i)), append(v, int32(j))
			}
		}
		for word := range words {
			chance := 0.1
			if word%classes == class {
				chance = 0.35
			}
			if rnd.Float64() < chance {
				x.Indices = append(x.Indices, int32(word))
			}
		}
		x.Indptr = append(x.Indptr, len(x.Indices))
	}
	g.Features.Sparse, g.ListedEdges = x, len(u)
	var err error
	if g.Adjacency, err = graph.Adjacency(nodes, u, v, nil); err != nil {
		t.Fatal(err)
	}
	return g
}
