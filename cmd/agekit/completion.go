package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: ${enum}."`
}

func (c *completionCmd) Run(rt *Runtime) error {
	_, err := io.WriteString(rt.Stdout, completionScripts[c.Shell])
	return err
}

// completionScripts ask agekit complete at each Tab, and complete files where it says nothing.
var completionScripts = map[string]string{
	"bash": `# bash completion for agekit, made by: agekit completion bash
_agekit() {
  local IFS=$'\n'
  COMPREPLY=($(agekit complete bash "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -o bashdefault -F _agekit agekit
`,
	"zsh": `#compdef agekit
# zsh completion for agekit, made by: agekit completion zsh
_agekit() {
  local -a list=("${(@f)$(agekit complete zsh "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n $list ]]; then _describe agekit list; else _files; fi
}
if [ "$funcstack[1]" = _agekit ]; then _agekit "$@"; else compdef _agekit agekit; fi
`,
	"fish": `# fish completion for agekit, made by: agekit completion fish
function __agekit
  set -l current (commandline -ct)
  agekit complete fish (commandline -opc)[2..-1] "$current" 2>/dev/null | string match -r '.+'
end
complete -c agekit -n '__agekit >/dev/null' -f -a '(__agekit)'
`,
}

// completeCmd prints what the last word of a command line can become, a line each: nothing if
// that is a file, or anything else.
type completeCmd struct {
	Words []string `arg:"" help:"The shell, and the words after agekit, of which the last may be empty."`
}

func (c *completeCmd) Run(rt *Runtime) error {
	shell, before, last := c.Words[0], c.Words[1:], ""
	if k := len(before) - 1; k >= 0 {
		before, last = before[:k], before[k]
	}
	for _, w := range candidates(before, last) {
		if !strings.HasPrefix(w.text, last) {
			continue
		}
		line := w.text
		switch shell {
		case "zsh":
			line = strings.ReplaceAll(w.text, ":", `\:`) + ":" + w.help
		case "fish":
			line += "\t" + w.help
		}
		fmt.Fprintln(rt.Stdout, line)
	}
	return nil
}

// word is a command, a flag or a value of one, and in a few words what it is.
type word struct{ text, help string }

// candidates lists what can follow the words of a command. Flags are there if nothing else can
// follow, or the last word begins like one.
func candidates(before []string, last string) (all []word) {
	n := newParser(io.Discard, io.Discard, func(int) {}).Model.Node
	for _, text := range before {
		if k := slices.IndexFunc(n.Children, func(child *kong.Node) bool { return child.Name == text }); k >= 0 {
			n = n.Children[k]
		}
	}
	flags := slices.Concat(n.AllFlags(true)...)
	for _, f := range flags {
		if !f.IsBool() && len(before) > 0 && before[len(before)-1] == "--"+f.Name {
			return values(f.Value)
		}
	}
	for _, child := range n.Children {
		if !child.Hidden {
			all = append(all, word{child.Name, firstSentence(child.Help)})
		}
	}
	for _, p := range n.Positional {
		all = append(all, values(p)...)
	}
	if !strings.HasPrefix(last, "-") && len(n.Children)+len(n.Positional) > 0 {
		return all
	}
	for _, f := range flags {
		about := firstSentence(f.Help)
		all = append(all, word{"--" + f.Name, about})
		if f.Tag.Negatable != "" {
			all = append(all, word{"--no-" + f.Name, "Not: " + about})
		}
	}
	return all
}

func values(v *kong.Value) (all []word) {
	for _, value := range v.EnumSlice() {
		if value != "" {
			all = append(all, word{text: value})
		}
	}
	return all
}

// firstSentence shortens a help text for a list.
func firstSentence(help string) string {
	first, _, _ := strings.Cut(help, ". ")
	first, _, _ = strings.Cut(strings.TrimSuffix(first, "."), " (")
	return first
}
