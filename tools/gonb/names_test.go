package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestAdvice: programs of cells with one mistake each, which import a small project, and the advice that is wanted for
// each, by hand. A program without a mistake about names gets none.
func TestAdvice(t *testing.T) {
	project, folder := t.TempDir(), t.TempDir()
	write := func(path, text string) {
		t.Helper()
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(project, "go.mod"), "module github.com/agekit/age\n\ngo 1.26\n")
	write(filepath.Join(project, "agekit", "agekit.go"), "package agekit\n\ntype Graph struct{ Features []int; hidden int }\n\nfunc (g *Graph) Nodes() int { return g.hidden }\n\nfunc Load() (*Graph, error) { return nil, nil }\n")
	write(filepath.Join(project, "agekit", "lab", "lab.go"), "package lab\n\nfunc Corner() (int, []int) { return 0, nil }\n")
	write(filepath.Join(folder, "go.mod"), "module gonb_1a\n\ngo 1.26\n")
	write(filepath.Join(folder, "go.work"), "go 1.26\n\nuse .\nuse "+project+"\n")
	const (
		withAgekit = "package main\n\nimport \"github.com/agekit/age/agekit\"\n\n"
		withLab    = "package main\n\nimport \"github.com/agekit/age/agekit/lab\"\n\n"
	)
	for source, want := range map[string]string{
		withAgekit + "func main() { _, _ = agekit.Load() }":                                             "",
		withAgekit + "func main() { g, _ := agekit.Load(); _ = g.Nodes() + g.Features[0]; x }":          "",
		withAgekit + "func main() { _, _ = agekit.Laod() }":                                             "The package agekit has no Laod. Do you mean agekit.Load?",
		withAgekit + "func main() { _, _ = agekit.load() }":                                             capitals,
		withAgekit + "func main() { _ = agekit.Corner() }":                                              "The package agekit has no Corner. Do you mean lab.Corner?",
		withAgekit + "func main() { agekit.Plot() }":                                                    "The package agekit has no Plot. What it has: !*go doc github.com/agekit/age/agekit",
		withAgekit + "func main() { g, _ := agekit.Load(); _ = g.Node() }":                              "g has no Node. Do you mean g.Nodes?",
		withAgekit + "func main() { g, _ := agekit.Load(); _ = g.Hiden }":                               "",
		withAgekit + "type t struct{ first int }\n\nfunc main() { var x t; _ = x.frist }":               "x has no frist. Do you mean x.first?",
		withAgekit + "func main() { g := agekit.Load() }":                                               canFail,
		withAgekit + "func main() { var g = agekit.Load() }":                                            canFail,
		withLab + "func main() { n := lab.Corner() }":                                                   "This function returns 2 values, (int, []int): write as many names before the =, and _ for a value that you do not need.",
		withLab + "func main() { agekti.Load(); lab.Corner() }":                                         unknownName + " Or do you mean agekit?",
		withLab + "func main() { value := 1; _ = vlaue + value; lab.Corner() }":                         unknownName + " Or do you mean value?",
		"package main\n\nfunc main() { lab.Cornr() }":                                                   "The package lab has no Cornr. Do you mean lab.Corner?",
		"package main\n\nfunc main() { _ = None }":                                                      "In Go, true, false and nil have small letters.",
		"package main\n\nimport \"github.com/agekit/age/agekit/labs\"\n\nfunc main() { labs.Corner() }": "There is no package \"github.com/agekit/age/agekit/labs\". Do you mean \"github.com/agekit/age/agekit/lab\"?",
		"package main\n\nfunc main() {":                                                                 "",
	} {
		write(filepath.Join(folder, "main.go"), source)
		if got := (&program{folder: folder, project: project}).advice(); got != want {
			t.Errorf("%s\nadvice %q, want %q", source, got, want)
		}
	}
}
