package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agekit/age/internal/provenance"
	"github.com/agekit/age/internal/testutil"
)

// TestConfigTrusts: agekit fit --config loads no XLA plugin that the file names by its path, in whatever form
// (a text, a list, an object): the exit code is 2. A plugin that the command line names with --backend is
// loaded, which fails here with exit code 1, since plugin.so is no library.
func TestConfigTrusts(t *testing.T) {
	p := newPlace(t)
	put(t, p.path("cwd", "karate.txt"), read(t, "../../assets/examples/karate.txt"))
	plugin := p.path("cwd", "plugin.so")
	put(t, plugin, "code of others")
	const refused = "is code of others, which only the command line may choose"
	for _, test := range []struct {
		backend, flags string // the JSON of the setting in the file, and more flags
		code           int    // the exit code
		says           string // a piece of the error
	}{
		{backend: `"xla:` + plugin + `"`, code: 2, says: refused},
		{backend: `["xla:` + plugin + `"]`, code: 2, says: "want a text"},
		{backend: `{"xla": "` + plugin + `"}`, code: 2, says: "want a text"},
		// A space at the beginning does not get a plugin past the check: no backend has that name.
		{backend: `" xla:` + plugin + `"`, code: 2, says: "unknown backend"},
		{backend: `"xla:` + plugin + `"`, flags: "--backend xla:" + plugin, code: 1, says: "plugin.so"},
	} {
		put(t, p.path("cwd", "config.json"), fmt.Sprintf(`{"settings": {"edges": "karate.txt", "clusters": 2, "backend": %s}}`, test.backend))
		e := p.run(t, strings.Fields("fit --config config.json --view age --out o "+test.flags)...)
		text := strings.Join(strings.Fields(e.stdout+e.stderr), " ") // in one line: errors are wrapped
		if e.code != test.code || !strings.Contains(text, test.says) {
			t.Errorf("backend %s, %s: exit code %d, want %d with %q:\n%s", test.backend, test.flags, e.code, test.code, test.says, text)
		}
	}
}

// TestTerminal: control characters in the names of columns and in a manifest, which a terminal would obey, are
// not in what agekit fit and agekit verify print. The latter prints ? in their place.
func TestTerminal(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	nodes, out := filepath.Join(dir, "n.csv"), filepath.Join(dir, "o")
	put(t, nodes, "\x1b[31mid,n\x1b]0;title\x07,m\u009b1m\n"+strings.Repeat("x,1,2\ny,2,3\nz,4,1\n", 3))
	code, printed, errs := age(t, "fit", "--nodes", nodes, "--knn", "2", "--clusters", "2", "--layers", "1", "--epochs", "2", "--no-map", "--verbose", "--out", out)
	if code != 0 || strings.ContainsAny(printed+errs, "\x1b\x07\u009b") {
		t.Errorf("exit code %d: %q", code, printed+errs)
	}
	manifest := filepath.Join(out, "run.manifest.json")
	m := testutil.Value(provenance.Read(manifest)).OrFatal(t)
	m.Code = []string{"agekit \x1b[2J\u009b"}
	put(t, manifest, testutil.Value(provenance.Encode(*m)).OrFatal(t))
	if code, printed, errs = age(t, "verify", out); code != 0 || strings.ContainsAny(printed+errs, "\x1b\u009b") || !strings.Contains(printed, "agekit ?[2J") {
		t.Errorf("exit code %d: %q", code, printed+errs)
	}
}

// misdirected checks that the server at the address refuses a request for another host than this machine, as
// a browser sends if a page of others gives its own name the address of this machine.
func misdirected(t *testing.T, address string) {
	t.Helper()
	r := testutil.Value(http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)).OrFatal(t)
	r.Host = "rebound.example:80"
	answer := testutil.Value(http.DefaultClient.Do(r)).OrFatal(t)
	answer.Body.Close()
	if answer.StatusCode != http.StatusMisdirectedRequest {
		t.Errorf("%s for another host: %s", address, answer.Status)
	}
}
