package main

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agekit/age/internal/files"
	"github.com/agekit/age/internal/testutil"
)

// TestVerifyTrusts: verify --again runs no code that a folder's manifest names, writes nowhere
// that it says, and compares all that this program says is the same.
func TestVerifyTrusts(t *testing.T) {
	p := newPlace(t)
	put(t, p.path("cwd", "karate.txt"), read(t, "../../assets/examples/karate.txt"))
	ran := func(want int, args string, says string) {
		t.Helper()
		e := p.run(t, strings.Fields(args)...)
		if text := strings.Join(strings.Fields(e.stdout+e.stderr), " "); e.code != want || !strings.Contains(text, says) {
			t.Errorf("agekit %s: exit code %d, want %d with %q:\n%s", args, e.code, want, says, text)
		}
	}
	change := func(folder, name string, change func(m *files.Manifest)) {
		t.Helper()
		path := p.path("cwd", folder, name)
		m, err := files.ReadManifest(path)
		if err != nil {
			t.Fatal(err)
		}
		change(m)
		text, err := files.EncodeManifest(*m)
		if err != nil {
			t.Fatal(err)
		}
		put(t, path, text)
	}
	plugin := p.path("cwd", "plugin.so")
	put(t, plugin, "code of others")
	const settings = " --layers 1 --epochs 3 --seeds 2 --dims 4"
	ran(0, "fit --edges karate.txt --layers 1 --epochs 3 --clusters 2 --dims 4 --out o", "")
	ran(0, "sweep --edges karate.txt --clusters 2..3 --out s"+settings, "")
	ran(0, "reproduce table2 --quick --methods LS --datasets planted:n=60,f=24,classes=3,words=4 --out r", "")

	change("s", "sweep.manifest.json", func(m *files.Manifest) { m.Settings["out"] = p.path("cwd", "elsewhere") })
	ran(0, "verify --again s", "sweep.svg same bytes")
	change("r", "table2.manifest.json", func(m *files.Manifest) {
		m.Settings["out"], m.Settings["report"] = p.path("cwd", "elsewhere"), p.path("cwd", "elsewhere.md")
	})
	ran(0, "verify --again --item table2 r", "table2.csv same bytes")
	for _, name := range []string{"elsewhere", "elsewhere.md"} {
		if _, err := os.Lstat(p.path("cwd", name)); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	// Labels that another program wrote, as times, which may differ.
	put(t, p.path("cwd", "o", "labels.txt"), strings.Repeat("0\n", 34))
	change("o", "run.manifest.json", func(m *files.Manifest) {
		for k := range m.Outputs {
			if f := &m.Outputs[k]; f.Path == "labels.txt" {
				f.Timed, f.Bytes, f.SHA256 = true, 68, fmt.Sprintf("%x", sha256.Sum256(read(t, p.path("cwd", "o", "labels.txt"))))
			}
		}
	})
	ran(0, "verify o", "labels.txt")
	ran(1, "verify --again o", "files differ: labels.txt of the second run")
	for _, folder := range []string{"o", "s", "r"} {
		name := map[string]string{"o": "run", "s": "sweep", "r": "table2"}[folder] + ".manifest.json"
		change(folder, name, func(m *files.Manifest) { m.Settings["backend"] = "xla:" + plugin })
		ran(1, "verify --again "+folder, "is code of others, which only the command line may choose")
	}
	put(t, p.path("cwd", "config.json"), fmt.Sprintf(`{"settings": {"edges": "karate.txt", "clusters": 2, "backend": "xla:%s"}}`, plugin))
	ran(2, "fit --config config.json --out o2", "is code of others, which only the command line may choose")
	ran(1, "fit --config config.json --view age --out o2 --backend xla:"+plugin, "plugin.so")
	left, err := filepath.Glob(p.path("tmp", "agekit-verify-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left among the temporary files: %q, %v", left, err)
	}
}

// TestTerminal: what a file says reaches no terminal as orders.
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
	m, err := files.ReadManifest(manifest)
	if err != nil {
		t.Fatal(err)
	}
	m.Code = []string{"agekit \x1b[2J\u009b"}
	text, err := files.EncodeManifest(*m)
	if err != nil {
		t.Fatal(err)
	}
	put(t, manifest, text)
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
