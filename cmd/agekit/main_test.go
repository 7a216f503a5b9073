package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/internal/simd"
)

// age runs the command line agekit ARGS in this process, and returns its exit code and what it printed.
func age(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = execute(t.Context(), args, &out, &errs)
	return code, out.String(), errs.String()
}

// TestExitCodes: agekit without arguments, and a group of commands such as agekit data, print their
// help with exit code 0, as --help does. An unknown argument is misuse, exit code 2.
func TestExitCodes(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // where no plugin is installed
	for _, test := range []struct {
		args string
		code int
		says string // in stdout or stderr
	}{
		{"", 0, "walkthrough"}, // as --help
		{"--help", 0, "walkthrough"},
		{"data", 0, "data fetch"},
		{"data nothing", 2, "unexpected argument nothing"},
	} {
		code, out, errs := age(t, strings.Fields(test.args)...)
		if code != test.code || !strings.Contains(out+errs, test.says) {
			t.Errorf("agekit %s: exit %d, want %d with %q; it printed\n%s%s", test.args, code, test.code, test.says, out, errs)
		}
	}
}

// TestHelp: the help of each of these commands has the command's name and an example.
func TestHelp(t *testing.T) {
	for _, command := range []string{
		"compare", "sweep", "cache list", "cache prune", "doctor", "kernel install", "kernel list", "kernel remove", "backend list", "backend install", "walkthrough", "report", "reproduce", "version",
	} {
		code, out, _ := age(t, append(strings.Fields(command), "--help")...)
		if code != 0 || !strings.Contains(out, "agekit "+command) || !strings.Contains(out, "Examples:") {
			t.Errorf("agekit %s --help: exit %d and\n%s", command, code, out)
		}
	}
}

// TestBackendListJSON: backend list --json has the four backends. Those without XLA, native and go, are
// ready on every machine. What auto stands for is the backend that $AGEKIT_BACKEND names.
func TestBackendListJSON(t *testing.T) {
	t.Setenv("AGEKIT_BACKEND", backend.Go)
	report := asJSON[backendReport](t, "backend", "list")
	if report.Auto.Name != backend.Go {
		t.Errorf("auto is %s, want %s", report.Auto.Name, backend.Go)
	}
	var listed []string
	for _, b := range report.Backends {
		listed = append(listed, b.Name)
		if isXLA := strings.HasPrefix(b.Name, "xla:"); !isXLA && !b.Ready {
			t.Errorf("%s is not ready: %s", b.Name, b.Problem)
		}
	}
	if want := []string{backend.Native, backend.Go, backend.XLACPU, backend.XLACUDA}; !slices.Equal(listed, want) {
		t.Errorf("backends %q, want %q", listed, want)
	}
}

// TestDoctor: the doctor finds what every machine that runs the tests has: Go, the native backend and
// Cora. With an empty PATH, it finds that Go and Python are missing. The exit code is 1 if something is
// missing.
func TestDoctor(t *testing.T) {
	code, out, _ := age(t, "doctor", "--json")
	states := map[string]string{}
	wantCode := 0
	for _, f := range decoded[[]finding](t, out) {
		states[f.Name] = f.State
		if f.State == missing {
			wantCode = 1
		}
	}
	if states["Go"] != fine || states["backend native"] != fine || states["data cora"] != fine {
		t.Errorf("findings %s", out)
	}
	if code != wantCode {
		t.Errorf("exit %d, want %d for %s", code, wantCode, out)
	}

	t.Setenv("PATH", t.TempDir())
	code, out, errs := age(t, "doctor")
	if code != 1 || !strings.Contains(out, "missing  Go") || !strings.Contains(out, "missing  Python") || !strings.Contains(errs, troubleshooting) {
		t.Errorf("with an empty PATH: exit %d and\n%s%s", code, out, errs)
	}
}

// TestWrongLevel: a SIMD level that no processor has, in $AGEKIT_SIMD, is a usage error (exit code 2) of
// agekit version, as of any command. agekit doctor --help works nevertheless. Of a long level, the middle is
// left out: how much, depends on the levels of this machine, so that it is in no script.
func TestWrongLevel(t *testing.T) {
	p := newPlace(t)
	levels := "want one that this processor has: " + strings.Join(simd.Levels(), ", ")
	for level, quoted := range map[string]string{
		"sse2":                      `"sse2": `,
		strings.Repeat("9", 120000): `9": `,
	} {
		p.env = []string{"AGEKIT_SIMD=" + level}
		for args, want := range map[string]int{"version": 2, "doctor --help": 0} {
			e := p.run(t, strings.Fields(args)...)
			isNamed := strings.Contains(e.stderr, `AGEKIT_SIMD: SIMD level "`+level[:4]) && strings.Contains(e.stderr, quoted+levels)
			if e.code != want || want != 0 && !isNamed {
				t.Errorf("%s: exit code %d, want %d, and it printed %.1000s", args, e.code, want, e.stderr)
			}
			if want != 0 {
				e.checkMessage(t)
			}
		}
	}
}
