package store

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/agekit/age/internal/atomicfile"
	"gonum.org/v1/gonum/blas/blas32"
)

// FuzzDecode passes arbitrary bytes to readEntry: as a file, and as the value in
// a file whose checksum matches. It may return an error but must not panic, nor take the
// memory that the bytes ask for.
func FuzzDecode(f *testing.F) {
	small := blas32.General{Rows: 1, Cols: 2, Stride: 3, Data: []float32{1, 2, 0}}
	for _, v := range []any{&[]int{1, -2}, &Matrix{small}, &result{Name: "x", Counts: map[string]int{"a": 1}, Z: blas32.General{Rows: 1, Cols: 1, Stride: 1, Data: []float32{1}}}} {
		var b bytes.Buffer
		if err := writeEntry(&b, testKey, v); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
		f.Add(b.Bytes()[:b.Len()/2])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var r result
		_ = readEntry(bytes.NewReader(data), int64(len(data)), testKey, &r)

		var whole bytes.Buffer
		if err := atomicfile.WriteChecked(&whole, testKey.String(), atomicfile.Bytes(data)); err != nil {
			t.Fatal(err)
		}
		_ = readEntry(bytes.NewReader(whole.Bytes()), int64(whole.Len()), testKey, &r)
		var m Matrix
		_ = readEntry(bytes.NewReader(whole.Bytes()), int64(whole.Len()), testKey, &m)
		_ = m.UnmarshalBinary(data)
	})
}

// TestStatedSizes: CBOR that says that 2³⁰ or more entries follow, of which none does, is refused
// for every type of target, and takes less than a megabyte. (encoding/gob makes a map of whatever
// size a file states.)
func TestStatedSizes(t *testing.T) {
	// The first byte is the type and the width of the number that follows (RFC 8949, section 3).
	counts := map[string][]byte{
		"2⁶³ pairs":   {0xbb, 0x80, 0, 0, 0, 0, 0, 0, 0},
		"2³¹ pairs":   {0xba, 0x80, 0, 0, 0},
		"2³⁰ pairs":   {0xba, 0x40, 0, 0, 0},
		"2³⁰ strings": {0x9a, 0x40, 0, 0, 0},
		"2³⁰ bytes":   {0x5a, 0x40, 0, 0, 0},
	}
	for name, claim := range counts {
		for place, text := range map[string][]byte{
			"alone":      claim,
			"in a field": slices.Concat([]byte("\xa1\x66Counts"), claim), // a map of one pair, whose key has 6 bytes
			"in a list":  slices.Concat([]byte{0x81}, claim),             // a list of one entry
		} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for _, target := range []any{new(result), new([]result), new(map[string]int), new([]map[string]int), new([]string), new(any), new(Matrix)} {
				if Decode(text, target) == nil {
					t.Errorf("%s, %s, as %T: no error", name, place, target)
				}
			}
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
				t.Errorf("%s, %s: took %d bytes", name, place, took)
			}
		}
	}
}

// TestTypes: a stored value comes back where JSON would lose it or CBOR might: times with their zone,
// infinity, −0 and NaN, text that is not UTF-8, the largest integers, nil pointers, values in
// interfaces, more entries than the codec reads by default (131,072), and 100 levels of pointers. A
// complex number is an error.
func TestTypes(t *testing.T) {
	const entries, levels = 1 << 18, 100
	type deep struct{ Next *deep }
	type all struct {
		Time    time.Time
		Special []float64
		Text    string
		Bytes   []byte
		Big     uint64
		Small   int64
		Nested  map[int]map[string][]bool
		None    *float64
		Any     map[string]any
		Many    []int
		Pairs   map[int]int
		Deep    *deep
		Array   [2]float32
	}
	want := all{
		Time:    time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("", 3600)),
		Special: []float64{math.Inf(1), math.Copysign(0, -1), math.MaxFloat64, math.SmallestNonzeroFloat64},
		Text:    "a\xff\x00", Bytes: []byte{0, 255}, Big: math.MaxUint64, Small: math.MinInt64,
		Nested: map[int]map[string][]bool{-1: {"x": {true, false}}},
		Any:    map[string]any{"s": "x", "n": int64(3), "f": 0.5, "b": true},
		Many:   make([]int, entries), Pairs: map[int]int{}, Array: [2]float32{0.1, -2},
	}
	for i := range entries {
		want.Pairs[i] = -i
	}
	for range levels {
		want.Deep = &deep{want.Deep}
	}
	s, logged := open(t)
	put(t, s, testKey, want)
	got, ok := Stored[all](s, testKey)
	if !ok {
		t.Fatal(*logged)
	}
	if !got.Time.Equal(want.Time) || got.Time.Format(time.RFC3339Nano) != want.Time.Format(time.RFC3339Nano) {
		t.Errorf("time %v, want %v", got.Time, want.Time)
	}
	got.Time = want.Time // compared above: the zone is another pointer
	if !reflect.DeepEqual(got, want) {
		t.Error("another value")
	}
	if minusZero := got.Special[1]; !math.Signbit(minusZero) { // which DeepEqual takes for 0
		t.Errorf("−0 became %v", minusZero)
	}
	put(t, s, testKey, []float64{math.NaN()})
	if got, ok := Stored[[]float64](s, testKey); !ok || !math.IsNaN(got[0]) {
		t.Errorf("NaN became %v", got)
	}
	if err := Put(s, testKey, complex(1, 2)); err == nil {
		t.Error("a complex number: no error")
	}
}

// streamed is a streamer that writes the count of its numbers, in 4 bytes, and the numbers.
type streamed struct{ numbers []float32 }

func (s *streamed) EncodeTo(w io.Writer) error {
	if err := binary.Write(w, binary.LittleEndian, uint32(len(s.numbers))); err != nil {
		return err
	}
	return binary.Write(w, binary.LittleEndian, s.numbers)
}

func (s *streamed) DecodeFrom(r io.Reader, size int64) error {
	var count uint32
	if err := binary.Read(r, binary.LittleEndian, &count); err != nil {
		return err
	}
	if 4+4*int64(count) != size {
		return fmt.Errorf("%d numbers in %d bytes", count, size)
	}
	s.numbers = make([]float32, count)
	return binary.Read(r, binary.LittleEndian, s.numbers)
}

// TestStreamer: a streamer of any length comes back bit for bit, and a file that lacks a byte, the
// last one or one before it, is refused.
func TestStreamer(t *testing.T) {
	s, _ := open(t)
	rnd := rand.New(rand.NewPCG(1, 1))
	for _, count := range []int{0, 1, 4096, 12287} { // numbers: around the size of buffers, too
		want := streamed{make([]float32, count)}
		for k := range want.numbers {
			want.numbers[k] = math.Float32frombits(rnd.Uint32() &^ (1 << 30)) // without a bit of the exponent, never NaN, which does not equal itself
		}
		put(t, s, testKey, want)
		if got, ok := Stored[streamed](s, testKey); !ok || !slices.Equal(got.numbers, want.numbers) {
			t.Errorf("%d numbers: got %d (%v)", count, len(got.numbers), ok)
		}
		path := file(t, s)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		last, inFooter := len(data)-1, len(data)-40
		for _, missing := range []int{last, inFooter} {
			bad := slices.Delete(slices.Clone(data), missing, missing+1)
			if err := os.WriteFile(path, bad, 0o666); err != nil {
				t.Fatal(err)
			}
			if _, ok := Stored[streamed](s, testKey); ok {
				t.Errorf("%d numbers: %d of %d bytes were accepted", count, len(bad), len(data))
			}
		}
	}
}

// benchmarkMatrix returns a matrix of 4 MB.
func benchmarkMatrix() Matrix {
	m := blas32.General{Rows: 1024, Cols: 1024, Stride: 1024, Data: make([]float32, 1<<20)}
	rnd := rand.New(rand.NewPCG(1, 1))
	for i := range m.Data {
		m.Data[i] = rnd.Float32()
	}
	return Matrix{m}
}

func BenchmarkStored4MB(b *testing.B) {
	s, _ := open(b)
	put(b, s, testKey, benchmarkMatrix())
	b.SetBytes(4 << 20)
	for b.Loop() {
		if _, ok := Stored[Matrix](s, testKey); !ok {
			b.Fatal("not found")
		}
	}
}

func BenchmarkPut4MB(b *testing.B) {
	s, _ := open(b)
	m := benchmarkMatrix()
	b.SetBytes(4 << 20)
	for b.Loop() {
		put(b, s, testKey, m)
	}
}
