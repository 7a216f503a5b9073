package testutil

// This part ends a test at an error that it does not expect.

// ender is what a test ends with: a testing.TB, or package rapid's T.
type ender interface {
	Helper()
	Fatal(args ...any)
}

// Returned is what a function returned.
type Returned[T any] struct {
	value T
	err   error
}

// Value takes what a function returns: Value(os.ReadFile(path)).OrFatal(t) is the content
// of a file.
func Value[T any](value T, err error) Returned[T] { return Returned[T]{value, err} }

// OrFatal returns the value. If there was an error, it ends the test.
func (r Returned[T]) OrFatal(t ender) T {
	t.Helper()
	NoError(t, r.err)
	return r.value
}

// NoError ends the test if there was an error.
func NoError(t ender, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
