package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/backend"
)

// age runs one command line.
func age(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = execute(t.Context(), args, &out, &errs)
	return code, out.String(), errs.String()
}

// TestExitCodes: a group of commands prints its help with exit code 0, as --help does; an unknown
// argument is misuse, 2.
func TestExitCodes(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // no plugin is installed
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

// TestHelp: the help of each command has its name and an example.
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

// TestBackendListJSON: the list has the four backends, those in Go ready, and what the environment chooses.
func TestBackendListJSON(t *testing.T) {
	t.Setenv("AGEKIT_BACKEND", "go")
	report := asJSON[backendReport](t, "backend", "list")
	if report.Auto.Name != backend.Go || len(report.Backends) != 4 || !report.Backends[0].Ready || !report.Backends[1].Ready {
		t.Errorf("report %+v", report)
	}
}

// TestDoctor: the doctor's findings are right about what every test run has, and with an empty PATH;
// its exit code is 1 where something is missing.
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

// TestWrongLevel: a SIMD level that this machine does not have is a usage error
// of every command but the doctor, which says what is wrong.
func TestWrongLevel(t *testing.T) {
	p := newPlace(t)
	p.env = []string{"AGEKIT_SIMD=sse2"}
	for args, want := range map[string]int{"version": 2, "doctor --help": 0} {
		e := p.run(t, strings.Fields(args)...)
		if e.code != want || want != 0 && !strings.Contains(e.stderr, `AGEKIT_SIMD: SIMD level "sse2": want one that this processor has`) {
			t.Errorf("%s: exit code %d, want %d, and it printed %s", args, e.code, want, e.stderr)
		}
	}
}
