package main

import (
	"fmt"

	"github.com/alecthomas/kong"
)

// firstPage prints the help of commands. It leaves out flags with the tag more and, on the page of all
// commands, commands with this tag, unless all is set, as --help-all does.
type firstPage struct{ all bool }

// more is the tag of what the first page of a help leaves out.
const more = "more"

// print prints the help of the command that ctx has selected, or the page of all commands. It ends with a
// line about --help-all if something was left out.
func (p *firstPage) print(o kong.HelpOptions, ctx *kong.Context) error {
	hidden := 0
	if !p.all {
		hidden = hideMore(ctx)
	}
	if hidden == 0 {
		for _, f := range ctx.Model.Flags {
			f.Hidden = f.Hidden || f.Name == "help-all"
		}
		return kong.DefaultHelpPrinter(o, ctx)
	}
	if err := kong.DefaultHelpPrinter(o, ctx); err != nil {
		return err
	}
	command, what := ctx.Model.Name, "commands" // on the page of all commands
	if n := ctx.Selected(); n != nil {
		command, what = n.FullPath(), "flags"
	}
	_, err := fmt.Fprintf(ctx.Stdout, "\n%s --help-all lists %d more %s.\n", command, hidden, what)
	return err
}

// hideMore hides the flags and commands that the first page leaves out, and returns how many these are.
func hideMore(ctx *kong.Context) (hidden int) {
	if ctx.Selected() == nil {
		for _, command := range ctx.Model.Children {
			if command.Tag.Has(more) {
				command.Hidden = true
				hidden++
			}
		}
	}
	for _, f := range ctx.Flags() {
		if f.Tag.Has(more) && !f.Hidden {
			f.Hidden = true
			hidden++
		}
	}
	return hidden
}

// helpAllFlag is --help-all.
type helpAllFlag bool

// BeforeReset prints the help, as --help does.
func (helpAllFlag) BeforeReset(ctx *kong.Context, p *firstPage) error {
	p.all = true
	if err := ctx.PrintUsage(false); err != nil {
		return err
	}
	ctx.Exit(0)
	return nil
}

// helpGroups are the groups of flags in the help.
var helpGroups = []kong.Group{
	{Key: "data", Title: "Data:"},
	{Key: "tables", Title: "Tables:"},
	{Key: "clusters", Title: "Clusters:"},
	{Key: "method", Title: "Method:"},
	{Key: "training", Title: "Training:"},
	{Key: "output", Title: "Output:"},
	{Key: "engine", Title: "Large graphs:"},
}
