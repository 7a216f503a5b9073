package store

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"
)

// FuzzDecode gives decode any bytes: as a file, and as the value in a file
// whose checksum fits. It may refuse but not panic.
func FuzzDecode(f *testing.F) {
	small := blas32.General{Rows: 1, Cols: 2, Stride: 3, Data: []float32{1, 2, 0}}
	for _, v := range []any{&[]int{1, -2}, &Matrix{small}, &result{Name: "x", Z: blas32.General{Rows: 1, Cols: 1, Stride: 1, Data: []float32{1}}}} {
		data, err := encode(testKey, v)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		f.Add(data[valueAt:])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var r result
		_ = decode(data, testKey, &r)

		sealed := make([]byte, valueAt, valueAt+len(data))
		copy(sealed, magic)
		copy(sealed[keyAt:], testKey[:])
		sealed = append(sealed, data...)
		binary.LittleEndian.PutUint64(sealed[lengthAt:], uint64(len(data)))
		sum := checksum(sealed)
		copy(sealed[checksumAt:], sum[:])
		_ = decode(sealed, testKey, &r)
		var m Matrix
		_ = decode(sealed, testKey, &m)
		_ = m.GobDecode(data)
	})
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
