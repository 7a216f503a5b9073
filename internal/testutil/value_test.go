package testutil

import (
	"errors"
	"testing"
)

// TestErrors: NoError and OrFatal end a test at an error, with its text, and let it go on without
// one. Fails lets a test go on at an error that says what is wanted, and fails it at another error
// and at none.
func TestErrors(t *testing.T) {
	var noError error
	diskFull := errors.New("the disk is full")
	for name, test := range map[string]struct {
		check func(testing.TB)
		want  string // what the check reports; "": it passes
	}{
		"NoError without an error": {check: func(t testing.TB) { NoError(t, noError) }},
		"NoError with one": {
			check: func(t testing.TB) { NoError(t, diskFull); t.Error("it goes on") },
			want:  "the disk is full",
		},
		"OrFatal without an error": {check: func(t testing.TB) {
			if got := Value(3, noError).OrFatal(t); got != 3 {
				t.Error(got)
			}
		}},
		"OrFatal with one": {
			check: func(t testing.TB) { Value(3, diskFull).OrFatal(t); t.Error("it goes on") },
			want:  "the disk is full",
		},
		"Fails with the error": {check: func(t testing.TB) { Fails(t, diskFull, "disk") }},
		"Fails with another error": {
			check: func(t testing.TB) { Fails(t, diskFull, "memory") },
			want:  `error the disk is full, want one that says "memory"`,
		},
		"Fails without an error": {
			check: func(t testing.TB) { Value(3, noError).Fails(t, "disk") },
			want:  `error <nil>, want one that says "disk"`,
		},
	} {
		if got := failed(t, test.check); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
