package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCompletion loads what agekit completion prints in each shell that is here, and asks it
// to complete.
func TestCompletion(t *testing.T) {
	dir := t.TempDir()
	for shell, ask := range map[string]string{
		"bash": `source %s
ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); COMPREPLY=(); _agekit; echo "${COMPREPLY[@]}"; }
ask agekit fi; ask agekit data f; ask agekit fit --loss ''; ask agekit fit --export parquet --knn 3 --no-ma; ask agekit reproduce table`,
		// The lists without zsh's line editor, which needs a terminal.
		"zsh": `compdef() { : }; source %s
compadd() { shift; print -r -- ${(M)@:#$cur*} }; _describe() { print -r -- ${(M)${list[@]%%%%:*}:#$cur*} }; _files() { : }
ask() { words=("$@"); CURRENT=$#; cur=${@[-1]}; _agekit; }
ask agekit fi; ask agekit data f; ask agekit fit --loss ''; ask agekit fit --export parquet --knn 3 --no-ma; ask agekit reproduce table`,
		"fish": `source %s
for line in "agekit fi" "agekit data f" "agekit fit --loss " "agekit fit --export parquet --knn 3 --no-ma" "agekit reproduce table"
  complete -C "$line" | string replace -r '\t.*' '' | string match -r -- '^(?!.*/$).*' | string join ' '
end`,
	} {
		program, err := exec.LookPath(shell)
		if err != nil {
			t.Logf("%s is not here", shell)
			continue
		}
		code, script, errs := age(t, "completion", shell)
		if code != 0 {
			t.Fatal(errs)
		}
		path := filepath.Join(dir, shell)
		put(t, path, []byte(script))
		out, err := exec.Command(program, "-c", strings.ReplaceAll(strings.Replace(ask, "%s", path, 1), "%%%%", "%%")).CombinedOutput()
		want := []string{"fit", "fetch", "probability logits", "--no-map", "table1 table2 table3 table4 table5"}
		if shell == "fish" {
			want[2] = "logits probability" // sorted
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		if err != nil || len(lines) != len(want) {
			t.Errorf("%s: %v: %s", shell, err, out)
			continue
		}
		for k := range want {
			if lines[k] != want[k] {
				t.Errorf("%s completes %q, want %q", shell, lines[k], want[k])
			}
		}
	}
}

// TestMan: the manual page names every command, and groff, where it is, finds no mistake.
func TestMan(t *testing.T) {
	_, page, _ := age(t, "man")
	for _, want := range []string{".TH AGEKIT 1", `.SS "agekit data verify`, `\-\-learning\-rate`, "\n.nf\n"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip(err)
	}
	path := filepath.Join(t.TempDir(), "agekit.1")
	if err := os.WriteFile(path, []byte(page), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(groff, "-man", "-ww", "-z", "-Tutf8", "-Kutf8", path).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v: %.500s", err, out)
	}
}
