package testutil

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/internal/files"
)

// DecidesNothing names fields that decide nothing about a result although they have no tag that
// says so, by their path ("Training.Seed"), with the reasons.
type DecidesNothing map[string]string

// CheckFields sets each field of o, and of what it consists of, to another value, and fails the
// test unless the key changes. The key must stay the same for fields that decide nothing:
// those with the tag key:"-", and those of nothing. Interfaces get the first of the samples
// that has the type.
func CheckFields[T any](t testing.TB, o T, key func(T) files.Key, nothing DecidesNothing, samples ...any) {
	t.Helper()
	w := &walk{t: t, nothing: nothing, samples: samples, met: map[string]bool{}}
	root := reflect.New(reflect.TypeFor[T]()).Elem()
	root.Set(reflect.ValueOf(&o).Elem())
	w.key = func() files.Key { return key(root.Interface().(T)) }
	w.each(root, nil)
	for path := range nothing {
		if !w.met[path] {
			t.Errorf("there is no field %s", path)
		}
	}
}

// walk is the state of Fields.
type walk struct {
	t       testing.TB
	key     func() files.Key
	nothing DecidesNothing
	samples []any
	met     map[string]bool // paths of nothing
	within  []reflect.Type  // the types that the value at hand is part of
}

// each changes v, which it restores, in all ways that must change the key.
func (w *walk) each(v reflect.Value, path []string) {
	w.t.Helper()
	if name := strings.Join(path, "."); w.nothing[name] != "" {
		w.met[name] = true
		w.change(v, path, false)
		return
	}
	if v.Kind() != reflect.Struct || v.Type() == reflect.TypeFor[blas32.General]() {
		w.change(v, path, true)
	}
	if slices.Contains(w.within, v.Type()) {
		return
	}
	w.within = append(w.within, v.Type())
	defer func() { w.within = w.within[:len(w.within)-1] }()
	old := reflect.ValueOf(v.Interface())
	switch v.Kind() {
	case reflect.Struct:
		w.fields(v, path)
	case reflect.Pointer:
		to := reflect.New(v.Type().Elem())
		if !v.IsNil() {
			to.Elem().Set(v.Elem())
		}
		v.Set(to)
		w.each(to.Elem(), path)
		v.Set(old)
	case reflect.Slice:
		v.Set(reflect.Append(reflect.MakeSlice(v.Type(), 0, 1), reflect.Zero(v.Type().Elem())))
		w.each(v.Index(0), path)
		v.Set(old)
	}
}

// fields changes each field of a struct.
func (w *walk) fields(v reflect.Value, path []string) {
	w.t.Helper()
	if v.Type() == reflect.TypeFor[blas32.General]() {
		return
	}
	for i := range v.NumField() {
		field := v.Type().Field(i)
		at := reflect.NewAt(field.Type, unsafe.Pointer(v.Field(i).UnsafeAddr())).Elem() // also of unexported fields
		inner := append(slices.Clone(path), field.Name)
		switch field.Tag.Get(files.Tag) {
		case "":
			w.each(at, inner)
		case "-":
			w.change(at, inner, false)
		default:
			w.change(at, inner, true)
		}
	}
}

// change sets v to another value and looks whether the key changes as wanted.
func (w *walk) change(v reflect.Value, path []string, want bool) {
	w.t.Helper()
	old := reflect.New(v.Type()).Elem()
	old.Set(v)
	before := w.key()
	if !w.other(v) {
		if want {
			w.t.Errorf("%s: no other value of type %s: add a sample", strings.Join(path, "."), v.Type())
		}
		return
	}
	if got := w.key() != before; got != want {
		w.t.Errorf("%s: with another value, the key changes: %v, want %v", strings.Join(path, "."), got, want)
	}
	v.Set(old)
}

// other sets v to another value, and reports whether it knows one.
func (w *walk) other(v reflect.Value) bool {
	if v.Type() == reflect.TypeFor[blas32.General]() {
		v.Set(reflect.ValueOf(blas32.General{Rows: 1, Cols: 2, Stride: 2, Data: []float32{0.5, 7}}))
		return true
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(v.Int() + 7)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(v.Uint() + 7)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(v.Float() + 0.375)
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Slice:
		v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
	case reflect.Map:
		changed := reflect.MakeMap(v.Type())
		for k, entry := range v.Seq2() {
			changed.SetMapIndex(k, entry)
		}
		changed.SetMapIndex(reflect.Zero(v.Type().Key()), reflect.Zero(v.Type().Elem()))
		v.Set(changed)
	case reflect.Array:
		return v.Len() > 0 && w.other(v.Index(0))
	case reflect.Struct:
		if v.NumField() == 0 {
			return false
		}
		field := v.Field(0)
		return w.other(reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem())
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		} else {
			v.SetZero()
		}
	case reflect.Func:
		v.Set(reflect.MakeFunc(v.Type(), nil))
	case reflect.Interface:
		for _, sample := range w.samples {
			if reflect.TypeOf(sample).AssignableTo(v.Type()) && !reflect.DeepEqual(sample, v.Interface()) {
				v.Set(reflect.ValueOf(sample))
				return true
			}
		}
		return false
	default:
		return false
	}
	return true
}
