package engine

// This part holds the tasks of a run that is too large for one process. A task reads
// mapped files and writes one file, which appears when it is complete. It is idempotent: done
// again, it finds its file, or leaves the same bytes.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/mapped"
	"github.com/agekit/age/internal/readfile"
)

// write writes the file of a task at path, with what fill writes, or reuses a whole file of the same task
// that is there. task is what decides about the bytes of the file, and what the file says of itself.
func write(ctx context.Context, path string, task any, fill func(io.Writer) error) (reused bool, err error) {
	if whole, err := isWhole(ctx, path, task); whole || err != nil {
		return whole, err
	}
	return false, atomicfile.Checked(path, task, fill)
}

// isWhole reports whether the file at path is that of the task and undamaged.
func isWhole(ctx context.Context, path string, task any) (bool, error) {
	text, err := json.Marshal(task)
	if err != nil {
		return false, err
	}
	f, size, err := readfile.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	footer, err := atomicfile.ReadFooter(f, size)
	if err != nil || !bytes.Equal(footer.About, text) {
		return false, nil
	}
	return footer.Check(ctx, f) == nil, ctx.Err() // what cannot be read is not whole
}

// open maps the file of a task at path, and sets what the pointer task leads to to what the file says of
// itself.
func open(path string, task any) (*mapped.File, atomicfile.Footer, error) {
	file, err := mapped.Open(path)
	if err != nil {
		return nil, atomicfile.Footer{}, err
	}
	footer, err := atomicfile.ReadFooter(bytes.NewReader(file.Bytes()), int64(len(file.Bytes())))
	if err == nil {
		err = json.Unmarshal(footer.About, task)
	}
	if err != nil {
		file.Close()
		return nil, footer, fmt.Errorf("%s: not the whole file of a task (%w): remove it and run the same command again", path, err)
	}
	return file, footer, nil
}
