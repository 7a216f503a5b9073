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

// debianList returns a list of 152 packages: libc6, a library that needs it, 120 games that need
// the library and game0, and 30 documents. A second game7 in another section follows.
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

// TestDebian: the same list, in a folder like apt's beside a shorter list of updates, gives the
// graph that was found by hand: plain, packed by gzip, and packed by lz4. Status names the list.
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
	const libc6, game0, lastDoc = 0, 2, 151 // nodes
	for extension, content := range map[string][]byte{"": []byte(text), ".gz": zipped.Bytes(), ".lz4": packed.Bytes()} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "deb.example.org_debian_dists_x_main_binary-amd64_Packages"+extension), content)
		write(t, filepath.Join(dir, "deb.example.org_debian_dists_x-updates_main_binary-amd64_Packages"), []byte("Package: x\n"))
		g, err := Load(t.Context(), "debian", Options{Offline: true, aptLists: dir})
		if err != nil {
			t.Fatalf("%q: %v", extension, err)
		}
		if g.N() != 152 || g.NodeNames[game0] != "game0" {
			t.Errorf("%q: %d nodes, want 152, the second game7 not among them", extension, g.N())
		}
		// Only the games are 100 packages or more of a section.
		const games, other = 0, 1 // classes
		if !slices.Equal(g.ClassNames, []string{"games", "other"}) {
			t.Errorf("%q: classes %v", extension, g.ClassNames)
		}
		if g.Labels[libc6] != other || g.Labels[game0] != games || g.Labels[lastDoc] != other {
			t.Errorf("%q: labels %v", extension, g.Labels)
		}
		// The library needs libc6, each game needs the library, and each but game0 needs game0.
		if want := 1 + 120 + 119; g.Edges() != want {
			t.Errorf("%q: %d edges, want %d", extension, g.Edges(), want)
		}
		if want := []string{"desktop", "documentation", "game", "strategy"}; !slices.Equal(g.FeatureNames, want) {
			t.Errorf("%q: words %v, want %v", extension, g.FeatureNames, want)
		}
		// "Strategy game, for the desktop"
		if columns, _ := g.Features.Sparse.Row(game0); !slices.Equal(columns, []int32{0, 2, 3}) {
			t.Errorf("%q: game0 has the words %v, want desktop, game and strategy", extension, columns)
		}
		if status, err := Status(t.Context(), "debian", Options{aptLists: dir}); err != nil || status[0].State != OK || !strings.HasPrefix(status[0].Path, dir) {
			t.Errorf("%q: status %+v, %v", extension, status, err)
		}
	}
}

// TestDebianErrors: without any list, the error is ErrMissing and says how to get one. A list that
// is damaged, too short or wrongly packed is an error that says what is wrong.
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
		"\x1f\x8b\x08\x00rest":                   "Packages: ", // as if packed by gzip
		"\x04\x22\x4d\x18rest":                   "Packages: ", // as if packed by lz4
	} {
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(t.Context(), "debian", Options{Offline: true, aptLists: dir}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", content, err, want)
		}
	}
}
