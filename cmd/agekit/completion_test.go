package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agekit/age/internal/testutil"
)

// TestCompletion loads what agekit completion prints in each shell that is here, and asks it
// to complete.
func TestCompletion(t *testing.T) {
	dir := t.TempDir()
	inPath(t)
	for shell, ask := range map[string]string{
		"bash": `source %s
ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); COMPREPLY=(); _agekit; echo "${COMPREPLY[@]}"; }
ask agekit fi; ask agekit data f; ask agekit fit --loss ''; ask agekit fit --export parquet --knn 3 --json --no-ma; ask agekit reproduce table`,
		// The lists without zsh's line editor, which needs a terminal.
		"zsh": `compdef() { : }; source %s
compadd() { shift; print -r -- ${(M)@:#$cur*} }; _describe() { print -r -- ${(M)${list[@]%%%%:*}:#$cur*} }; _files() { : }
ask() { words=("$@"); CURRENT=$#; cur=${@[-1]}; _agekit; }
ask agekit fi; ask agekit data f; ask agekit fit --loss ''; ask agekit fit --export parquet --knn 3 --json --no-ma; ask agekit reproduce table`,
		"fish": `source %s
for line in "agekit fi" "agekit data f" "agekit fit --loss " "agekit fit --export parquet --knn 3 --json --no-ma" "agekit reproduce table"
  complete -C "$line" | string replace -r '\t.*' '' | string match -r -- '^(?!.*/$).*' | string join ' '
end`,
	} {
		program, err := exec.LookPath(shell)
		if err != nil {
			t.Logf("%s is not here", shell)
			continue
		}
		script, _ := succeeds(t, "completion", shell)
		path := filepath.Join(dir, shell)
		put(t, path, script)
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

// inPath puts this test binary in the PATH as agekit, which the scripts ask.
func inPath(t *testing.T) {
	t.Helper()
	bin := t.TempDir()
	testutil.NoError(t, os.WriteFile(filepath.Join(bin, "agekit"), []byte("#!/bin/sh\n"+asProgram+"=1 exec "+quote(os.Args[0])+` "$@"`+"\n"), 0o777))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// quote quotes a text for a shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// TestCompletionTyped types into zsh, bash and fish, which complete files as well where a flag
// takes one.
func TestCompletionTyped(t *testing.T) {
	zsh, err := exec.LookPath("zsh") // it has terminals for the others, too
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	put(t, filepath.Join(dir, "ties.csv"), "")
	inPath(t)
	lines := [][2]string{
		{"agekit fi", "agekit fit "},
		{"agekit data f", "agekit data fetch "},
		{"agekit fit --edges ti", "--edges ties.csv "},
		{"agekit fit --directed e", "--directed error "},
		{"agekit fit --json --no-ma", "--json --no-map "},
		{"agekit completion z", "completion zsh "},
	}
	for shell, start := range map[string]string{
		"bash": `bash --norc --noprofile -i`,
		"zsh":  `zsh -f -i`,
		"fish": `fish --no-config -i`,
	} {
		if _, err := exec.LookPath(shell); err != nil {
			t.Logf("%s is not here", shell)
			continue
		}
		script, _ := succeeds(t, "completion", shell)
		put(t, filepath.Join(dir, "agekit."+shell), script)
		load := map[string]string{"bash": "bind 'set bell-style none'; ", "zsh": "unsetopt beep; autoload -U compinit; compinit -u -D; "}[shell] + "source agekit." + shell
		ask := "zmodload zsh/zpty && zpty -e shell " + quote(start) + " && zpty -w shell " + quote(load) + "\n"
		for _, line := range lines {
			// Ctrl-U clears the line.
			ask += "zpty -w -n shell " + quote(line[0]) + "$'\\t'; zpty -r -m shell seen " + quote("*"+line[1]+"*") + " && print -r -- " + quote(line[1]) + "; zpty -w -n shell $'\\x15'\n"
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // zpty waits for what it wants to see
		cmd := exec.CommandContext(ctx, zsh, "-f", "-c", ask)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "TERM=dumb", "HOME="+dir)
		out, _ := cmd.CombinedOutput()
		cancel()
		for _, line := range lines {
			if !strings.Contains(string(out), line[1]) {
				t.Errorf("%s does not complete %q to %q: %s", shell, line[0], line[1], out)
			}
		}
	}
}
