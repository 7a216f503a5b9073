package store

import (
	"testing"

	"gonum.org/v1/gonum/blas/blas32"
)

// TestMatrixKeepsNumbersAndStride: a matrix comes back from its bytes with its numbers and its stride,
// and 0 as padding. Bytes that are too few or too many, or that state a size which would take
// gigabytes, are an error.
func TestMatrixKeepsNumbersAndStride(t *testing.T) {
	m := Matrix{blas32.General{Rows: 2, Cols: 3, Stride: 5, Data: []float32{1, -2, 3.5, 9, 9, 4, 5, 6, 9, 9}}} // 9: padding
	b, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var got Matrix
	if err := got.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	want := []float32{1, -2, 3.5, 0, 0, 4, 5, 6, 0, 0}
	if got.Rows != 2 || got.Cols != 3 || got.Stride != 5 || len(got.Data) != len(want) {
		t.Fatalf("got %d×%d, stride %d, %d numbers", got.Rows, got.Cols, got.Stride, len(got.Data))
	}
	for i, v := range want {
		if got.Data[i] != v {
			t.Errorf("number %d is %v, want %v", i, got.Data[i], v)
		}
	}
	for _, damaged := range [][]byte{b[:10], b[:len(b)-1], append(b[:len(b):len(b)], 0, 0, 0, 0)} {
		if new(Matrix).UnmarshalBinary(damaged) == nil {
			t.Errorf("%d of %d bytes decode without an error", len(damaged), len(b))
		}
	}
	paddingOnly := Matrix{blas32.General{Rows: 0, Cols: 0, Stride: 1024}}
	empty, err := paddingOnly.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	empty[3] = 0x7f // of the number of rows, which becomes two billion
	if new(Matrix).UnmarshalBinary(empty) == nil {
		t.Error("8 TiB of padding decode without an error")
	}
	b[7] = 0xff // the highest byte of the number of rows
	if new(Matrix).UnmarshalBinary(b) == nil {
		t.Error("2⁶³ rows decode without an error")
	}
}
