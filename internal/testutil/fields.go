package testutil

import (
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/internal/store"
)

// DecidesNothing names fields that decide nothing about a result although they have no tag that
// says so, by their path ("Training.Seed"), with the reasons.
type DecidesNothing map[string]string

// CheckFields checks that the function key, which computes the key of a result from options, takes
// all of them into account. It sets each field of o, and each field of the structs in it, to another
// value, and fails the test unless the key changes. For fields that decide nothing the key must stay
// the same: those with the tag key:"-", and those that nothing names. A field that is an interface or
// a matrix gets the first of the samples that can be assigned to it.
func CheckFields[T any](t testing.TB, o T, key func(T) store.Key, nothing DecidesNothing, samples ...any) {
	t.Helper()
	samples = append(samples, blas32.General{Rows: 1, Cols: 2, Stride: 2, Data: []float32{0.5, 7}})
	w := &walk{t: t, nothing: nothing, samples: samples, found: map[string]bool{}}
	root := reflect.New(reflect.TypeFor[T]()).Elem()
	root.Set(reflect.ValueOf(&o).Elem())
	w.key = func() store.Key { return key(root.Interface().(T)) }
	w.each(root, "")
	for path := range nothing {
		if !w.found[path] {
			t.Errorf("there is no field %s", path)
		}
	}
}

// matrix is a type whose fields do not change one by one: they belong together.
var matrix = reflect.TypeFor[blas32.General]()

// walk is the state of CheckFields.
type walk struct {
	t       testing.TB
	key     func() store.Key
	nothing DecidesNothing
	samples []any
	found   map[string]bool // the paths in nothing of which there is a field
	within  []reflect.Type  // the types that the value at hand is part of
}

// each changes v, which is the field at path, then each field inside v, and checks the key after each
// change; it restores v. Where a tag or w.nothing says that a field decides nothing, the key must
// stay the same. Of a pointer and a slice, each makes a value or an entry if there is none, and
// changes that.
func (w *walk) each(v reflect.Value, path string) {
	w.t.Helper()
	if w.nothing[path] != "" {
		w.found[path] = true
		w.change(v, path, false)
		return
	}
	if v.Kind() != reflect.Struct || v.Type() == matrix {
		w.change(v, path, true)
	}
	if v.Type() == matrix || slices.Contains(w.within, v.Type()) { // a type that contains itself has no end
		return
	}
	w.within = append(w.within, v.Type())
	defer func() { w.within = w.within[:len(w.within)-1] }()
	defer v.Set(copied(v))
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			if path != "" {
				name = path + "." + name
			}
			switch v.Type().Field(i).Tag.Get(store.Tag) {
			case "":
				w.each(field(v, i), name)
			case "-":
				w.change(field(v, i), name, false)
			default: // key:"name"
				w.change(field(v, i), name, true)
			}
		}
	case reflect.Pointer:
		target := reflect.New(v.Type().Elem())
		if !v.IsNil() {
			target.Elem().Set(v.Elem())
		}
		v.Set(target)
		w.each(target.Elem(), path)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		w.each(v.Index(0), path)
	}
}

// field returns field i of the struct v so that it can be set, also an unexported one.
func field(v reflect.Value, i int) reflect.Value {
	f := v.Field(i)
	return reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
}

// copied returns a copy of v.
func copied(v reflect.Value) reflect.Value {
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	return c
}

// change sets v, the field at path, to another value, and restores it. It fails the test unless the
// key changes if want is true, and stays the same if it is false.
func (w *walk) change(v reflect.Value, path string, want bool) {
	w.t.Helper()
	defer v.Set(copied(v))
	before := w.key()
	if !w.other(v) {
		if want {
			w.t.Errorf("%s: no other value of type %s: add a sample", path, v.Type())
		}
		return
	}
	if got := w.key() != before; got != want {
		w.t.Errorf("%s: with another value, the key changes: %v, want %v", path, got, want)
	}
}

// other sets v to another value, and reports whether it knows one. The values are arbitrary: only
// that they differ counts.
func (w *walk) other(v reflect.Value) bool {
	switch {
	case v.CanInt():
		v.SetInt(v.Int() + 7)
	case v.CanUint():
		v.SetUint(v.Uint() + 7)
	case v.CanFloat():
		v.SetFloat(v.Float() + 0.375)
	case v.Kind() == reflect.Bool:
		v.SetBool(!v.Bool())
	case v.Kind() == reflect.String:
		v.SetString(v.String() + "x")
	case v.Kind() == reflect.Slice:
		v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
	case v.Kind() == reflect.Map:
		changed := reflect.MakeMap(v.Type())
		changed.SetMapIndex(reflect.Zero(v.Type().Key()), reflect.Zero(v.Type().Elem()))
		v.Set(changed)
	case v.Kind() == reflect.Array:
		return v.Len() > 0 && w.other(v.Index(0))
	case v.Kind() == reflect.Struct && v.Type() != matrix:
		return v.NumField() > 0 && w.other(field(v, 0))
	case v.Kind() == reflect.Pointer && v.IsNil():
		v.Set(reflect.New(v.Type().Elem()))
	case v.Kind() == reflect.Pointer:
		v.SetZero()
	case v.Kind() == reflect.Func:
		v.Set(reflect.MakeFunc(v.Type(), nil))
	default: // an interface or a matrix
		for _, sample := range w.samples {
			if reflect.TypeOf(sample).AssignableTo(v.Type()) && !reflect.DeepEqual(sample, v.Interface()) {
				v.Set(reflect.ValueOf(sample))
				return true
			}
		}
		return false
	}
	return true
}
