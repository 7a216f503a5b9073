package main

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agekit/age/internal/testutil"
)

// TestRecipes follows the recipes in CONTRIBUTING.md for a method, a file format and a data set: it builds
// the program with the code that they show. What each adds (the method Degree, the format .ring, the data
// set path) is in the help and the errors that list such things, and works in the commands that take them.
func TestRecipes(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	program := buildOver(t, map[string]string{
		"agekit/method/degree.go":      recipeFor(t, "a method"),
		"agekit/method/registry.go":    withMethod(t),
		"agekit/input/formats/ring.go": recipeFor(t, "a file format"),
		"agekit/dataset/path.go":       recipeFor(t, "a data set"),
	})
	out := t.TempDir()
	ring, unknown := filepath.Join(out, "x.ring"), filepath.Join(out, "x.net")
	for _, path := range []string{ring, unknown} {
		put(t, path, "40\n")
	}
	const graph = "planted:n=120,f=80"
	for _, test := range []struct {
		want string   // a piece of what is printed
		fail bool     // the exit code is not 0
		args []string // of the program
	}{
		{want: "Degree", args: []string{"fit", "--help"}},
		{want: "Degree", args: []string{"reproduce", "--help"}},
		{want: "Degree", args: []string{"fit", "--dataset", graph, "--method", "degree"}},
		{want: "Degree", args: []string{"reproduce", "field", "--quick", "--datasets", graph, "--methods", "degree,louvain", "--out", out}},
		{want: "Degree", args: []string{"reproduce", "maps", "--quick", "--datasets", graph, "--methods", "degree", "--out", out}},
		{want: ".ring", args: []string{"fit", "--help"}},
		{want: "x: ", args: []string{"fit", "--dataset", ring, "--method", "Louvain"}},
		{want: `want .gexf or .gml or .graphml or .json or .npz or .ring`, fail: true, args: []string{"fit", "--dataset", unknown}},
		{want: "path", args: []string{"fit", "--help"}},
		{want: "path            ten nodes in a row; class = half", args: []string{"data", "list"}},
		{want: "path       no file needed", args: []string{"data", "verify", "path"}},
		{want: "path: ", args: []string{"fit", "--dataset", "path", "--method", "Louvain"}},
		{want: "gostd, path, planted", fail: true, args: []string{"fit", "--dataset", "pathh"}},
	} {
		text, err := exec.CommandContext(t.Context(), program, test.args...).CombinedOutput()
		if (err != nil) != test.fail || !strings.Contains(string(text), test.want) {
			t.Errorf("agekit %s: %v, and does not show %q:\n%s", strings.Join(test.args, " "), err, test.want, text)
		}
	}
	for pattern, want := range map[string]string{"maps-*.svg": ">Degree</text>", "field-*.svg": "Degree"} {
		files, err := filepath.Glob(filepath.Join(out, pattern))
		if err != nil || len(files) != 1 {
			t.Errorf("files %v, error %v, want one %s", files, err, pattern)
			continue
		}
		if text := read(t, files[0]); !strings.Contains(string(text), want) {
			t.Errorf("%s has no %q", files[0], want)
		}
	}
}

// recipeFor returns the first block of Go code of the recipe in CONTRIBUTING.md for a subject.
func recipeFor(t *testing.T, subject string) string {
	t.Helper()
	_, text, _ := strings.Cut(string(read(t, "../../CONTRIBUTING.md")), "## Recipe: "+subject)
	_, code, _ := strings.Cut(text, "```go\n")
	code, _, found := strings.Cut(code, "   ```\n")
	if !found {
		t.Fatalf("no recipe of %s", subject)
	}
	return strings.TrimLeft(strings.ReplaceAll(code, "\n   ", "\n"), " ")
}

// withMethod returns agekit/method/registry.go with the line that the recipe for a method adds to its list.
func withMethod(t *testing.T) string {
	t.Helper()
	entry := regexp.MustCompile(`\tdeclare\(.*\),\n`).FindString(string(read(t, "../../CONTRIBUTING.md")))
	registry := string(read(t, "../../agekit/method/registry.go"))
	const list = "var methods = []entry{\n"
	if entry == "" || !strings.Contains(registry, list) {
		t.Fatal("no method in the recipe, or no list of methods")
	}
	before, after, _ := strings.Cut(registry, list)
	entries, rest, _ := strings.Cut(after, "\n}\n")
	return before + list + entries + "\n" + entry + "}\n" + rest
}

// buildOver builds the program with some files of the project replaced or added, and returns the program's
// path. files has their texts by their paths in the project. The project itself stays as it is: the build
// uses Go's overlay.
func buildOver(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	replaced := map[string]string{}
	for name, text := range files {
		path := testutil.Value(filepath.Abs(filepath.Join("..", "..", name))).OrFatal(t)
		replaced[path] = filepath.Join(folder, strings.ReplaceAll(name, "/", "-"))
		put(t, replaced[path], text)
	}
	overlay := testutil.Value(json.Marshal(map[string]any{"Replace": replaced})).OrFatal(t)
	put(t, filepath.Join(folder, "overlay.json"), overlay)
	program := filepath.Join(folder, "agekit")
	// Without XLA, which is slow to link. Go compiles again what the recipes change, and what imports it.
	build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-tags", "noxla", "-overlay", filepath.Join(folder, "overlay.json"), "-o", program, ".")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return program
}
