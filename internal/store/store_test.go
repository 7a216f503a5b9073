package store

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/agekit/age/internal/simd"
	"gonum.org/v1/gonum/blas/blas32"
	"pgregory.net/rapid"
)

// result has a field of each kind that agekit stores; FuzzDecode decodes arbitrary bytes into it.
type result struct {
	Z      blas32.General
	Values []float64
	Labels []int
	Counts map[string]int
	Name   string
	Lambda float64
	Next   *result
}

var testKey = NewKey("test", 1)

// open returns a store in a new folder, and the messages it logs.
func open(t testing.TB) (*Store, *[]string) {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "deep", "store"))
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	logged := new([]string)
	s.Logf = func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		*logged = append(*logged, fmt.Sprintf(format, args...))
	}
	return s, logged
}

func put[T any](t testing.TB, s *Store, key Key, value T) {
	t.Helper()
	if err := Put(s, key, value); err != nil {
		t.Fatal(err)
	}
}

// file returns the only entry's path.
func file(t testing.TB, s *Store) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(s.Dir, "*"))
	if err != nil || len(names) != 1 {
		t.Fatalf("files %v (%v), want one", names, err)
	}
	return names[0]
}

// TestRoundTrip: random values of a struct with all kinds of fields come back, and the numbers of a
// matrix bit for bit, but for the bits of a NaN.
func TestRoundTrip(t *testing.T) {
	s, logged := open(t)
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := rapid.IntRange(1, 5).Draw(t, "rows"), rapid.IntRange(1, 5).Draw(t, "cols")
		bits := rapid.Custom(func(t *rapid.T) float32 { return math.Float32frombits(rapid.Uint32().Draw(t, "bits")) })
		want := result{
			Z: blas32.General{
				Rows: rows, Cols: cols, Stride: cols,
				Data: rapid.SliceOfN(bits, rows*cols, rows*cols).Draw(t, "data"),
			},
			Values: rapid.SliceOfN(rapid.Float64(), 1, -1).Draw(t, "values"),
			Labels: rapid.SliceOfN(rapid.Int(), 1, -1).Draw(t, "labels"),
			Counts: rapid.MapOfN(rapid.String(), rapid.Int(), 1, -1).Draw(t, "counts"),
			Name:   rapid.String().Draw(t, "name"),
			Lambda: rapid.SampledFrom([]float64{0, -1.5, math.Inf(1), math.Copysign(0, -1)}).Draw(t, "lambda"),
			Next:   &result{Name: "inner", Labels: []int{-1}},
		}
		key := NewKey("round trip", rapid.IntRange(0, 3).Draw(t, "version"))
		if err := Put(s, key, want); err != nil {
			t.Fatal(err)
		}
		got, ok := Stored[result](s, key)
		if !ok {
			t.Fatalf("not found: %v", *logged)
		}
		for i, x := range want.Z.Data {
			g := got.Z.Data[i]
			bothNaN := g != g && x != x
			if math.Float32bits(g) != math.Float32bits(x) && !bothNaN {
				t.Fatalf("entry %d is %x, want %x", i, math.Float32bits(g), math.Float32bits(x))
			}
		}
		got.Z.Data, want.Z.Data = nil, nil // compared above: DeepEqual takes no NaN for equal
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v, want %+v", got, want)
		}
	})
}

// named is a value that keys know by its name.
type named interface{ Name() string }

// engine is a named whose reason does not count.
type engine struct{ name, reason string }

func (e engine) Name() string { return e.name }

// TestKeys: parts that differ in anything have different keys, but for fields that decide nothing,
// the reason of an engine known by its name, the padding of a matrix and the order of a map. The
// SIMD level in use counts, too.
func TestKeys(t *testing.T) {
	type options struct {
		K        float64
		Layers   int
		Engine   named     `key:"name"`
		Progress func(int) `json:"-" key:"-"`
		hidden   string
		Left     *options `json:"-"`
		Matrix   blas32.General
	}
	type others options
	o := options{K: 0.5, Layers: 8, Engine: engine{"go", "slow"}, Matrix: blas32.General{Rows: 2, Cols: 1, Stride: 2, Data: []float32{1, 9, 2, 9}}}
	changed := func(change func(o *options)) options {
		c := o
		change(&c)
		return c
	}
	base := NewKey("smoothed", 1, "cora", o)
	for name, same := range map[string]options{
		"a function that decides nothing": changed(func(o *options) { o.Progress = func(int) {} }),
		"an engine of the same name":      changed(func(o *options) { o.Engine = engine{"go", "fast"} }),
		"padding":                         changed(func(o *options) { o.Matrix = blas32.General{Rows: 2, Cols: 1, Stride: 1, Data: []float32{1, 2}} }),
	} {
		if base != NewKey("smoothed", 1, "cora", same) {
			t.Errorf("%s makes another key", name)
		}
	}
	if NewKey("k", 1, map[string]int{"a": 1, "b": 2}) != NewKey("k", 1, map[string]int{"b": 2, "a": 1}) {
		t.Error("the order of a map counts")
	}
	seen := map[Key]string{base: "base"}
	for name, key := range map[string]Key{
		"kind":              NewKey("smoothes", 1, "cora", o),
		"version":           NewKey("smoothed", 2, "cora", o),
		"data":              NewKey("smoothed", 1, "wiki", o),
		"option":            NewKey("smoothed", 1, "cora", changed(func(o *options) { o.Layers = 9 })),
		"engine":            NewKey("smoothed", 1, "cora", changed(func(o *options) { o.Engine = engine{"xla", "slow"} })),
		"no engine":         NewKey("smoothed", 1, "cora", changed(func(o *options) { o.Engine = nil })),
		"unexported":        NewKey("smoothed", 1, "cora", changed(func(o *options) { o.hidden = "x" })),
		"not in JSON":       NewKey("smoothed", 1, "cora", changed(func(o *options) { o.Left = &options{} })),
		"a pointer's value": NewKey("smoothed", 1, "cora", changed(func(o *options) { o.Left = &options{K: 1} })),
		"matrix":            NewKey("smoothed", 1, "cora", changed(func(o *options) { o.Matrix.Data = []float32{1, 9, 3, 9} })),
		"shape":             NewKey("smoothed", 1, "cora", changed(func(o *options) { o.Matrix.Rows, o.Matrix.Cols = 1, 2 })),
		"type":              NewKey("smoothed", 1, "cora", others(o)),
		"pointer":           NewKey("smoothed", 1, "cora", &o),
		"one more part":     NewKey("smoothed", 1, "cora", o, 0),
		"int":               NewKey("n", 1, 1),
		"float":             NewKey("n", 1, 1.0),
		"nothing":           NewKey("n", 1, nil),
		"two":               NewKey("n", 1, "a", "b"),
		"one":               NewKey("n", 1, "ab"),
		"list":              NewKey("n", 1, []string{"a", "b"}),
		"other list":        NewKey("n", 1, []string{"ab", ""}),
		"empty":             NewKey("n", 1, []string{}),
		"nil":               NewKey("n", 1, []string(nil)),
		"map":               NewKey("n", 1, map[string]any{"a": 1}),
		"other map":         NewKey("n", 1, map[string]any{"a": 1.0}),
		"array":             NewKey("n", 1, [2]bool{true}),
		"last digit":        NewKey("n", 1, 0.1),
		"last digit+":       NewKey("n", 1, math.Nextafter(0.1, 1)),
		"infinite":          NewKey("n", 1, math.Inf(1)),
		"NaN":               NewKey("n", 1, math.NaN()),
	} {
		if other, ok := seen[key]; ok {
			t.Errorf("%q has the key of %q", name, other)
		}
		seen[key] = name
	}
	level := simd.Level()
	defer simd.SetLevel(level)
	for _, l := range simd.Levels() {
		if err := simd.SetLevel(l); err != nil {
			t.Fatal(err)
		}
		if key := NewKey("smoothed", 1, "cora", o); (key == base) != (l == level) {
			t.Errorf("SIMD level %s: the key of %s: %v", l, level, key == base)
		}
	}
}

// TestNoKey: NewKey panics for a function, a channel or a complex number that no tag exempts, and for
// a field known by its name that has none; the message names the field.
func TestNoKey(t *testing.T) {
	type inner struct{ Score func() float64 }
	type options struct {
		Judge *inner
		Codes map[string]inner
	}
	for name, c := range map[string]struct {
		part any    // of the key
		want string // what the message says
	}{
		"function": {func() {}, `key of "n", part 1 is a func()`},
		"channel":  {struct{ Done chan int }{}, `part 1.Done is a chan int`},
		"complex":  {[]complex64{1}, `part 1 is a complex64`},
		"below":    {options{Judge: &inner{}}, `part 1.Judge.Score is a func() float64: want a value that can be hashed, or the tag key:"-"`},
		"in a map": {options{Codes: map[string]inner{"a": {}}}, `part 1.Codes.Score is a func() float64`},
		"method": {struct {
			K engineless `key:"name"`
		}{}, `part 1.K has no method Name`},
	} {
		func() {
			defer func() {
				if r := recover(); r == nil || !strings.Contains(fmt.Sprint(r), c.want) {
					t.Errorf("%s: panic %v, want %q", name, r, c.want)
				}
			}()
			NewKey("n", 1, c.part)
		}()
	}
}

// engineless has no method Name.
type engineless int

// TestTypesAreApart: values of two types under one key do not replace each other, and a struct that
// gained a field has another key than before, although its name is the same.
func TestTypesAreApart(t *testing.T) {
	s, logged := open(t)
	put(t, s, testKey, []int{1, 2})
	put(t, s, testKey, []float64{0.5})
	if v, ok := Stored[[]int](s, testKey); !ok || !reflect.DeepEqual(v, []int{1, 2}) {
		t.Errorf("ints: %v %v", v, ok)
	}
	if v, ok := Stored[[]float64](s, testKey); !ok || !reflect.DeepEqual(v, []float64{0.5}) {
		t.Errorf("floats: %v %v", v, ok)
	}

	// Two types of the same name.
	old := func() reflect.Type { type scores struct{ ACC float64 }; return reflect.TypeFor[[]scores]() }()
	grown := func() reflect.Type { type scores struct{ ACC, NMI float64 }; return reflect.TypeFor[[]scores]() }()
	if old.String() != grown.String() {
		t.Fatalf("%v and %v: the test needs types of one name", old, grown)
	}
	if testKey.typed(old) == testKey.typed(grown) {
		t.Error("a struct that gained a field is found under its old key")
	}
	if len(*logged) > 0 {
		t.Errorf("logged %v", *logged)
	}
}

// TestRemove: the value of one type is removed, and one of another type under the same key stays.
func TestRemove(t *testing.T) {
	s, _ := open(t)
	put(t, s, testKey, 1)
	put(t, s, testKey, "one")
	for range 2 { // removing what is not there is not an error
		if err := Remove[int](s, testKey); err != nil {
			t.Fatal(err)
		}
		if v, ok := Stored[int](s, testKey); ok {
			t.Errorf("%d after removing it", v)
		}
	}
	if v, ok := Stored[string](s, testKey); !ok || v != "one" {
		t.Errorf("%q %v: another type's value is gone", v, ok)
	}
}

// TestCached: a result is computed once and then found, and a failure is computed each time. Without a
// store, and with one whose folder is gone, the result is returned, too; the latter is logged.
func TestCached(t *testing.T) {
	s, logged := open(t)
	calls := 0
	compute := func() ([]float64, error) { calls++; return []float64{1, 2, 3}, nil }
	for i, wantHit := range []bool{false, true, true} {
		v, hit, err := Cached(s, testKey, compute)
		if err != nil || hit != wantHit || !reflect.DeepEqual(v, []float64{1, 2, 3}) {
			t.Errorf("call %d: %v, hit %v, %v", i, v, hit, err)
		}
	}
	if calls != 1 {
		t.Errorf("computed %d times, want once", calls)
	}

	failure := errors.New("no luck")
	// The stored value of testKey, a []float64, is no hit here, where an int is wanted: a key holds one value
	// of each type.
	failing := func() (int, error) { calls++; return 0, failure }
	for range 2 {
		if _, hit, err := Cached(s, testKey, failing); hit || err != failure {
			t.Errorf("hit %v, error %v", hit, err)
		}
	}
	if calls != 3 {
		t.Errorf("a failure was stored")
	}

	if v, hit, err := Cached(nil, testKey, compute); hit || err != nil || len(v) != 3 {
		t.Errorf("nil store: %v %v %v", v, hit, err)
	}

	if err := os.RemoveAll(s.Dir); err != nil {
		t.Fatal(err)
	}
	if v, hit, err := Cached(s, testKey, compute); hit || err != nil || len(v) != 3 {
		t.Errorf("folder gone: %v %v %v", v, hit, err)
	}
	if len(*logged) != 1 || !strings.Contains((*logged)[0], s.Dir) {
		t.Errorf("logged %q, want one message that names the file", *logged)
	}
}

// TestDamage flips each bit of an entry, cuts it to each length, appends a byte, and puts another
// key's entry in its place: none of these is found, and each is logged and removed. The original is
// found.
func TestDamage(t *testing.T) {
	s, logged := open(t)
	want := []int{3, 1, 4, 1, 5, 9, 2, 6}
	put(t, s, testKey, want)
	path := file(t, s)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	check := func(what string, bad []byte) {
		t.Helper()
		if err := os.WriteFile(path, bad, 0o666); err != nil {
			t.Fatal(err)
		}
		*logged = nil
		if v, ok := Stored[[]int](s, testKey); ok || v != nil {
			t.Fatalf("%s: got %v", what, v)
		}
		if len(*logged) != 1 || !strings.Contains((*logged)[0], path) {
			t.Fatalf("%s: logged %q, want one message that names the file", what, *logged)
		}
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Fatalf("%s: still there (%v)", what, err)
		}
	}
	for bit := range 8 * len(good) {
		bad := bytes.Clone(good)
		bad[bit/8] ^= 1 << (bit % 8)
		check(fmt.Sprintf("bit %d", bit), bad)
	}
	for length := range good {
		check(fmt.Sprintf("cut to %d bytes", length), good[:length])
	}
	check("one byte more", append(bytes.Clone(good), 0))

	put(t, s, NewKey("another", 1), want)
	other, err := os.ReadFile(file(t, s))
	if err != nil {
		t.Fatal(err)
	}
	check("another key's entry", other)

	put(t, s, testKey, want)
	if v, ok := Stored[[]int](s, testKey); !ok || !reflect.DeepEqual(v, want) {
		t.Fatalf("undamaged: %v %v", v, ok)
	}
}

// TestConcurrent runs three writers of different values under one key, four readers, and a goroutine
// that removes the value: a reader sees nothing or one complete value.
func TestConcurrent(t *testing.T) {
	s, logged := open(t)
	valueOf := func(writer byte) []byte { return bytes.Repeat([]byte{writer}, 5000+int(writer)) }
	var wg sync.WaitGroup
	repeat := func(do func(i int)) {
		wg.Go(func() {
			for i := range 20 {
				do(i)
			}
		})
	}
	for writer := range byte(3) {
		repeat(func(int) {
			if err := Put(s, testKey, valueOf(writer)); err != nil {
				t.Error(err)
			}
		})
	}
	for range 4 {
		repeat(func(int) {
			if v, ok := Stored[[]byte](s, testKey); ok && !bytes.Equal(v, valueOf(v[0])) {
				t.Errorf("a mixed value of %d bytes", len(v))
			}
		})
	}
	repeat(func(i int) {
		if i%5 != 0 { // more seldom than it is written
			return
		}
		if err := Remove[[]byte](s, testKey); err != nil {
			t.Error(err)
		}
	})
	wg.Wait()
	if len(*logged) > 0 {
		t.Errorf("logged %v", *logged)
	}
}

// TestOpen: without a folder, Open opens that of AGEKIT_STORE or, without the variable, agekit/store in
// the user's cache. A folder that cannot be created is an error that names it.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("AGEKIT_STORE", filepath.Join(dir, "named"))
	if s, err := Open(""); err != nil || s.Dir != filepath.Join(dir, "named") {
		t.Errorf("store %v, %v, want the folder of AGEKIT_STORE", s, err)
	}
	t.Setenv("AGEKIT_STORE", "")
	t.Setenv("XDG_CACHE_HOME", dir)
	t.Setenv("HOME", dir)
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	if s, err := Open(""); err != nil || s.Dir != filepath.Join(cache, "agekit", "store") {
		t.Errorf("store %v, %v, want agekit/store in %s", s, err, cache)
	}
	blocked := filepath.Join(dir, "file")
	if err := os.WriteFile(blocked, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(filepath.Join(blocked, "store")); err == nil || !strings.Contains(err.Error(), blocked) {
		t.Errorf("error %v, want one that names %s", err, blocked)
	}
}

// entryNames returns the names of the files in dir.
func entryNames(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}
