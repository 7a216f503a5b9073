package store

import (
	"errors"
	"os"
	"reflect"
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
		entries, err := Entries(dir)
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
	if removed, err := Prune(dir, aDayAgo); !errors.Is(err, ErrInUse) || removed != nil {
		t.Errorf("%v, %v: want an error while the store is open", removed, err)
	}
	s.unlock() // as the end of the process does
	removed, err := Prune(dir, aDayAgo)
	if err != nil || len(removed) != 1 || removed[0].Kind != "encoder checkpoint" {
		t.Errorf("removed %v, %v", removed, err)
	}
	if got := kinds(); got != "  values;settings;" {
		t.Errorf("kinds %q are left", got)
	}
	if removed, err := Prune(dir+"none", aDayAgo); removed != nil || err != nil {
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
