package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestMethodRecipe follows the recipe for a method in CONTRIBUTING.md, with its own
// example, and runs the method through all commands that list methods.
func TestMethodRecipe(t *testing.T) {
	program := buildWithMethod(t)
	out := t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		text, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("agekit %s: %v\n%s", strings.Join(args, " "), err, text)
		}
		return string(text)
	}
	const graph = "planted:n=120,f=80"
	for _, args := range [][]string{
		{"fit", "--help"},
		{"reproduce", "--help"},
		{"fit", "--dataset", graph, "--method", "degree"},
		{"reproduce", "field", "--quick", "--datasets", graph, "--methods", "degree,louvain", "--out", out},
		{"reproduce", "maps", "--quick", "--datasets", graph, "--methods", "degree", "--out", out},
	} {
		if text := run(args...); !strings.Contains(text, "Degree") {
			t.Errorf("agekit %s does not show the method:\n%s", strings.Join(args, " "), text)
		}
	}
	for pattern, want := range map[string]int{"maps-*-Degree.svg": 1, "field-*.svg": 1} {
		if files, err := filepath.Glob(filepath.Join(out, pattern)); err != nil || len(files) != want {
			t.Errorf("files %v, error %v, want %d %s", files, err, want, pattern)
		}
	}
}

// buildWithMethod builds the program with the recipe's method and returns its path.
func buildWithMethod(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the program")
	}
	folder := t.TempDir()
	read := func(path ...string) string {
		data, err := os.ReadFile(filepath.Join(append([]string{"..", ".."}, path...)...))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	_, recipe, _ := strings.Cut(read("CONTRIBUTING.md"), "## Recipe: a method")
	_, code, _ := strings.Cut(recipe, "```go\n")
	code, _, found := strings.Cut(code, "   ```\n")
	entry := regexp.MustCompile(`var (method\w+) =`).FindStringSubmatch(code)
	registry := read("agekit", "baseline", "registry.go")
	const list = "var methods = []entry{\n"
	if !found || entry == nil || !strings.Contains(registry, list) {
		t.Fatal("no recipe, or no list of methods")
	}
	end := strings.Index(registry, list) + strings.Index(registry[strings.Index(registry, list):], "\n}\n") + 1
	registry = registry[:end] + "\t" + entry[1] + ",\n" + registry[end:]
	replaced := map[string]string{}
	for name, text := range map[string]string{"degree.go": strings.ReplaceAll(code, "\n   ", "\n"), "registry.go": registry} {
		path, err := filepath.Abs(filepath.Join("..", "..", "agekit", "baseline", name))
		if err != nil {
			t.Fatal(err)
		}
		replaced[path] = filepath.Join(folder, name)
		if err := os.WriteFile(replaced[path], []byte(strings.TrimLeft(text, " ")), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "overlay.json"), overlay, 0o666); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(folder, "agekit")
	build := exec.CommandContext(t.Context(), "go", "build", "-overlay", filepath.Join(folder, "overlay.json"), "-o", program, ".")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return program
}
