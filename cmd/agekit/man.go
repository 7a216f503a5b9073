package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/agekit/age/internal/system"
	"github.com/alecthomas/kong"
)

type manCmd struct{}

// Run prints a manual page in the language of man(7).
func (manCmd) Run(rt *Runtime) error {
	app := newParser(io.Discard, io.Discard, func(int) {}).Model
	var b strings.Builder
	fmt.Fprintf(&b, ".TH AGEKIT 1 \"\" \"agekit %s\" \"User Commands\"\n.ad l\n.SH NAME\nagekit \\- embeddings and clusters of attributed graphs\n.SH SYNOPSIS\n.B agekit\n.I command\n[arguments] [flags]\n.SH DESCRIPTION\n%s\n.SH COMMANDS\n", roff(system.ProgramVersion().Version), roff(app.Help))
	manCommands(&b, app.Node)
	b.WriteString(".SH EXIT STATUS\n0 for success, 1 for failure, 2 for a mistake on the command line.\n")
	_, err := io.WriteString(rt.Stdout, b.String())
	return err
}

func manCommands(b *strings.Builder, n *kong.Node) {
	for _, child := range n.Children {
		if child.Hidden {
			continue
		}
		if len(child.Children) == 0 {
			fmt.Fprintf(b, ".SS \"agekit %s\"\n%s\n", roff(child.Summary()), roff(child.Help))
			manDetail(b, child.Detail)
			for _, p := range child.Positional {
				manItem(b, p.Summary(), p.Help)
			}
			for _, group := range child.AllFlags(true)[1:] { // all have those of agekit itself
				for _, f := range group {
					manItem(b, f.Summary(), f.Help)
				}
			}
		}
		manCommands(b, child)
	}
}

// manDetail writes paragraphs, and examples as they are.
func manDetail(b *strings.Builder, text string) {
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		title, examples, ok := strings.Cut(paragraph, ":\n  ")
		switch {
		case paragraph == "":
		case ok:
			fmt.Fprintf(b, ".PP\n%s:\n.PP\n.nf\n  %s\n.fi\n", roff(title), roff(examples))
		default:
			fmt.Fprintf(b, ".PP\n%s\n", roff(paragraph))
		}
	}
}

func manItem(b *strings.Builder, name, help string) {
	fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(name), roff(help))
}

// roff escapes a text: backslashes, hyphens, which would be typeset, and what begins a
// request.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for k, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[k] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
