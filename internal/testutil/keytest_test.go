package testutil

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/agekit/age/internal/simd"
	"github.com/agekit/age/internal/store"
)

// failures is a testing.TB that collects the messages with which a check fails, in place of failing.
type failures struct {
	testing.TB
	messages []string
}

func (f *failures) Helper()             {}
func (f *failures) Logf(string, ...any) {}
func (f *failures) Failed() bool        { return len(f.messages) > 0 }
func (f *failures) Error(args ...any)   { f.messages = append(f.messages, fmt.Sprint(args...)) }
func (f *failures) Fatal(args ...any)   { f.Error(args...); panic(f) }
func (f *failures) Errorf(format string, args ...any) {
	f.messages = append(f.messages, fmt.Sprintf(format, args...))
}
func (f *failures) Fatalf(format string, args ...any) { f.Errorf(format, args...); panic(f) }

// failed runs a check and returns the messages with which it fails; "" if it passes. Fatal ends the
// check by a panic.
func failed(t *testing.T, check func(testing.TB)) (messages string) {
	f := &failures{TB: t}
	defer func() {
		if r := recover(); r != nil && r != any(f) {
			panic(r)
		}
		messages = strings.Join(f.messages, "\n")
	}()
	check(f)
	return ""
}

// inner and options are what the keys of TestFields are made from.
type inner struct {
	Weights []float32
	Score   func() `key:"-"`
}

type options struct {
	Layers int
	Inner  *inner
	Limit  int `key:"-"`
	names  map[string]bool
}

// TestFields: CheckFields passes for a key of all fields. It fails for a field that does not change the
// key, also an unexported one and one of a struct inside, for a field that changes the key although
// it decides nothing, and for the name of a field that is not there.
func TestFields(t *testing.T) {
	keyOf := func(parts ...any) store.Key { return store.NewKey("test", 1, parts...) }
	whole := func(o options) store.Key { return keyOf(o) }
	withoutLayers := func(o options) store.Key {
		o.Layers = 0
		return keyOf(o)
	}
	for name, c := range map[string]struct {
		key     func(options) store.Key
		nothing DecidesNothing
		want    []string // parts of the messages; none: the check passes
	}{
		"all fields": {key: whole},
		"one field by hand": {
			key:  func(o options) store.Key { return keyOf(o.Layers) },
			want: []string{"Inner:", "Inner.Weights:", "names:"},
		},
		"a field that decides nothing": {
			key:  func(o options) store.Key { return keyOf(o, o.Limit) },
			want: []string{"Limit:"},
		},
		"a pointer without what it leads to": {
			key:  func(o options) store.Key { return keyOf(o.Layers, o.names, o.Inner != nil) },
			want: []string{"Inner.Weights:"},
		},
		"named as deciding nothing": {
			key:     withoutLayers,
			nothing: DecidesNothing{"Layers": "the search tries all"},
		},
		"named as deciding nothing, but does": {
			key:     whole,
			nothing: DecidesNothing{"Layers": "a mistake"},
			want:    []string{"Layers:"},
		},
		"no field of that name": {
			key:     whole,
			nothing: DecidesNothing{"Lairs": "a typing error"},
			want:    []string{"there is no field Lairs"},
		},
	} {
		got := failed(t, func(f testing.TB) { CheckFields(f, options{}, c.key, c.nothing) })
		ok := (got == "") == (len(c.want) == 0)
		for _, want := range c.want {
			ok = ok && strings.Contains(got, want)
		}
		if !ok {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestVersion: CheckVersion passes for the results of the version in the file. It fails without a file,
// for other results under the same version, also when the file is to be written, for another
// version, and for a damaged file. A higher version passes once its file is written. The SIMD level
// is restored.
func TestVersion(t *testing.T) {
	t.Chdir(t.TempDir())
	result := func(values ...float64) func() []any { return func() []any { return []any{values} } }
	check := func(version int, compute func() []any) string {
		return failed(t, func(f testing.TB) { CheckVersion(f, version, compute) })
	}
	level := simd.Level()
	if got := check(1, result(1)); !strings.Contains(got, "of version 0, the package of 1") {
		t.Errorf("without a file: %q", got)
	}
	t.Setenv(VersionsVariable, "write")
	if got := check(1, result(1)); got != "" {
		t.Errorf("writing: %q", got)
	}
	if got := check(1, result(2)); !strings.Contains(got, "raise the version") {
		t.Errorf("writing other results under the same version: %q", got)
	}
	t.Setenv(VersionsVariable, "")
	if got := check(1, result(1)); got != "" {
		t.Errorf("the same results: %q", got)
	}
	if got := check(1, result(1, 2)); strings.Count(got, "other results than those of version 1") != len(simd.Levels()) {
		t.Errorf("other results: %q", got)
	}
	if got := check(2, result(1, 2)); !strings.Contains(got, "of version 1, the package of 2") {
		t.Errorf("another version: %q", got)
	}
	t.Setenv(VersionsVariable, "write")
	if got := check(2, result(1, 2)); got != "" {
		t.Errorf("writing another version: %q", got)
	}
	if got := check(1, result(1)); !strings.Contains(got, "of version 2, the package of 1") {
		t.Errorf("a lower version: %q", got)
	}
	if simd.Level() != level {
		t.Errorf("the SIMD level is %s, want %s as before", simd.Level(), level)
	}
	if err := os.WriteFile(versionFile(t), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := check(2, result(1, 2)); !strings.Contains(got, "unexpected end of JSON") {
		t.Errorf("a damaged file: %q", got)
	}
}
