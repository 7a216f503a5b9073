package main

import (
	"fmt"
	"io"

	"github.com/agekit/age/internal/version"
	"github.com/alecthomas/kong"
)

// VersionCmd is `agekit version`.
type VersionCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// Help is the second part of `agekit version --help`.
func (VersionCmd) Help() string {
	return `Prints one line with what a bug report needs. The version is the module's. A build from a
working copy has a pseudo-version of its commit, which ends in +dirty if files were changed;
the commit itself follows.

Examples:
  agekit version
  agekit version --json`
}

// thisVersion identifies this program.
func thisVersion() version.Version { return version.Program() }

// Run prints the version.
func (c *VersionCmd) Run(rt *Runtime) error {
	v := thisVersion()
	return emit(rt, c.JSON, v, func(w io.Writer) { fmt.Fprintln(w, v) })
}

// versionFlag is --version: it prints the line of `agekit version`, wherever it
// appears on the command line.
type versionFlag bool

// BeforeReset runs before all checks, so that --version needs no command.
func (versionFlag) BeforeReset(app *kong.Kong) error {
	fmt.Fprintln(app.Stdout, thisVersion())
	app.Exit(0)
	return nil
}
