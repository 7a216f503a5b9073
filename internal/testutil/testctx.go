package testutil

// This part tests, without clocks, that long calls respect their
// context, and tells which tests are long.

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
	"testing"
)

// countdown is a context that is done once Err has been called a number of
// times.
type countdown struct {
	context.Context
	calls atomic.Int64 // of Err until it is done
}

func (c *countdown) Err() error {
	if c.calls.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// Interrupt calls run several times, with contexts that are done at its first, its second, a few later
// and its last check of the context, and fails the test unless run returns context.Canceled each
// time. It also fails if an uninterrupted run checks its context fewer than least times: a call that
// checks seldom stops late. Messages call the function what.
func Interrupt(t *testing.T, what string, least int, run func(context.Context) error) {
	t.Helper()
	const forever = 1 << 62
	whole := &countdown{Context: t.Context()}
	whole.calls.Store(forever)
	if err := run(whole); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	checks := int(forever - whole.calls.Load())
	t.Logf("%s checks its context %d times", what, checks)
	if checks < least {
		t.Errorf("%s checks its context %d times, want at least %d", what, checks, least)
	}
	for _, check := range []int{0, 1, checks / 4, checks / 2, checks * 3 / 4, checks - 1} { // from 0
		if check >= checks { // of a call with one check
			continue
		}
		ctx := &countdown{Context: t.Context()}
		ctx.calls.Store(int64(check))
		if err := run(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: canceled at check %d of %d, it returned %v, want context.Canceled", what, check+1, checks, err)
		}
	}
}

// Long skips a test unless AGEKIT_LONG is set, as it is by make test-long.
func Long(t testing.TB) {
	t.Helper()
	if !IsLong() {
		t.Skip("a long test: set AGEKIT_LONG=1 to run it")
	}
}

// IsLong reports whether AGEKIT_LONG is set: a test may do more then.
func IsLong() bool { return os.Getenv("AGEKIT_LONG") != "" }
