package system

import (
	"runtime/debug"
	"strings"
	"testing"
)

// TestVersionFrom: the version, the commit and the line of a bug report, from what Go records for
// releases, working copies and builds without stamps.
func TestVersionFrom(t *testing.T) {
	const revision, short = "93cdc4c09f7a3567acef4f1c53fac6840c511748", "93cdc4c09f7a"
	stamps := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs.revision", Value: revision}, {Key: "vcs.time", Value: "2026-11-23T09:32:59Z"}, {Key: "vcs.modified", Value: modified}}
	}
	for _, c := range []struct {
		about, main   string
		settings      []debug.BuildSetting
		version, code string
		line          string // a part of the line
	}{
		{"a release", "v1.2.3", nil, "v1.2.3", "v1.2.3", "agekit v1.2.3, go"},
		{"a pseudo-version of the go command", "v0.0.0-1-2+dirty", stamps("true"), "v0.0.0-1-2+dirty", revision + "-dirty", "+dirty " + revision + "-dirty, go"},
		{"a working copy", "(devel)", stamps("false"), "v0.0.0-20261123093259-" + short, revision, short + " " + revision + ", go"},
		{"a working copy with changes", "", stamps("true"), "v0.0.0-20261123093259-" + short + "+dirty", revision + "-dirty", ""},
		{"no stamps", "(devel)", nil, UnknownVersion, UnknownVersion, "agekit, version unknown (this build has no VCS stamps), go"},
		{"only changes", "(devel)", stamps("true")[2:], UnknownVersion, UnknownVersion, "version unknown"},
	} {
		info := &debug.BuildInfo{Settings: c.settings}
		info.Main.Version = c.main
		v := versionFrom(info)
		if v.Version != c.version || v.Code() != c.code || !strings.Contains(v.String(), c.line) || strings.Contains(v.String(), "devel") {
			t.Errorf("%s: version %q, code %q, want %q and %q; line %q", c.about, v.Version, v.Code(), c.version, c.code, v)
		}
	}
}

// TestLinked: a commit that the linker was told counts where Go recorded none.
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
