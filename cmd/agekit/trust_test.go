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

// TestConfigTrusts: fit --config loads no library that the file names, in whatever form the file names
// it. One that the command line names is loaded, and fails here, since it is no library.
func TestConfigTrusts(t *testing.T) {
	p := newPlace(t)
	put(t, p.path("cwd", "karate.txt"), read(t, "../../assets/examples/karate.txt"))
	plugin := p.path("cwd", "plugin.so")
	put(t, plugin, "code of others")
	const refused = "is code of others, which only the command line may choose"
	for _, test := range []struct {
		backend, flags string
		code           int
		says           string
	}{
		{`"xla:` + plugin + `"`, "", 2, refused},
		{`["xla:` + plugin + `"]`, "", 2, "is no text: want a name"},
		{`{"xla": "` + plugin + `"}`, "", 2, "is no text: want a name"},
		{`" xla:` + plugin + `"`, "", 2, "unknown backend"},
		{`"xla:` + plugin + `"`, "--backend xla:" + plugin, 1, "plugin.so"},
	} {
		put(t, p.path("cwd", "config.json"), fmt.Sprintf(`{"settings": {"edges": "karate.txt", "clusters": 2, "backend": %s}}`, test.backend))
		e := p.run(t, strings.Fields("fit --config config.json --view age --out o "+test.flags)...)
		text := strings.Join(strings.Fields(e.stdout+e.stderr), " ")
		if e.code != test.code || !strings.Contains(text, test.says) {
			t.Errorf("backend %s, %s: exit code %d, want %d with %q:\n%s", test.backend, test.flags, e.code, test.code, test.says, text)
		}
	}
}

// TestTerminal: control characters in the names of columns and in a manifest reach no terminal, which
// would obey them.
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

// misdirected asks for a page under another name than this machine's.
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
