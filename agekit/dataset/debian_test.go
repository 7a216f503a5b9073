package dataset

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pierrec/lz4/v4"
)

// debianList is a list of packages: 120 games that need a library, which needs libc6,
// and 30 documents.
func debianList() string {
	var b strings.Builder
	put := func(name, section, depends, description string) {
		fmt.Fprintf(&b, "Package: %s\nVersion: 1.0-1\nDepends: %s\nDescription: %s\n and its rest: dropped\nTag: role::program,\n use::gameplaying\nSection: %s\n\n", name, depends, description, section)
	}
	put("libc6", "libs", "", "GNU C Library: shared libraries")
	put("libgame", "libs", "libc6 (>= 2.34), libc6 (<< 3)", "the Library of games")
	for i := range 120 {
		put(fmt.Sprint("game", i), "games", "libgame:any (= 1.0), nowhere | libc6, game0", "Strategy game, for the desktop")
	}
	for i := range 30 {
		put(fmt.Sprint("doc", i), "contrib/doc", "", fmt.Sprint("documentation of game ", i))
	}
	put("game7", "net", "libc6", "a second one with the same name")
	return b.String()
}

// TestDebian reads the same list plain, packed by gzip, by lz4, and as apt keeps it.
func TestDebian(t *testing.T) {
	emptyPlaces(t)
	text := debianList()
	var zipped, packed bytes.Buffer
	z, l := gzip.NewWriter(&zipped), lz4.NewWriter(&packed)
	for _, w := range []interface {
		Write([]byte) (int, error)
		Close() error
	}{z, l} {
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range map[string][]byte{"": []byte(text), ".gz": zipped.Bytes(), ".lz4": packed.Bytes()} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "deb.example.org_debian_dists_x_main_binary-amd64_Packages"+name), content)
		write(t, filepath.Join(dir, "deb.example.org_debian_dists_x-updates_main_binary-amd64_Packages"), []byte("Package: x\n"))
		g, err := Load(t.Context(), "debian", Options{Offline: true, aptLists: dir})
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		if g.N() != 152 || !slices.Equal(g.ClassNames, []string{"games", "other"}) || g.Labels[0] != 1 || g.Labels[2] != 0 || g.Labels[151] != 1 {
			t.Errorf("%q: %d nodes, classes %v", name, g.N(), g.ClassNames)
		}
		// Each game needs the library and game0; itself does not count.
		if want := 1 + 120 + 119; g.Edges() != want {
			t.Errorf("%q: %d edges, want %d", name, g.Edges(), want)
		}
		if want := []string{"desktop", "documentation", "game", "strategy"}; !slices.Equal(g.FeatureNames, want) {
			t.Errorf("%q: words %v, want %v", name, g.FeatureNames, want)
		}
		if columns, _ := g.Features.Sparse.Row(2); !slices.Equal(columns, []int32{0, 2, 3}) || g.NodeNames[2] != "game0" {
			t.Errorf("%q: %s has words %v", name, g.NodeNames[2], columns)
		}
		if status, err := Status(t.Context(), "debian", Options{aptLists: dir}); err != nil || status[0].State != OK || !strings.HasPrefix(status[0].Path, dir) {
			t.Errorf("%q: status %+v, %v", name, status, err)
		}
	}
}

// TestDebianErrors: a missing, damaged or too short list is an error that says what to do.
func TestDebianErrors(t *testing.T) {
	emptyPlaces(t)
	dir := t.TempDir()
	if _, err := Load(t.Context(), "debian", Options{Offline: true, aptLists: dir}); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "apt-get update") {
		t.Errorf("%v: want ErrMissing and what to do", err)
	}
	path := filepath.Join(dir, "x_main_binary-arm64_Packages")
	for content, want := range map[string]string{
		"Package: a\nnonsense\n":                 "line 2 is \"nonsense\": want FIELD: VALUE",
		"\n\n":                                   "no packages: want a list",
		"Package: a\nDescription: a short one\n": "no word occurs in 20 packages",
		"\x1f\x8b\x08\x00rest":                   "Packages: ",
		"\x04\x22\x4d\x18rest":                   "Packages: ",
	} {
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(t.Context(), "debian", Options{Offline: true, aptLists: dir}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", content, err, want)
		}
	}
}
