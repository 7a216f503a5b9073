package testutil

import (
	"errors"
	"testing"
)

// TestErrors: errors that are not expected end a test, and those that are missing, or say
// something else, fail it.
func TestErrors(t *testing.T) {
	none, full := error(nil), errors.New("the disk is full")
	for _, c := range []struct {
		want  string
		check func(testing.TB)
	}{
		{"", func(t testing.TB) { NoError(t, none) }},
		{"the disk is full", func(t testing.TB) { NoError(t, full); t.Error("it goes on") }},
		{"", func(t testing.TB) {
			if got := Value(3, none).OrFatal(t); got != 3 {
				t.Error(got)
			}
		}},
		{"the disk is full", func(t testing.TB) { Value(3, full).OrFatal(t); t.Error("it goes on") }},
		{"", func(t testing.TB) { Fails(t, full, "disk") }},
		{`error the disk is full, want one that says "memory"`, func(t testing.TB) { Fails(t, full, "memory") }},
		{`error <nil>, want one that says "disk"`, func(t testing.TB) { Value(3, none).Fails(t, "disk") }},
	} {
		if got := failed(t, c.check); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
