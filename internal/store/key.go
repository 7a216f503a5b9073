package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/agekit/age/internal/simd"
)

// Key identifies a result by everything it depends on.
type Key struct {
	hash [sha256.Size]byte
	kind string // for people
}

// String returns the key in 64 hexadecimal digits.
func (k Key) String() string { return hex.EncodeToString(k.hash[:]) }

// Tag is the key of the struct tags that say how a field counts in a [Key].
const Tag = "key"

// NewKey returns the key of a result from its kind ("smoothed features"), the version of
// the algorithm, which must grow whenever the same input gives another result, and the
// input: graphs, options, numbers. The last digits of most results depend on the processor:
// its architecture, its fastest SIMD level, which GoMLX uses, and the level in use count, too.
//
// Of each part, the type counts and the whole value: all entries of slices and maps, what
// pointers lead to, and all fields of structs, exported or not. Nil differs from empty.
// Of a blas32.General, the padding between rows does not count. A tag of a field says
// otherwise:
//
//	key:"-"     The field decides nothing, as a callback or a limit of time or memory; a
//	            comment says why.
//	key:"name"  The field counts as what its method Name() string returns.
//
// NewKey panics if anything else is a function, a channel or a complex number, even nil.
// Fill in defaults first: an option left 0 and one set to its default get different keys.
func NewKey(kind string, version int, parts ...any) Key {
	sum := sha256.New()
	h := newHasher(sum)
	h.text(kind)
	h.number(uint64(version))
	h.text(runtime.GOARCH)
	_, experiments, _ := strings.Cut(runtime.Version(), " X:") // GOEXPERIMENT=simd: GoMLX sums in another order
	h.text(experiments)
	h.text(simd.Levels()[0])
	h.text(simd.Level())
	for i, part := range parts {
		h.path = []string{fmt.Sprintf("key of %q, part %d", kind, i+1)}
		h.typed(reflect.ValueOf(part))
	}
	h.flush()
	return Key{[sha256.Size]byte(sum.Sum(nil)), kind}
}

// typed returns the key under which a value of type t is stored for k. It hashes k with the version
// of the file format and the type's layout: after a struct has gained or lost a field, its old
// values are not found.
func (k Key) typed(t reflect.Type) Key {
	var b bytes.Buffer
	b.WriteString(formatVersion)
	b.Write(k.hash[:])
	layout(&b, t, nil)
	return Key{sha256.Sum256(b.Bytes()), k.kind}
}

// layout writes the type t to b, with the names and types of the fields of all structs in it. The
// types that t is part of are in within: a type that contains itself is written by its name there.
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
