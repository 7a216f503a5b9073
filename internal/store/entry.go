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

// streamer is a large value that writes and reads itself, because [Encode] would hold a copy of it
// in memory. [Put] describes the methods.
type streamer interface {
	EncodeTo(w io.Writer) error
	DecodeFrom(r io.Reader, size int64) error
}

// decoder reads CBOR of any length and strings that are not UTF-8. It checks that all of
// a value is there before it allocates any of it, so that a few bytes cannot take all memory.
var decoder = sync.OnceValue(func() cbor.DecMode {
	mode, err := cbor.DecOptions{
		MaxArrayElements: math.MaxInt32, // the codec's default is 131,072, as for pairs
		MaxMapPairs:      math.MaxInt32,
		MaxNestedLevels:  1000, // far more than any result has
		UTF8:             cbor.UTF8DecodeInvalid,
		IntDec:           cbor.IntDecConvertSignedOrBigInt, // into an interface: int64
	}.DecMode()
	if err != nil {
		panic(err) // never: the options above are valid
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

// formatVersion is the version of the form of entries, which is part of every key: what an earlier
// version stored is not found, and computed again.
const formatVersion = "AGESTOR4"

// writeEntry writes an entry to w: a checked file ([atomicfile.Checked]) about the key, whose
// content is the value that src points to, in CBOR or as a streamer writes it.
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

// readEntry reads the value stored under key from a file of size bytes into what dst points to.
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
