package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/agekit/age/internal/message"
	"github.com/sbinet/npyio/npy"
)

// longestHeader is the length of the longest header of an array, in bytes. NumPy's take hundreds.
const longestHeader = 64 << 10

// Array is an array whose values have not been read yet.
type Array struct {
	Shape   []int
	Fortran bool // in column-major order
	Offset  int  // of the values, in bytes from the beginning

	r     io.Reader
	name  string // of the type of its values, such as "float32"
	kind  byte   // one of b, i, u and f
	size  int    // of a value, in bytes
	order binary.ByteOrder
}

// Open reads the header of the .npy array in r, which has size bytes with its header, and returns the
// array. Its values are read from r later. No error names the file.
func Open(r io.Reader, size int64) (*Array, error) {
	// npyio does not limit the header's length, so read the header here.
	head, err := header(r, size)
	if err != nil {
		return nil, err
	}
	parsed, err := parseHeader(head)
	if err != nil {
		return nil, err
	}
	a, err := newArray(parsed.Descr.Type, parsed.Descr.Shape, parsed.Descr.Fortran, r, size-int64(len(head)))
	if err != nil {
		return nil, err
	}
	a.Offset = len(head)
	return a, nil
}

// FromBytes returns the array whose values are the bytes of content. kind is NumPy's short name of
// the values' type, such as "<f4"; fortran says that they are in column-major order.
func FromBytes(kind string, shape []int, fortran bool, content []byte) (*Array, error) {
	return newArray(kind, shape, fortran, bytes.NewReader(content), int64(len(content)))
}

// header reads and returns everything before the values of the .npy array in r, which has size bytes.
//
//	6 bytes       magic string
//	2 bytes       version, major and minor
//	2 or 4 bytes  length of the text that follows: 4 from version 2 on
//	the text
func header(r io.Reader, size int64) ([]byte, error) {
	head := make([]byte, 10, 12)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, fmt.Errorf("not a .npy array: %w", ends(err))
	}
	if !bytes.Equal(head[:6], npy.Magic[:]) {
		return nil, fmt.Errorf("not a .npy array: begins with %s", message.Quote(head[:6]))
	}
	major, n := head[6], int64(binary.LittleEndian.Uint16(head[8:]))
	if major != 1 && major != 2 {
		return nil, fmt.Errorf(".npy format of version %d: want 1 or 2", major)
	}
	if major == 2 {
		head = head[:12]
		if _, err := io.ReadFull(r, head[10:]); err != nil {
			return nil, fmt.Errorf("not a .npy array: %w", ends(err))
		}
		n = int64(binary.LittleEndian.Uint32(head[8:]))
	}
	if most := min(longestHeader, size-int64(len(head))); n > most {
		return nil, fmt.Errorf("header of %d bytes: want at most %d", n, most)
	}
	textStart := len(head)
	head = append(head, make([]byte, n)...)
	if _, err := io.ReadFull(r, head[textStart:]); err != nil {
		return nil, fmt.Errorf("header: %w", ends(err))
	}
	return head, nil
}

// parseHeader parses a header with npyio, which has no bounds checks: a panic means a damaged header.
func parseHeader(head []byte) (h npy.Header, err error) {
	defer func() {
		if recover() != nil || err != nil {
			err = fmt.Errorf("damaged header %s", message.Quote(bytes.TrimLeft(head[10:], "\x00")))
		}
	}()
	r, err := npy.NewReader(bytes.NewReader(head))
	if err != nil {
		return h, err
	}
	return r.Header, nil
}

// shortName is numpy's short name of a type: order of its bytes, kind, and size.
var shortName = regexp.MustCompile(`^([<>|]?)([biufcOSUV])([0-9]{0,3})$`)

// kindNames are the names of the types of values, by kind, without their size in bits.
var kindNames = map[byte]string{'b': "bool", 'i': "int", 'u': "uint", 'f': "float", 'c': "complex", 'O': "object", 'S': "bytes", 'U': "str", 'V': "void"}

// readable are the types of values that are read.
var readable = []string{"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"}

// newArray returns the array whose values are the next size bytes of r. kind is numpy's short name of
// the values' type. A type that cannot be read is an error, as is a shape that does not fit size.
func newArray(kind string, shape []int, fortran bool, r io.Reader, size int64) (*Array, error) {
	parts := shortName.FindStringSubmatch(kind)
	if parts == nil {
		return nil, fmt.Errorf("values of type %s: want numbers", message.Quote(kind))
	}
	a := &Array{Shape: shape, Fortran: fortran, r: r, kind: parts[2][0], order: binary.LittleEndian}
	if parts[1] == ">" {
		a.order = binary.BigEndian
	}
	a.size, _ = strconv.Atoi(parts[3]) // objects have none
	a.name = kindNames[a.kind]
	if strings.Contains("iufc", parts[2]) {
		a.name += strconv.Itoa(8 * a.size)
	}
	if !slices.Contains(readable, a.name) || a.kind == 'b' && a.size != 1 {
		return nil, fmt.Errorf("values of type %s: want float32, float64, integers or bool", a.name)
	}
	return a, a.checkSize(size)
}

// checkSize returns an error unless an array of this shape and type has size bytes of values.
func (a *Array) checkSize(size int64) error {
	count := 1
	for _, n := range a.Shape {
		if n < 0 || n > 0 && count > math.MaxInt/8/n { // the bytes, 8 a value at most, fit an int
			return fmt.Errorf("array of shape %s: want sizes that fit the file", a.shape())
		}
		count *= n
	}
	if want := int64(count) * int64(a.size); size != want {
		return fmt.Errorf("%d bytes of values for shape %s and type %s: want %d", size, a.shape(), a.name, want)
	}
	return nil
}

// shownSizes is the number of dimensions of a shape that a message shows.
const shownSizes = 8

// shape returns the shape as numpy prints it, or its beginning if it is long.
func (a *Array) shape() string {
	sizes := fmt.Sprint(a.Shape[:min(len(a.Shape), shownSizes)])
	text := strings.ReplaceAll(strings.Trim(sizes, "[]"), " ", ", ")
	switch {
	case len(a.Shape) == 1:
		text += ","
	case len(a.Shape) > shownSizes:
		text += ", …"
	}
	return "(" + text + ")"
}

// Len returns the number of values.
func (a *Array) Len() int {
	count := 1
	for _, n := range a.Shape {
		count *= n
	}
	return count
}

// Matrix returns the numbers of rows and columns of the array, or an error if it is not a matrix.
func (a *Array) Matrix() (rows, columns int, err error) {
	if len(a.Shape) != 2 || a.Shape[1] < 1 {
		return 0, 0, fmt.Errorf("array of shape %s: want rows × columns", a.shape())
	}
	return a.Shape[0], a.Shape[1], nil
}

// Mappable reports whether the values can be mapped instead of read: their bytes in the file are
// those of a row-major float32 array in memory, and there is one.
func (a *Array) Mappable() bool {
	return a.name == "float32" && !a.Fortran && a.order == binary.LittleEndian && a.Len() > 0
}

// place returns the position of value k of the file, from 0, for an error message: a row and a column,
// if the array is a matrix.
func (a *Array) place(k int) string {
	if len(a.Shape) != 2 {
		return fmt.Sprintf("value %d (from 0)", k)
	}
	i, j := k/a.Shape[1], k%a.Shape[1]
	if a.Fortran {
		i, j = k%a.Shape[0], k/a.Shape[0]
	}
	return fmt.Sprintf("row %d, column %d (from 0)", i, j)
}

// ends returns err, or an error in plain words if err says that the data end.
func ends(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the data end too early")
	}
	return err
}
