package testutil

// This part ends a test at an error that it does not expect, and reports one that is missing.

import "strings"

// reporter is what a test reports errors to: a testing.TB, or package rapid's T.
type reporter interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
}

// Returned is what a function returned: a value and an error.
type Returned[T any] struct {
	value T
	err   error
}

// Value takes what a function returns: Value(os.ReadFile(path)).OrFatal(t) is the content
// of a file.
func Value[T any](value T, err error) Returned[T] { return Returned[T]{value, err} }

// OrFatal returns the value. If there was an error, it ends the test.
func (r Returned[T]) OrFatal(t reporter) T {
	t.Helper()
	NoError(t, r.err)
	return r.value
}

// Fails fails the test unless the function returned an error whose text contains says.
func (r Returned[T]) Fails(t reporter, says string) {
	t.Helper()
	Fails(t, r.err, says)
}

// Fails fails the test unless err is an error whose text contains says.
func Fails(t reporter, err error, says string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("error %v, want one that says %q", err, says)
	}
}

// NoError ends the test if there was an error.
func NoError(t reporter, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
