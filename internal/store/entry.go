package store

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"sync"

	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/message"
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

// magic is the version of the form of entries, which is part of every key: what an earlier
// version stored is not found, and computed again.
const magic = "AGESTOR4"

// writeEntry writes the file that holds the value pointed to by src: a checked file
// ([atomicfile.Checked]) about the key, with the value in CBOR or as a streamer writes it.
func writeEntry(w io.Writer, key Key, src any) error {
	return atomicfile.WriteChecked(w, key.String(), func(w io.Writer) error {
		if s, ok := src.(streamer); ok {
			return s.EncodeTo(w)
		}
		text, err := Encode(src)
		if err != nil {
			return err
		}
		return atomicfile.Bytes(text)(w)
	})
}

// readEntry reads the value stored under key from a file of the given size into dst.
// It reads the whole file to verify the checksum before it decodes any of the value.
// Its error says what is wrong with the file.
func readEntry(file io.ReaderAt, size int64, key Key, dst any) error {
	footer, err := atomicfile.ReadFooter(file, size)
	if err != nil {
		return err
	}
	var found string
	if err := json.Unmarshal(footer.About, &found); err != nil || found != key.String() {
		return fmt.Errorf("holds key %s, want %v", message.Quote(footer.About), key)
	}
	if err := footer.Check(context.Background(), file); err != nil {
		return err
	}
	value := io.NewSectionReader(file, 0, footer.Bytes)
	if s, ok := dst.(streamer); ok {
		return s.DecodeFrom(bufio.NewReaderSize(value, 1<<16), value.Size())
	}
	text := make([]byte, value.Size())
	if _, err := io.ReadFull(value, text); err != nil {
		return err
	}
	return Decode(text, dst)
}
