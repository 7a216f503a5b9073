package main

import (
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/agekit/age/internal/system"
)

// The command and the flag print the same line; JSON has the same values.
func TestVersion(t *testing.T) {
	code, line, errs := age(t, "version")
	if code != 0 || !regexp.MustCompile(`^agekit( v\S+( [0-9a-f]{40}(-dirty)?)?|, version unknown \(.*\)), go\S+.*, `+runtime.GOOS+"/"+runtime.GOARCH+`, (avx512|avx2|neon|go)\n$`).MatchString(line) {
		t.Errorf("exit %d, %q %s", code, line, errs)
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
