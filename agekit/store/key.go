package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
)

// Key identifies a result by everything it depends on.
type Key struct {
	hash [sha256.Size]byte
	kind string // for people
}

// String returns the key in 64 hexadecimal digits.
func (k Key) String() string { return hex.EncodeToString(k.hash[:]) }

// NewKey returns the key of a result from its kind ("smoothed features"), the version of
// the code, which must grow whenever the same input gives a different result, and the
// input: a data set's fingerprint, option structs, numbers.
//
// Of each part, the type and the JSON form count, in which maps are sorted; the tag
// json:"-" leaves out callbacks. Fill in defaults first: an option left 0 and one set to
// its default get different keys. NewKey panics on a part that has no JSON form, such as
// a function or NaN.
func NewKey(kind string, version int, parts ...any) Key {
	h := sha256.New()
	for _, part := range append([]any{kind, version}, parts...) {
		text, err := json.Marshal(part)
		if err != nil {
			panic(fmt.Sprintf("store: key of %q: %v", kind, err))
		}
		fmt.Fprintf(h, "%T %d\n%s\n", part, len(text), text)
	}
	return Key{[sha256.Size]byte(h.Sum(nil)), kind}
}

// typed returns the key of a value of type t. The file format and the type's layout are part
// of it: after a struct has gained or lost a field, its old values are not found.
func (k Key) typed(t reflect.Type) Key {
	var b bytes.Buffer
	b.WriteString(magic)
	b.Write(k.hash[:])
	layout(&b, t, nil)
	return Key{sha256.Sum256(b.Bytes()), k.kind}
}

// layout writes t with the fields of all structs; within holds the types that t is part
// of, since a type may contain itself.
func layout(b *bytes.Buffer, t reflect.Type, within []reflect.Type) {
	if slices.Contains(within, t) {
		b.WriteString(t.String())
		return
	}
	within = append(within, t)
	switch t.Kind() {
	case reflect.Struct:
		b.WriteString(t.String() + "{")
		for i := range t.NumField() {
			b.WriteString(t.Field(i).Name + " ")
			layout(b, t.Field(i).Type, within)
			b.WriteString(";")
		}
		b.WriteString("}")
	case reflect.Map:
		b.WriteString("map[")
		layout(b, t.Key(), within)
		b.WriteString("]")
		layout(b, t.Elem(), within)
	case reflect.Array:
		fmt.Fprintf(b, "[%d]", t.Len())
		layout(b, t.Elem(), within)
	case reflect.Slice, reflect.Pointer:
		b.WriteString(t.Kind().String() + " ")
		layout(b, t.Elem(), within)
	default:
		b.WriteString(t.Kind().String())
	}
}
