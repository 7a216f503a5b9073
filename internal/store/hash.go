package store

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"math"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"gonum.org/v1/gonum/blas/blas32"
)

// hasher writes values to a hash so that different ones give different bytes: what varies
// in length or in type is preceded by its length or its type.
type hasher struct {
	out  *bufio.Writer // to the hash
	path []string      // of the value at hand, for messages
}

// newHasher returns a hasher that writes to sum. Call flush before sum is read.
func newHasher(sum hash.Hash) *hasher { return &hasher{out: bufio.NewWriterSize(sum, 1<<16)} }

// flush writes what is buffered to the hash. Like all writes to a hash, it cannot fail.
func (h *hasher) flush() { _ = h.out.Flush() }

// number writes a number in eight bytes.
func (h *hasher) number(v uint64) {
	_, _ = h.out.Write(binary.LittleEndian.AppendUint64(h.out.AvailableBuffer(), v))
}

// text writes the length and the bytes of a text.
func (h *hasher) text(s string) {
	h.number(uint64(len(s)))
	_, _ = h.out.WriteString(s)
}

// present writes whether a value is present, 1 or 0, and returns isPresent.
func (h *hasher) present(isPresent bool) bool {
	if isPresent {
		h.number(1)
	} else {
		h.number(0)
	}
	return isPresent
}

// typed writes the type and the value of v, which is the zero Value for a nil interface.
func (h *hasher) typed(v reflect.Value) {
	if !h.present(v.IsValid()) {
		return
	}
	h.text(v.Type().String())
	h.value(v)
}

// value writes the value of v without its type, which is the same for all values that could be in
// its place, or was written before.
func (h *hasher) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		h.present(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		h.number(uint64(v.Int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		h.number(v.Uint())
	case reflect.Float32, reflect.Float64:
		h.number(math.Float64bits(v.Float()))
	case reflect.String:
		h.text(v.String())
	case reflect.Pointer:
		if h.present(!v.IsNil()) {
			h.value(v.Elem())
		}
	case reflect.Interface:
		h.typed(v.Elem())
	case reflect.Slice:
		if h.present(!v.IsNil()) {
			h.entries(v)
		}
	case reflect.Array:
		h.entries(v)
	case reflect.Map:
		if h.present(!v.IsNil()) {
			h.pairs(v)
		}
	case reflect.Struct:
		h.structure(v)
	default:
		panic(fmt.Sprintf("store: %s is a %s: want a value that can be hashed, or the tag %s:\"-\" if it decides nothing", strings.Join(h.path, "."), v.Type(), Tag))
	}
}

// entries writes the entries of a slice or an array.
func (h *hasher) entries(v reflect.Value) {
	h.number(uint64(v.Len()))
	if v.Kind() == reflect.Slice && isNumber(v.Type().Elem().Kind()) {
		_, _ = h.out.Write(memory(v, 0, v.Len()))
		return
	}
	for i := range v.Len() {
		h.value(v.Index(i))
	}
}

// isNumber reports whether all values of a kind have the same size and no pointers: numbers and bools.
func isNumber(k reflect.Kind) bool { return k >= reflect.Bool && k <= reflect.Float64 }

// memory returns the memory of the numbers v[first:end], where v is a slice. Keys are those of one
// architecture, so the byte order does not matter.
func memory(v reflect.Value, first, end int) []byte {
	size := int(v.Type().Elem().Size()) // of a number, in bytes
	if end <= first {
		return nil
	}
	return unsafe.Slice((*byte)(v.UnsafePointer()), v.Len()*size)[first*size : end*size]
}

// pairs writes the entries of a map in an order that is always the same: that of their checksums.
func (h *hasher) pairs(v reflect.Value) {
	var sums [][]byte
	for k, entry := range v.Seq2() {
		sum := sha256.New()
		pair := newHasher(sum)
		pair.path = h.path
		pair.value(k)
		pair.value(entry)
		pair.flush()
		sums = append(sums, sum.Sum(nil))
	}
	slices.SortFunc(sums, bytes.Compare)
	h.number(uint64(len(sums)))
	for _, sum := range sums {
		_, _ = h.out.Write(sum)
	}
}

var matrixType = reflect.TypeFor[blas32.General]()

// structure writes the fields of a struct as their tags say, and a matrix by [hasher.matrix].
func (h *hasher) structure(v reflect.Value) {
	t := v.Type()
	if t == matrixType {
		h.matrix(v)
		return
	}
	h.number(uint64(t.NumField()))
	for i := range t.NumField() {
		field := t.Field(i)
		h.text(field.Name)
		h.path = append(h.path, field.Name)
		switch field.Tag.Get(Tag) {
		case "":
			h.typed(v.Field(i))
		case "-": // the field decides nothing
		case "name":
			h.name(v.Field(i))
		default:
			panic(fmt.Sprintf("store: %s has the tag key:%q: want \"-\" or \"name\"", strings.Join(h.path, "."), field.Tag.Get(Tag)))
		}
		h.path = h.path[:len(h.path)-1]
	}
}

// name writes what the method Name of v returns, or that v is nil. It panics if v has no such
// method. (reflect's MethodByName would make the linker keep all methods of the program.)
func (h *hasher) name(v reflect.Value) {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if !h.present(v.IsValid()) {
		return
	}
	named, ok := v.Interface().(interface{ Name() string })
	if !ok {
		panic(fmt.Sprintf("store: %s has no method Name() string", strings.Join(h.path, ".")))
	}
	h.text(named.Name())
}

// matrix writes a blas32.General without the padding between its rows.
func (h *hasher) matrix(v reflect.Value) {
	rows, cols, stride := int(v.FieldByName("Rows").Int()), int(v.FieldByName("Cols").Int()), int(v.FieldByName("Stride").Int())
	numbers := v.FieldByName("Data")
	h.number(uint64(rows))
	h.number(uint64(cols))
	if !h.present(numbers.Len() > 0) {
		return
	}
	for i := range rows {
		_, _ = h.out.Write(memory(numbers, i*stride, i*stride+cols))
	}
}
