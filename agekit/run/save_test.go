package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLoad: errors name the file.
func TestLoad(t *testing.T) {
	dir := t.TempDir()
	put := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	fails := func(want string) {
		t.Helper()
		if _, err := Load(t.Context(), dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	fails("run.json does not exist: want the folder of a run")
	put("run.json", "{")
	fails("run.json: unexpected end of JSON input")
	put("run.json", `{"n": 2, "clusters": [{}, {}], "columns": {"id": "id", "cluster": "cluster"}}`)
	fails("nodes.csv")
	put("nodes.csv", "id,cluster\na,0\nb,1\nc,1\n")
	fails("has 2 nodes, nodes.csv 3: want files of the same run")
	put("nodes.csv", "id,cluster\na,0\nb,1\n")
	put("model.npz", "no archive")
	fails("model.npz")
	os.Remove(filepath.Join(dir, "model.npz"))
	p, err := Load(t.Context(), dir)
	if err != nil || p.Model != nil || p.Nodes().Rows != 2 {
		t.Fatalf("%+v, %v", p, err)
	}
}
