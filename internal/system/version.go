package system

// This part identifies the program in bug reports, records and measurements.

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/agekit/age/internal/simd"
	"golang.org/x/mod/module"
)

// UnknownVersion is the version and the revision of a build that records neither.
const UnknownVersion = "unknown"

// commit is set by the linker where Go records none, as in a linked worktree of git or a
// build of a source archive: -ldflags=-X=github.com/agekit/age/internal/system.commit=…
var commit string

// release is set likewise by scripts/program.sh: the version in CHANGELOG.md.
var release string

// Version identifies a program and its platform.
type Version struct {
	// Version is the module's: a tag, or for a build from a working copy a pseudo-version,
	// which ends in +dirty if files were changed.
	Version string `json:"version"`
	// Commit ends in -dirty if files were changed; empty if it was not recorded.
	Commit string `json:"commit,omitempty"`
	Go     string `json:"go"`
	OS     string `json:"os"`
	Arch   string `json:"arch"`
	SIMD   string `json:"simd"`
}

// ProgramVersion returns the version of the running program.
func ProgramVersion() Version {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return versionFrom(info)
}

// versionFrom returns the version from what Go recorded when it built the program: the module's, or for a
// working copy one made of its commit. A release that the linker was told replaces the version, and a
// commit that the linker was told is taken where Go recorded none.
func versionFrom(info *debug.BuildInfo) Version {
	v := Version{Version: info.Main.Version, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, SIMD: simd.Level()}
	recorded := map[string]string{}
	for _, s := range info.Settings {
		recorded[s.Key] = s.Value
	}
	v.Commit = recorded["vcs.revision"]
	if v.Version == "" || v.Version == "(devel)" {
		v.Version = UnknownVersion
		if committed, err := time.Parse(time.RFC3339, recorded["vcs.time"]); err == nil && v.Commit != "" {
			v.Version = module.PseudoVersion("", "", committed, v.Commit[:min(12, len(v.Commit))]) // 12 digits, as Go does
			if recorded["vcs.modified"] == "true" {
				v.Version += "+dirty"
			}
		}
	}
	if v.Commit != "" && recorded["vcs.modified"] == "true" {
		v.Commit += "-dirty"
	}
	v.Commit = cmp.Or(v.Commit, commit)
	if release != "" {
		v.Version = release
	}
	return v
}

// Code names the source that the program was built from: its commit or, if the
// build did not record it, its version.
func (v Version) Code() string { return cmp.Or(v.Commit, v.Version) }

// String returns one line with what a bug report needs.
func (v Version) String() string {
	name := " " + v.Version
	switch {
	case v.Commit != "":
		name += " " + v.Commit
	case v.Version == UnknownVersion:
		name = ", version unknown (this build has no VCS stamps)"
	}
	return fmt.Sprintf("agekit%s, %s, %s/%s, %s", name, v.Go, v.OS, v.Arch, v.SIMD)
}
