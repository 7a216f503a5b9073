package main

import (
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/agekit/age/internal/system"
)

// TestVersion: agekit version prints a line with the versions of the program and of Go, the system and the
// SIMD level. The flag --version, anywhere on the command line, prints the same line, and version --json has
// the same values.
func TestVersion(t *testing.T) {
	line, _ := succeeds(t, "version")
	const program, level = `agekit( v\S+( [0-9a-f]{40}(-dirty)?)?|, version unknown \(.*\))`, `(avx512|avx2|neon|go)`
	want := regexp.MustCompile("^" + program + `, go\S+.*, ` + runtime.GOOS + "/" + runtime.GOARCH + ", " + level + "\n$")
	if !want.MatchString(line) {
		t.Errorf("%q, want %s", line, want)
	}
	for _, args := range [][]string{{"--version"}, {"fit", "--version"}, {"--version", "doctor"}} {
		if code, out, errs := age(t, args...); code != 0 || out != line {
			t.Errorf("agekit %v: exit %d, %q %s, want %q", args, code, out, errs, line)
		}
	}
	if v := asJSON[system.Version](t, "version"); v.String() != strings.TrimSpace(line) {
		t.Errorf("%+v, want %q", v, line)
	}
}
