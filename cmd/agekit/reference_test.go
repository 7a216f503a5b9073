package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// update makes tests that compare a file with what the program says write the file instead.
var update = flag.Bool("update", false, "write docs/cli.md")

// TestCLIReference: docs/cli.md is what reference makes of the program's help; with -update, the file is
// written.
func TestCLIReference(t *testing.T) {
	const path = "../../docs/cli.md"
	want := reference(newParser(io.Discard, io.Discard, func(int) {}).Model)
	if *update {
		put(t, path, want)
	}
	page := read(t, path)
	if string(page) == want {
		return
	}
	got, wanted := strings.Split(string(page), "\n"), strings.Split(want, "\n")
	k := 0 // the first line that differs
	for k < min(len(got), len(wanted)) && got[k] == wanted[k] {
		k++
	}
	t.Errorf("docs/cli.md:%d: not what the program's help says; to write it again: go test ./cmd/agekit -run TestCLIReference -update", k+1)
}

// reference returns the help of all commands that are not hidden as a page of Markdown: a list of the
// commands, and a section for each.
func reference(app *kong.Application) string {
	var contents, sections strings.Builder
	var add func(*kong.Node)
	add = func(n *kong.Node) {
		name, depth := n.FullPath(), n.Depth()
		fmt.Fprintf(&contents, "%s- [%s](#%s): %s\n", strings.Repeat("  ", depth), name, strings.ReplaceAll(name, " ", "-"), prose(n.Help))
		fmt.Fprintf(&sections, "\n##%s %s\n\n%s", strings.Repeat("#", depth), name, helpSection(n))
		for _, child := range n.Children {
			if !child.Hidden {
				add(child)
			}
		}
	}
	for _, n := range app.Children {
		if !n.Hidden {
			add(n)
		}
	}
	return "# Commands of agekit\n\n" +
		"<!-- Made from the program's help by go test ./cmd/agekit -run TestCLIReference -update. Edit the help instead. -->\n\n" +
		prose(app.Help) + " This page has what `--help` prints for each command. Exit codes: 0 success, 1 failure, 2 a mistake on the command line.\n\n" +
		contents.String() + sections.String()
}

// helpSection returns the help of one command: its text, and tables of its arguments and flags.
func helpSection(n *kong.Node) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n    agekit %s\n", prose(n.Help), n.Summary())
	b.WriteString(helpText(n.Detail))
	if len(n.Positional) > 0 {
		b.WriteString(helpTable("arguments"))
	}
	for _, p := range n.Positional {
		fmt.Fprintf(&b, "| %s | %s |\n", code(p.Summary()), prose(p.Help))
	}
	const noGroup = "flags"                                       // the title of those without a group, which are first, as in --help
	titles, flags := []string{noGroup}, map[string][]*kong.Flag{} // flags by the title of their group
	for _, ofNode := range n.AllFlags(true)[1:] {                 // without those of agekit itself, which all commands have
		for _, f := range ofNode {
			title := noGroup
			if f.Group != nil {
				title = strings.ToLower(strings.TrimSuffix(f.Group.Title, ":"))
			}
			if !slices.Contains(titles, title) {
				titles = append(titles, title)
			}
			flags[title] = append(flags[title], f)
		}
	}
	for _, title := range titles {
		if len(flags[title]) > 0 {
			b.WriteString(helpTable(title))
		}
		for _, f := range flags[title] {
			b.WriteString(helpRow(f))
		}
	}
	return b.String()
}

// helpTable returns the head of a table of two columns.
func helpTable(title string) string { return fmt.Sprintf("\n| %s | |\n|---|---|\n", title) }

// helpRow returns the row of a flag: its name with a placeholder, and its help with the default.
func helpRow(f *kong.Flag) string {
	zero := settingOf(f).Zero // the default of a setting
	hasPlaceholder := f.PlaceHolder != "" && f.PlaceHolder != zero
	hasDefault := f.HasDefault || zero != ""
	name, help := "--"+f.Name, prose(f.Help)
	switch {
	case f.Tag.Negatable != "":
		name = "--[no-]" + f.Name
	case !f.IsBool() && (hasPlaceholder || !hasDefault):
		name += "=" + f.FormatPlaceHolder()
	}
	if shown := cmp.Or(f.Default, zero); shown != "" {
		help += " Default: " + strings.ReplaceAll(code(shown), ",", "`, `") + "."
	}
	return fmt.Sprintf("| %s | %s |\n", code(name), help)
}

// helpText returns the second part of a command's help as Markdown: each paragraph in one line, and
// indented lines as a block of code.
func helpText(detail string) string {
	var b strings.Builder
	var paragraph, block []string // lines of the paragraph, or of the block, that is read
	end := func() {               // writes either
		if len(paragraph) > 0 {
			fmt.Fprintf(&b, "\n%s\n", prose(strings.Join(paragraph, " ")))
		}
		if len(block) > 0 {
			language := "text"
			if strings.HasSuffix(b.String(), "\nExamples:\n") {
				language = "sh"
			}
			fmt.Fprintf(&b, "\n```%s\n%s\n```\n", language, strings.Join(block, "\n"))
		}
		paragraph, block = nil, nil
	}
	for line := range strings.SplitSeq(detail, "\n") {
		command, indented := strings.CutPrefix(line, "  ")
		if line == "" || indented != (len(block) > 0) {
			end()
		}
		if indented {
			block = append(block, command)
		} else if line != "" {
			paragraph = append(paragraph, line)
		}
	}
	end()
	return b.String()
}

// prose returns text as Markdown that shows it as it is, also inside a table.
func prose(text string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`).Replace(text)
}

// code returns text as code in Markdown, also inside a table.
func code(text string) string { return "`" + strings.ReplaceAll(text, "|", `\|`) + "`" }
