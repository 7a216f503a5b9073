package store

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"

	"github.com/fxamacker/cbor/v2"
)

// streamer is a value that writes and reads itself: [Encode] would hold a copy of it.
type streamer interface {
	EncodeTo(w io.Writer) error
	DecodeFrom(r io.Reader, size int64) error
}

// decoder reads CBOR of any length and strings that are not UTF-8. It checks that all of
// a value is there before it allocates any of it, so that a few bytes cannot take all memory.
var decoder = sync.OnceValue(func() cbor.DecMode {
	mode, err := cbor.DecOptions{
		MaxArrayElements: math.MaxInt32, MaxMapPairs: math.MaxInt32, MaxNestedLevels: 1000,
		UTF8: cbor.UTF8DecodeInvalid, IntDec: cbor.IntDecConvertSignedOrBigInt,
	}.DecMode()
	if err != nil {
		panic(err) // the options above do not allow it
	}
	return mode
})

// encoder keeps times to the nanosecond and with their zone.
var encoder = sync.OnceValue(func() cbor.EncMode {
	mode, err := cbor.EncOptions{Time: cbor.TimeRFC3339Nano}.EncMode()
	if err != nil {
		panic(err)
	}
	return mode
})

// Encode returns v in CBOR (RFC 8949). See [Put] for what v may be.
func Encode(v any) ([]byte, error) { return encoder().Marshal(v) }

// Decode reads what [Encode] returned into the value that v points to. Damaged data give
// an error and take no more memory than a multiple of their length.
func Decode(data []byte, v any) error { return decoder().Unmarshal(data, v) }

// An entry's file consists of
//
//	magic, format version   8 bytes
//	key with the type      32 bytes
//	the value, in CBOR or as a streamer writes it
//	SHA-256 of all that    32 bytes
const (
	magic   = "AGESTOR3"
	valueAt = len(magic) + sha256.Size
)

// writeEntry writes the file that holds the value pointed to by src.
func writeEntry(w io.Writer, key Key, src any) error {
	sum := sha256.New()
	both := io.MultiWriter(w, sum)
	if _, err := both.Write(append([]byte(magic), key.hash[:]...)); err != nil {
		return err
	}
	if s, ok := src.(streamer); ok {
		if err := s.EncodeTo(both); err != nil {
			return err
		}
	} else {
		text, err := Encode(src)
		if err != nil {
			return err
		}
		if _, err := both.Write(text); err != nil {
			return err
		}
	}
	_, err := w.Write(sum.Sum(nil))
	return err
}

// readEntry reads the value stored under key from a file of the given size into dst.
// It reads the whole file to verify the checksum before it decodes any of the value.
// Its error says what is wrong with the file.
func readEntry(file io.ReaderAt, size int64, key Key, dst any) error {
	valueEnd := size - sha256.Size
	if valueEnd < int64(valueAt) {
		return fmt.Errorf("%d bytes, want at least %d", size, valueAt+sha256.Size)
	}
	head, want := make([]byte, valueAt), make([]byte, sha256.Size)
	if _, err := file.ReadAt(head, 0); err != nil {
		return err
	}
	if found := string(head[:len(magic)]); found != magic {
		return fmt.Errorf("begins with %q, want %q", found, magic)
	}
	if found := head[len(magic):]; !bytes.Equal(found, key.hash[:]) {
		return fmt.Errorf("holds key %x, want %v", found, key)
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(file, 0, valueEnd)); err != nil {
		return err
	}
	if _, err := file.ReadAt(want, valueEnd); err != nil {
		return err
	}
	if !bytes.Equal(sum.Sum(nil), want) {
		return errors.New("checksum does not match the content")
	}
	value := io.NewSectionReader(file, int64(valueAt), valueEnd-int64(valueAt))
	if s, ok := dst.(streamer); ok {
		return s.DecodeFrom(bufio.NewReaderSize(value, 1<<16), value.Size())
	}
	text := make([]byte, value.Size())
	if _, err := io.ReadFull(value, text); err != nil {
		return err
	}
	return Decode(text, dst)
}
