package store

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"
)

// resultWithoutMap is a result, but for the map.
type resultWithoutMap struct {
	Z      blas32.General
	Values []float64
	Labels []int
	Name   string
	Lambda float64
	Next   *resultWithoutMap
}

// FuzzDecode passes arbitrary bytes to readEntry: as a file, and as the value in
// a file whose checksum matches. It may return an error but must not
// panic. The type has no map: gob makes one of the size that a file states before it reads
// it, so that a few bytes with the right checksum can take all memory.
func FuzzDecode(f *testing.F) {
	small := blas32.General{Rows: 1, Cols: 2, Stride: 3, Data: []float32{1, 2, 0}}
	for _, v := range []any{&[]int{1, -2}, &Matrix{small}, &resultWithoutMap{Name: "x", Z: blas32.General{Rows: 1, Cols: 1, Stride: 1, Data: []float32{1}}}} {
		var b bytes.Buffer
		if err := writeEntry(&b, testKey, v); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
		f.Add(b.Bytes()[valueAt:])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var r resultWithoutMap
		_ = readEntry(bytes.NewReader(data), int64(len(data)), testKey, &r)

		sealed := slices.Concat([]byte(magic), testKey.hash[:], data)
		sum := sha256.Sum256(sealed)
		sealed = append(sealed, sum[:]...)
		_ = readEntry(bytes.NewReader(sealed), int64(len(sealed)), testKey, &r)
		var m Matrix
		_ = readEntry(bytes.NewReader(sealed), int64(len(sealed)), testKey, &m)
		_ = m.GobDecode(data)
	})
}

// streamed is a streamer: a count and that many numbers.
type streamed struct{ numbers []float32 }

func (s *streamed) EncodeTo(w io.Writer) error {
	if err := binary.Write(w, binary.LittleEndian, uint32(len(s.numbers))); err != nil {
		return err
	}
	return binary.Write(w, binary.LittleEndian, s.numbers)
}

func (s *streamed) DecodeFrom(r *bufio.Reader) error {
	var count uint32
	if err := binary.Read(r, binary.LittleEndian, &count); err != nil {
		return err
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
		if got, ok := Get[streamed](s, testKey); !ok || !slices.Equal(got.numbers, want.numbers) {
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
			if _, ok := Get[streamed](s, testKey); ok {
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
		if _, ok := Get[Matrix](s, testKey); !ok {
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
