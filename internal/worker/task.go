// Package worker holds the tasks of a run that is too large for one process. A task reads
// mapped files and writes one file, which appears when it is complete. It is idempotent: done
// again, it finds its file, or leaves the same bytes.
package worker

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"io"
	"io/fs"
	"os"

	"github.com/agekit/age/internal/limit"
	"github.com/agekit/age/internal/output"
)

// mark ends each file of a task. The length of the JSON text before it precedes it, in four
// bytes, little endian; the text says what the task was, and the SHA-256 of what it follows.
const mark = "AGEtask1"

// longest is the largest text of a task, in bytes.
const longest = 1 << 16

// footer is the text at the end of a task's file.
type footer struct {
	Task   json.RawMessage `json:"task"`
	Bytes  int64           `json:"bytes"`
	SHA256 string          `json:"sha256"`
}

// write writes the file of a task at path, unless a whole one of the same task is there. If
// the SHA-256 of its content is known, it must be that.
func write(ctx context.Context, path, known string, task any, fill func(io.Writer) error) (there bool, err error) {
	text, err := json.Marshal(task)
	if err != nil {
		return false, err
	}
	if there, err := isWhole(ctx, path, known, text); there || err != nil {
		return there, err
	}
	return false, output.File(path, func(w io.Writer) error {
		sum := &summed{w: w, hash: sha256.New()}
		if err := fill(sum); err != nil {
			return err
		}
		end, err := json.Marshal(footer{Task: text, Bytes: sum.bytes, SHA256: hex.EncodeToString(sum.hash.Sum(nil))})
		if err != nil {
			return err
		}
		_, err = w.Write(append(binary.LittleEndian.AppendUint32(end, uint32(len(end))), mark...))
		return err
	})
}

// summed counts and hashes what it passes on.
type summed struct {
	w     io.Writer
	hash  hash.Hash
	bytes int64
}

func (s *summed) Write(b []byte) (int, error) {
	n, err := s.w.Write(b)
	s.hash.Write(b[:n])
	s.bytes += int64(n)
	return n, err
}

// isWhole reports whether the file at path is that of a task and undamaged.
func isWhole(ctx context.Context, path, known string, task []byte) (bool, error) {
	f, size, err := limit.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	end, ok := readFooter(f, size)
	if !ok || !bytes.Equal(end.Task, task) || known != "" && end.SHA256 != known {
		return false, nil
	}
	sum, _, err := output.Sum(ctx, io.LimitReader(f, end.Bytes), nil)
	return err == nil && sum == end.SHA256, ctx.Err() // what cannot be read is not whole
}

// readFooter returns the footer of a file, and false if it has none.
func readFooter(f *os.File, size int64) (end footer, ok bool) {
	tail := make([]byte, min(size, longest+int64(4+len(mark))))
	if _, err := f.ReadAt(tail, size-int64(len(tail))); err != nil {
		return end, false
	}
	text, ok := footerText(tail)
	return end, ok && json.Unmarshal(text, &end) == nil && end.Bytes == size-int64(len(text)+4+len(mark))
}

// parseFooter is readFooter of the bytes of a file.
func parseFooter(b []byte) (end footer, ok bool) {
	text, ok := footerText(b)
	return end, ok && json.Unmarshal(text, &end) == nil && end.Bytes == int64(len(b)-len(text)-4-len(mark))
}

// footerText returns the text at the end of a file.
func footerText(tail []byte) (text []byte, ok bool) {
	tail, ok = bytes.CutSuffix(tail, []byte(mark))
	if !ok || len(tail) < 4 {
		return nil, false
	}
	tail, length := tail[:len(tail)-4], int(binary.LittleEndian.Uint32(tail[len(tail)-4:]))
	if length > longest || length > len(tail) {
		return nil, false
	}
	return tail[len(tail)-length:], true
}
