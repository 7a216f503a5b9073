package npy

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sbinet/npyio/npy"
	"pgregory.net/rapid"

	"github.com/agekit/age/internal/system"
)

// fixture returns a function that opens the array of a name in testdata/types.npz, which numpy wrote.
func fixture(t *testing.T) func(name string) (*Array, error) {
	t.Helper()
	z, err := zip.OpenReader("testdata/types.npz")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { z.Close() })
	return func(name string) (*Array, error) {
		for _, f := range z.File {
			if f.Name == name+".npy" {
				r, err := f.Open()
				if err != nil {
					t.Fatal(err)
				}
				return Open(r, int64(f.UncompressedSize64))
			}
		}
		t.Fatalf("no array %q", name)
		return nil, nil
	}
}

var types = []string{"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"}

// TestNumPy reads a matrix that numpy wrote in every type, byte order and memory order: the values are
// those that were given to numpy, row by row. As integers, only integers and bools are read.
func TestNumPy(t *testing.T) {
	open := fixture(t)
	names := []string{"version 2"}
	for _, kind := range types {
		for _, order := range []string{" little C", " little F", " big C", " big F"} {
			names = append(names, kind+order)
		}
	}
	for _, name := range names {
		want := []float32{0, 1, 2, 3, 100, 127}
		if strings.HasPrefix(name, "bool") {
			want = []float32{0, 1, 1, 1, 1, 1}
		}
		a, err := open(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, err := Values[float32](a); err != nil || !slices.Equal(got, want) || a.Fortran != strings.HasSuffix(name, "F") {
			t.Errorf("%s: %v (%v), want %v", name, got, err, want)
		}
		a, _ = open(name)
		whole, err := Values[int32](a)
		if strings.HasPrefix(name, "float") || name == "version 2" {
			if err == nil || !strings.Contains(err.Error(), "want integers") {
				t.Errorf("%s as integers: %v (%v)", name, whole, err)
			}
			continue
		}
		for k, v := range whole {
			if float32(v) != want[k] {
				t.Errorf("%s as integers: %v (%v), want %v", name, whole, err, want)
			}
		}
	}
}

// TestExtremes reads the least and the largest value of each type, as numpy wrote them. A value that
// does not fit the type asked for is an error with its position, never another value.
func TestExtremes(t *testing.T) {
	open := fixture(t)
	for _, order := range []string{" little", " big"} {
		for kind, want := range map[string][]int64{
			"int8": {-128, 127}, "int16": {-1 << 15, 1<<15 - 1}, "int32": {-1 << 31, 1<<31 - 1}, "int64": {math.MinInt64, math.MaxInt64},
			"uint8": {0, 255}, "uint16": {0, 1<<16 - 1}, "uint32": {0, 1<<32 - 1},
		} {
			a, _ := open(kind + order + " extremes")
			if got, err := Values[int64](a); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s%s: %v (%v), want %v", kind, order, got, err, want)
			}
			a, _ = open(kind + order + " extremes")
			got, err := Values[int32](a)
			fits := want[0] >= math.MinInt32 && want[1] <= math.MaxInt32
			if fits != (err == nil) || fits && int64(got[1]) != want[1] {
				t.Errorf("%s%s as int32: %v (%v)", kind, order, got, err)
			}
		}
		a, _ := open("uint64" + order + " extremes")
		if got, err := Values[float32](a); err == nil || err.Error() != "value 1 (from 0): value 18446744073709551615: want at most 9223372036854775807" {
			t.Errorf("uint64%s: %v (%v)", order, got, err)
		}
		for kind, want := range map[string][2]float64{
			"float16": {0x1p-24, -65504}, "float32": {0x1p-149, -math.MaxFloat32}, "float64": {0x1p-1074, -math.MaxFloat64},
		} { // the least positive number and the most negative one, before ∞ and NaN
			a, _ := open(kind + order + " extremes")
			got, err := Values[float64](a)
			if err != nil || got[0] != want[0] || got[1] != want[1] || !math.IsInf(got[2], 1) || !math.IsNaN(got[3]) {
				t.Errorf("%s%s: %v (%v), want %v, ∞ and NaN", kind, order, got, err, want)
			}
		}
		a, _ = open("float64" + order + " extremes")
		if got, err := Values[float32](a); err == nil || err.Error() != "value 1 (from 0): value -1.7976931348623157e+308: want at most 3.4028235e+38" {
			t.Errorf("float64%s as float32: %v (%v)", order, got, err)
		}
	}
}

// TestRefused: arrays of other types than numbers, and of a later version, are errors that name numpy's
// type. An array of no dimensions has one value, and one of three is no matrix.
func TestRefused(t *testing.T) {
	open := fixture(t)
	for name, want := range map[string]string{
		"version 3":     ".npy format of version 3: want 1 or 2",
		"complex64":     "values of type complex64: want float32, float64, integers or bool",
		"longdouble":    "values of type float128: want float32, float64, integers or bool",
		"S3":            "values of type bytes: want float32, float64, integers or bool",
		"U3":            "values of type str: want float32, float64, integers or bool",
		"O":             "values of type object: want float32, float64, integers or bool",
		"datetime64[s]": `values of type "<M8[s]": want numbers`,
		"structured":    `values of type "('a', '<i4'), ('b', '<f4')": want numbers`,
	} {
		if a, err := open(name); err == nil || err.Error() != want {
			t.Errorf("%s: %+v, error %v, want %q", name, a, err, want)
		}
	}
	a, err := open("scalar")
	if err != nil || len(a.Shape) != 0 {
		t.Fatalf("scalar: %+v (%v)", a, err)
	}
	if got, err := Values[float64](a); err != nil || !slices.Equal(got, []float64{2.5}) {
		t.Errorf("scalar: %v (%v)", got, err)
	}
	a, err = open("three dimensions")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := a.Matrix(); err == nil || err.Error() != "array of shape (2, 2, 2): want rows × columns" {
		t.Errorf("three dimensions: error %v", err)
	}
}

// raw returns a .npy file with that content, whose header states, as Python's literals, the type of the
// values, whether they are in column-major order, and the shape.
func raw(kind, fortran, shape string, content []byte) []byte {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", kind, fortran, shape)
	return slices.Concat([]byte("\x93NUMPY\x01\x00"), []byte{byte(len(header)), byte(len(header) >> 8)}, []byte(header), content)
}

// TestDamaged: headers that say other than the file holds, values that end early or go on, and
// values for which there is no memory, are errors that say so.
func TestDamaged(t *testing.T) {
	long := strings.Repeat("9, ", 10_000)
	for _, test := range []struct{ file, want string }{
		{"", "not a .npy array: the data end too early"},
		{"PK\x03\x04 something", `not a .npy array: begins with "PK\x03\x04 s"`},
		{"\x93NUMPY\x01\x00\xff\xff{}", "header of 65535 bytes: want at most 2"},
		{"\x93NUMPY\x02\x00\xff\xff\xff\xff{}", "header of 4294967295 bytes: want at most 2"},
		{string(raw("<f4", "Perhaps", "(2,)", nil)), "damaged header \"{'descr': '<f4', 'fortran_order': Perhaps, 'shape': (2,), }\\n\""},
		{string(raw("<f4", "False", "(2,)", make([]byte, 7))), "7 bytes of values for shape (2,) and type float32: want 8"},
		{string(raw("<f4", "False", "(2,)", make([]byte, 9))), "9 bytes of values for shape (2,) and type float32: want 8"},
		{string(raw("<f4", "False", "(-1, 2)", nil)), "array of shape (-1, 2): want sizes that fit the file"},
		{string(raw("<f4", "False", "(4294967296, 4294967296)", nil)), "array of shape (4294967296, 4294967296): want sizes that fit the file"},
		{string(raw("<f4", "False", "("+long+")", nil)), "array of shape (9, 9, 9, 9, 9, 9, 9, 9, …): want sizes that fit the file"},
		{string(raw("<"+strings.Repeat("f", 60_000), "False", "(1,)", nil)), "values of type \"<" + strings.Repeat("f", 59) + `"… (60001 bytes): want numbers`},
	} {
		if _, err := Open(strings.NewReader(test.file), int64(len(test.file))); err == nil || err.Error() != test.want {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
	// The content may end before, or go on after, the size that a zip archive
	// declares.
	file := raw("<i2", "False", "(40000, 2)", make([]byte, 40_000*2*2))
	for length, want := range map[int]string{len(file) - 1: "row 32768, column 0 (from 0): the data end too early", len(file) + 1: "more data than the shape and type need"} {
		a, err := Open(bytes.NewReader(append(file, 0)[:length]), int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Values[int](a); err == nil || err.Error() != want {
			t.Errorf("%d bytes: error %v, want %q", length, err, want)
		}
	}
	t.Setenv(system.MemoryVariable, "300kB")
	a, err := Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Values[float32](a); err == nil || err.Error() != "80000 values of 4 bytes: 320 kB of memory, want at most the 300 kB that are free" {
		t.Errorf("error %v, want one about the memory", err)
	}
}

// TestBlocks: random numbers of random types that npyio wrote are read as they were, for lengths around
// the size of a block, from a reader that gives a few bytes at a time.
func TestBlocks(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.OneOf(rapid.IntRange(0, 20), rapid.IntRange(8190, 8194), rapid.IntRange(60_000, 70_000)).Draw(r, "length")
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 0))
		switch rapid.SampledFrom(types).Draw(r, "type") {
		case "int8":
			compare(r, rnd, n, func() int8 { return int8(rnd.Uint32()) })
		case "int16":
			compare(r, rnd, n, func() int16 { return int16(rnd.Uint32()) })
		case "int32":
			compare(r, rnd, n, func() int32 { return int32(rnd.Uint32()) })
		case "int64":
			compare(r, rnd, n, func() int64 { return int64(rnd.Uint64()) })
		case "uint8":
			compare(r, rnd, n, func() uint8 { return uint8(rnd.Uint32()) })
		case "uint16":
			compare(r, rnd, n, func() uint16 { return uint16(rnd.Uint32()) })
		case "uint32":
			compare(r, rnd, n, rnd.Uint32)
		case "float32":
			compare(r, rnd, n, func() float32 { return float32(rnd.NormFloat64()) })
		default:
			compare(r, rnd, n, rnd.NormFloat64)
		}
	})
}

// compare draws n numbers, has npyio write them, and compares what is read as float32.
func compare[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | float32 | float64](r *rapid.T, rnd *rand.Rand, n int, draw func() T) {
	values := make([]T, n)
	want := make([]float32, n)
	for k := range values {
		values[k] = draw()
		want[k] = float32(values[k])
	}
	var file bytes.Buffer
	if err := npy.Write(&file, values); err != nil {
		r.Fatal(err)
	}
	a, err := Open(slowReader{&file, rnd}, int64(file.Len()))
	if err != nil {
		r.Fatal(err)
	}
	if a.Len() != n || !slices.Equal(a.Shape, []int{n}) {
		r.Errorf("shape %v, want %d", a.Shape, n)
	}
	if got, err := Values[float32](a); err != nil || !slices.Equal(got, want) {
		r.Errorf("%T: %d values differ from the %d written (%v)", values, len(got), n, err)
	}
}

// slowReader returns fewer bytes than asked for, as unpacking does.
type slowReader struct {
	io.Reader
	rnd *rand.Rand
}

func (s slowReader) Read(p []byte) (int, error) {
	return s.Reader.Read(p[:min(len(p), 1+s.rnd.IntN(5000))])
}
