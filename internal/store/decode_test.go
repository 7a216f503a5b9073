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

// TestStatedSizes: files that say that billions of entries follow are refused, and take no
// memory for them. encoding/gob makes a map of whatever size a file states.
func TestStatedSizes(t *testing.T) {
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
			"in a field": slices.Concat([]byte("\xa1\x66Counts"), claim),
			"in a list":  slices.Concat([]byte{0x81}, claim),
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

// TestTypes: what gob kept and JSON does not comes back: times, NaN, text that is not UTF-8,
// numbers of all sizes, pointers, more than 131,072 entries, 100 levels.
func TestTypes(t *testing.T) {
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
		Many:   make([]int, 1<<18), Pairs: map[int]int{}, Array: [2]float32{0.1, -2},
	}
	for i := range 1 << 18 {
		want.Pairs[i] = -i
	}
	for range 100 {
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
	got.Time = want.Time
	if !reflect.DeepEqual(got, want) {
		t.Error("another value")
	}
	put(t, s, testKey, []float64{math.NaN()})
	if got, ok := Stored[[]float64](s, testKey); !ok || !math.IsNaN(got[0]) {
		t.Errorf("NaN became %v", got)
	}
	if err := Put(s, testKey, complex(1, 2)); err == nil {
		t.Error("a complex number: no error")
	}
}

// streamed is a streamer: a count and that many numbers.
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

// TestStreamer checks that a Streamer of any length comes back bit for bit,
// and that a file with a missing byte, at its end or before, is rejected.
func TestStreamer(t *testing.T) {
	s, _ := open(t)
	rnd := rand.New(rand.NewPCG(1, 1))
	for _, count := range []int{0, 1, 4096, 12287} {
		want := streamed{make([]float32, count)}
		for k := range want.numbers {
			want.numbers[k] = math.Float32frombits(rnd.Uint32() &^ (1 << 30)) // anything but NaN, which never equals itself
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
		for _, bad := range [][]byte{data[:len(data)-1], append(data[:len(data)-40:len(data)-40], data[len(data)-39:]...)} {
			if err := os.WriteFile(path, bad, 0o666); err != nil {
				t.Fatal(err)
			}
			if _, ok := Stored[streamed](s, testKey); ok {
				t.Errorf("%d numbers: %d of %d bytes were accepted", count, len(bad), len(data))
			}
		}
	}
}

func benchmarkMatrix() Matrix {
	m := blas32.General{Rows: 1024, Cols: 1024, Stride: 1024, Data: make([]float32, 1<<20)}
	rnd := rand.New(rand.NewPCG(1, 1))
	for i := range m.Data {
		m.Data[i] = rnd.Float32()
	}
	return Matrix{m}
}

func BenchmarkGet4MB(b *testing.B) {
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
