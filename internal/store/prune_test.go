package store

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestPrune: of three entries, of which two were written 100 hours ago, Prune removes the one that
// was not used for a day, since the other was read meanwhile. It removes none while the store is
// open. Entries lists the kinds, the one used last first, with blanks for what is not a letter.
func TestPrune(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	old, read, fresh := NewKey("encoder checkpoint", 1), NewKey("λ values", 2), NewKey("settings", 3)
	for _, key := range []Key{old, read, fresh} {
		if err := Put(s, key, 7); err != nil {
			t.Fatal(err)
		}
	}
	longAgo := time.Now().Add(-100 * time.Hour)
	for _, key := range []Key{old, read} {
		if err := os.Chtimes(s.path(key.typed(reflect.TypeFor[int]())), longAgo, longAgo); err != nil {
			t.Fatal(err)
		}
	}
	if v, ok := Stored[int](s, read); !ok || v != 7 {
		t.Fatalf("%d, %v", v, ok)
	}
	kinds := func() (all string) {
		entries, _, err := Entries(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			all += e.Kind + ";"
			if e.Size == 0 || time.Since(e.Used) > 101*time.Hour {
				t.Errorf("%+v", e)
			}
		}
		return all
	}
	if got := kinds(); got != "  values;settings;encoder checkpoint;" { // λ is a blank
		t.Errorf("kinds %q", got)
	}
	aDayAgo := time.Now().Add(-24 * time.Hour)
	if removed, _, err := Prune(dir, aDayAgo); !errors.Is(err, ErrInUse) || removed != nil {
		t.Errorf("%v, %v: want an error while the store is open", removed, err)
	}
	s.unlock() // as the end of the process does
	removed, others, err := Prune(dir, aDayAgo)
	if err != nil || others != nil || len(removed) != 1 || removed[0].Kind != "encoder checkpoint" {
		t.Errorf("removed %v, %v", removed, err)
	}
	if got := kinds(); got != "  values;settings;" {
		t.Errorf("kinds %q are left", got)
	}
	if removed, _, err := Prune(dir+"none", aDayAgo); removed != nil || err != nil {
		t.Errorf("no folder: %v, %v", removed, err)
	}
	if s, err = Open(dir); err != nil {
		t.Fatal(err)
	}
	if _, ok := Stored[int](s, old); ok {
		t.Error("the old entry is there")
	}
	if _, ok := Stored[int](s, fresh); !ok {
		t.Error("the fresh entry is gone")
	}
}

// TestPruneOthers: in a folder with files of somebody else, which end as entries do, Prune removes the
// entries alone and names the others: a name without a key, a text under an entry's name, an entry that
// was renamed to another key, and a folder.
func TestPruneOthers(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	mine, renamed := NewKey("settings", 1), NewKey("settings", 2)
	for _, key := range []Key{mine, renamed} {
		if err := Put(s, key, 7); err != nil {
			t.Fatal(err)
		}
	}
	hex := func(digit string) string { return strings.Repeat(digit, 64) }
	if err := os.Rename(s.path(renamed.typed(reflect.TypeFor[int]())), filepath.Join(dir, hex("a")+".settings.entry")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"diary.entry", hex("b") + ".settings.entry", "thesis.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("mine\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "photos.entry"), 0o700); err != nil {
		t.Fatal(err)
	}
	s.unlock() // as the end of the process does
	removed, others, err := Prune(dir, time.Now().Add(time.Hour))
	if err != nil || len(removed) != 1 || removed[0].Path != s.path(mine.typed(reflect.TypeFor[int]())) {
		t.Errorf("removed %v, %v: want the entry of the first key alone", removed, err)
	}
	want := []string{hex("a") + ".settings.entry", hex("b") + ".settings.entry", "diary.entry", "photos.entry"}
	if !slices.Equal(others, want) {
		t.Errorf("others %q, want %q", others, want)
	}
	for _, name := range append(want, "thesis.txt") {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			t.Errorf("%s: %v: want it left as it is", name, err)
		}
	}
}
