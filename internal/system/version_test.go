package system

import (
	"runtime/debug"
	"strings"
	"testing"
)

// TestVersionFrom: the version, the code and the line for a bug report are as written here by hand, from what
// Go records for releases, working copies and builds without stamps.
func TestVersionFrom(t *testing.T) {
	const revision, short = "93cdc4c09f7a3567acef4f1c53fac6840c511748", "93cdc4c09f7a"
	stamps := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs.revision", Value: revision}, {Key: "vcs.time", Value: "2026-11-23T09:32:59Z"}, {Key: "vcs.modified", Value: modified}}
	}
	for _, c := range []struct {
		about         string
		main          string               // the module's version that Go recorded
		settings      []debug.BuildSetting // that Go recorded
		version, code string               // wanted
		line          string               // a part of the wanted line
	}{
		{
			about: "a release", main: "v1.2.3",
			version: "v1.2.3", code: "v1.2.3", line: "agekit v1.2.3, go",
		},
		{
			about: "a pseudo-version of the go command", main: "v0.0.0-1-2+dirty", settings: stamps("true"),
			version: "v0.0.0-1-2+dirty", code: revision + "-dirty", line: "+dirty " + revision + "-dirty, go",
		},
		{
			about: "a working copy", main: "(devel)", settings: stamps("false"),
			version: "v0.0.0-20261123093259-" + short, code: revision, line: short + " " + revision + ", go",
		},
		{
			about: "a working copy with changes", settings: stamps("true"),
			version: "v0.0.0-20261123093259-" + short + "+dirty", code: revision + "-dirty",
		},
		{
			about: "no stamps", main: "(devel)",
			version: UnknownVersion, code: UnknownVersion, line: "agekit, version unknown (this build has no VCS stamps), go",
		},
		{
			about: "only changes", main: "(devel)", settings: stamps("true")[2:],
			version: UnknownVersion, code: UnknownVersion, line: "version unknown",
		},
	} {
		info := &debug.BuildInfo{Settings: c.settings}
		info.Main.Version = c.main
		v := versionFrom(info)
		if v.Version != c.version || v.Code() != c.code || !strings.Contains(v.String(), c.line) || strings.Contains(v.String(), "devel") {
			t.Errorf("%s: version %q, code %q, want %q and %q; line %q", c.about, v.Version, v.Code(), c.version, c.code, v)
		}
	}
}

// TestLinked: a commit that the linker was told is taken where Go recorded none, and no other.
func TestLinked(t *testing.T) {
	commit = "93cdc4c09f7a3567acef4f1c53fac6840c511748-dirty"
	defer func() { commit = "" }()
	if v := versionFrom(&debug.BuildInfo{}); v.Code() != commit || !strings.HasPrefix(v.String(), "agekit unknown "+commit+", go") {
		t.Error(v)
	}
	recorded := &debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "other"}}}
	if v := versionFrom(recorded); v.Code() != "other" {
		t.Error(v)
	}
}
