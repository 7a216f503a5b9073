package store

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
)

// streamer is a value that writes and reads itself: gob would hold several copies of it.
type streamer interface {
	EncodeTo(w io.Writer) error
	DecodeFrom(r *bufio.Reader) error
}

// An entry's file consists of
//
//	magic, format version   8 bytes
//	key with the type      32 bytes
//	the value, as gob or as a streamer writes it
//	SHA-256 of all that    32 bytes
const (
	magic   = "AGESTOR2"
	valueAt = len(magic) + sha256.Size
)

// writeEntry writes the file that holds the value pointed to by src.
func writeEntry(w io.Writer, key Key, src any) error {
	sum := sha256.New()
	both := io.MultiWriter(w, sum)
	if _, err := both.Write(append([]byte(magic), key.hash[:]...)); err != nil {
		return err
	}
	var err error
	if s, ok := src.(streamer); ok {
		err = s.EncodeTo(both)
	} else {
		err = gob.NewEncoder(both).Encode(src)
	}
	if err != nil {
		return err
	}
	_, err = w.Write(sum.Sum(nil))
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
	r := bufio.NewReaderSize(io.NewSectionReader(file, int64(valueAt), valueEnd-int64(valueAt)), 1<<16)
	if s, ok := dst.(streamer); ok {
		return s.DecodeFrom(r)
	}
	return gob.NewDecoder(r).Decode(dst)
}
