package mapped

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestArrays: Bytes gives the bytes that encoding/binary writes, for each type of numbers. A file with these
// bytes gives the numbers again, mapped and read from every number on in blocks of every size. A file
// that is too short is an error.
func TestArrays(t *testing.T) {
	testArray(t, []int{1, -2, 1 << 40})
	testArray(t, []int32{1, -2, math.MaxInt32, 7})
	testArray(t, []uint64{1, math.MaxUint64})
	testArray(t, []float32{1.5, -2, 1e-30, float32(math.Inf(1)), 0})
	testArray(t, []float64{1.5, -2, 1e-300})
	testArray(t, []float64{})
}

// testArray is TestArrays for the numbers want.
func testArray[T Number](t *testing.T, want []T) {
	t.Helper()
	var data bytes.Buffer
	for _, v := range want {
		var number any = v
		if i, ok := number.(int); ok {
			number = int64(i)
		}
		if err := binary.Write(&data, binary.LittleEndian, number); err != nil {
			t.Fatal(err)
		}
	}
	if got := Bytes(want); !bytes.Equal(got, data.Bytes()) {
		t.Errorf("%v is %v, want %v", want, got, data.Bytes())
	}
	path := filepath.Join(t.TempDir(), "numbers")
	if err := os.WriteFile(path, data.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got := Numbers[T](f.Bytes()); !slices.Equal(got, want) {
		t.Errorf("mapped %v, want %v", got, want)
	}
	for block := range len(want) + 2 {
		for from := range len(want) {
			var got []T
			r := NewReader[T](bytes.NewReader(data.Bytes()), int64(from*data.Len()/len(want)), len(want)-from, block)
			for {
				v, err := r.Next()
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, v)
			}
			if !slices.Equal(got, want[from:]) {
				t.Errorf("read %v in blocks of %d, want %v", got, block, want[from:])
			}
		}
	}
	r := NewReader[T](bytes.NewReader(data.Bytes()), 0, len(want)+1, 100)
	if _, err := r.Next(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a file that is too short: error %v", err)
	}
}

// TestOpenRefuses: what is no regular file is an error.
func TestOpenRefuses(t *testing.T) {
	if _, err := Open(t.TempDir()); err == nil {
		t.Error("a folder: no error")
	}
}
