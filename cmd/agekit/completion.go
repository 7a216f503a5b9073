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
	app := newParser(io.Discard, io.Discard, func(int) {}).Model
	write := map[string]func([]completed) string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}[c.Shell]
	_, err := io.WriteString(rt.Stdout, write(commands(app.Node)))
	return err
}

// completed is what can be completed after the words of a command.
type completed struct {
	path  string // such as "/data/list"; "" for the program alone
	words []word // commands below it and flags
}

// word is a command or a flag.
type word struct {
	text, help string
	values     []string // of a flag, or of the command's argument if the text is ""; nil if it takes none, empty if it takes any, such as a file
}

// commands lists a command and those below it.
func commands(n *kong.Node) []completed {
	c := completed{path: strings.TrimPrefix("/"+strings.ReplaceAll(n.FullPath(), " ", "/"), "/agekit")}
	var below []completed
	for _, child := range n.Children {
		if !child.Hidden {
			c.words = append(c.words, word{text: child.Name, help: firstSentence(child.Help)})
			below = append(below, commands(child)...)
		}
	}
	for _, p := range n.Positional {
		c.words = append(c.words, word{values: values(p)})
	}
	for _, group := range n.AllFlags(true) {
		for _, f := range group {
			w := word{text: "--" + f.Name, help: firstSentence(f.Help)}
			if !f.IsBool() {
				w.values = values(f.Value)
			}
			c.words = append(c.words, w)
			if f.Tag.Negatable != "" {
				c.words = append(c.words, word{text: "--no-" + f.Name, help: "Not: " + firstSentence(f.Help)})
			}
		}
	}
	return append([]completed{c}, below...)
}

func values(v *kong.Value) []string {
	return slices.DeleteFunc(append([]string{}, v.EnumSlice()...), func(s string) bool { return s == "" })
}

// firstSentence shortens a help text for a list.
func firstSentence(help string) string {
	first, _, _ := strings.Cut(help, ". ")
	first, _, _ = strings.Cut(strings.TrimSuffix(first, "."), " (")
	return first
}

// findPath is shell code, for bash and zsh alike, that finds the command among the words
// before the one to complete. They are not called words: to zsh, that is the whole line.
const findPath = `  local at= word
  for word in "${before[@]}"; do
    case "$at/$word" in
    %s) at="$at/$word" ;;
    esac
  done
`

// paths joins the paths of all commands as a pattern of a case.
func paths(all []completed, separator string) string {
	var list []string
	for _, c := range all[1:] {
		list = append(list, c.path)
	}
	return strings.Join(list, separator)
}

func bashCompletion(all []completed) string {
	var b strings.Builder
	b.WriteString("# bash completion for agekit, made by: agekit completion bash\n_agekit() {\n  local cur=\"${COMP_WORDS[COMP_CWORD]}\" prev=\"${COMP_WORDS[COMP_CWORD-1]}\" list=\n  local -a before=(\"${COMP_WORDS[@]:1:COMP_CWORD-1}\")\n")
	fmt.Fprintf(&b, findPath, paths(all, "|"))
	b.WriteString("  case \"$at:$prev\" in\n")
	for _, c := range all {
		for _, w := range c.words {
			if w.text != "" && w.values != nil {
				fmt.Fprintf(&b, "  %s:%s) list=%s ;;\n", c.path, w.text, quote(strings.Join(w.values, " ")))
			}
		}
	}
	b.WriteString("  *)\n    case \"$at\" in\n")
	for _, c := range all {
		var list []string
		for _, w := range c.words {
			if list = append(list, w.text); w.text == "" {
				list = append(list, w.values...)
			}
		}
		fmt.Fprintf(&b, "    %s) list=%s ;;\n", quote(c.path), quote(strings.TrimSpace(strings.Join(list, " "))))
	}
	b.WriteString("    esac ;;\n  esac\n  COMPREPLY=($(compgen -W \"$list\" -- \"$cur\"))\n}\ncomplete -o default -o bashdefault -F _agekit agekit\n")
	return b.String()
}

func zshCompletion(all []completed) string {
	var b strings.Builder
	b.WriteString("#compdef agekit\n# zsh completion for agekit, made by: agekit completion zsh\n_agekit() {\n  local -a list before=(\"${words[@]:1:$((CURRENT-2))}\")\n  local prev=\"${words[CURRENT-1]}\"\n")
	fmt.Fprintf(&b, findPath, paths(all, "|"))
	b.WriteString("  case \"$at:$prev\" in\n")
	for _, c := range all {
		for _, w := range c.words {
			if w.text != "" && w.values != nil {
				complete := "_files"
				if len(w.values) > 0 {
					complete = "compadd -- " + quoted(w.values)
				}
				fmt.Fprintf(&b, "  %s:%s) %s; return ;;\n", c.path, w.text, complete)
			}
		}
	}
	b.WriteString("  esac\n  case \"$at\" in\n")
	for _, c := range all {
		fmt.Fprintf(&b, "  %s)\n    list=(\n", quote(c.path))
		for _, w := range c.words {
			if w.text != "" {
				fmt.Fprintf(&b, "      %s\n", quote(strings.ReplaceAll(w.text, ":", `\:`)+":"+w.help))
			}
			if w.text == "" && len(w.values) > 0 {
				fmt.Fprintf(&b, "      %s\n", quoted(w.values))
			}
		}
		b.WriteString("    ) ;;\n")
	}
	b.WriteString("  esac\n  _describe agekit list\n  _files\n}\nif [ \"$funcstack[1]\" = _agekit ]; then _agekit \"$@\"; else compdef _agekit agekit; fi\n")
	return b.String()
}

func fishCompletion(all []completed) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# fish completion for agekit, made by: agekit completion fish\nfunction __agekit_at\n  set -l at ''\n  for word in (commandline -opc)[2..-1]\n    switch \"$at/$word\"\n      case %s\n        set at \"$at/$word\"\n    end\n  end\n  test \"$at\" = \"$argv[1]\"\nend\n", paths(all, " "))
	for _, c := range all {
		for _, w := range c.words {
			line := fmt.Sprintf("complete -c agekit -n %s", quote("__agekit_at "+quote(c.path)))
			switch {
			case strings.HasPrefix(w.text, "--"):
				line += " -l " + w.text[2:]
				if len(w.values) > 0 {
					line += " -x -a " + quote(strings.Join(w.values, " "))
				} else if w.values != nil {
					line += " -r"
				}
			case w.text != "":
				line += " -f -a " + w.text // a group of commands takes no file
			case len(w.values) > 0:
				line += " -a " + quote(strings.Join(w.values, " "))
			default:
				continue
			}
			fmt.Fprintf(&b, "%s -d %s\n", line, quote(w.help))
		}
	}
	return b.String()
}

// quote quotes a text for a shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

func quoted(texts []string) string {
	var all []string
	for _, t := range texts {
		all = append(all, quote(t))
	}
	return strings.Join(all, " ")
}
