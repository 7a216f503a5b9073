package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
)

// Checksum reads r to its end and returns the SHA-256 and the number of its bytes. It calls read,
// if not nil, with the number of each bytes read.
func Checksum(ctx context.Context, r io.Reader, read func(n int)) (sum string, size int64, err error) {
	h, buffer := sha256.New(), make([]byte, 1<<18)
	for {
		n, err := r.Read(buffer)
		h.Write(buffer[:n])
		size += int64(n)
		if read != nil {
			read(n)
		}
		switch {
		case err == io.EOF:
			return hex.EncodeToString(h.Sum(nil)), size, nil
		case err != nil:
			return "", size, err
		case ctx.Err() != nil:
			return "", size, ctx.Err()
		}
	}
}
