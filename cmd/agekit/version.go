package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/agekit/age/internal/simd"
	"github.com/alecthomas/kong"
)

// VersionCmd is `agekit version`.
type VersionCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// Help is the second part of `agekit version --help`.
func (VersionCmd) Help() string {
	return `Prints one line with what a bug report needs. The version is the module's, or (devel)
for a build from a working copy; the commit ends in -dirty if files were changed.

Examples:
  agekit version
  agekit version --json`
}

// buildVersion identifies this program and its platform.
type buildVersion struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"` // may end in -dirty; empty if the build did not record it
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
	SIMD    string `json:"simd"`
}

func thisVersion() buildVersion {
	v := buildVersion{Version: "unknown", Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, SIMD: simd.Level()}
	if info, ok := debug.ReadBuildInfo(); ok {
		v.Version, v.Commit = info.Main.Version, recordedCommit(info)
	}
	return v
}

// String is the line that `agekit version` prints.
func (v buildVersion) String() string {
	commit := ""
	if v.Commit != "" {
		commit = " " + v.Commit
	}
	return fmt.Sprintf("agekit %s%s, %s, %s/%s, %s", v.Version, commit, v.Go, v.OS, v.Arch, v.SIMD)
}

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
