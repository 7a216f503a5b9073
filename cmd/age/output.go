package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/format"
	"github.com/agekit/age/agekit/store"
)

// prepareOutput creates the output folder and checks that it is writable,
// before hours are spent on computing what goes there.
func prepareOutput(dir string) error {
	if dir == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	f, err := os.CreateTemp(dir, ".writable-*")
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	f.Close()
	return os.Remove(f.Name())
}

// writeOutput writes the files of `age fit --out`: all of them or, on an
// error, none. Files are moved into place only when all are complete, so a
// full disk or an interrupt leaves the files of an earlier run unchanged.
func writeOutput(ctx context.Context, dir string, r *encoder.Result, log []string) error {
	unfinished := filepath.Join(dir, ".unfinished")
	if err := os.MkdirAll(unfinished, 0o777); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	defer os.RemoveAll(unfinished)
	files := outputFiles(r, log)
	for name, write := range files {
		err := store.WriteFileAtomic(filepath.Join(unfinished, name), func(w io.Writer) error {
			b := bufio.NewWriterSize(contextWriter{ctx, w}, 1<<20)
			if err := write(b); err != nil {
				return err
			}
			return b.Flush()
		})
		if err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	for name := range files {
		if err := os.Rename(filepath.Join(unfinished, name), filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	return nil
}

// contextWriter is a writer that fails once its context is done.
type contextWriter struct {
	ctx context.Context
	w   io.Writer
}

func (c contextWriter) Write(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.w.Write(p)
}

// outputFiles returns a function per file that writes it.
func outputFiles(r *encoder.Result, log []string) map[string]func(io.Writer) error {
	return map[string]func(io.Writer) error{
		"embeddings.npy": func(w io.Writer) error { return format.WriteNPY(w, r.Embedding) },
		"labels.txt": func(w io.Writer) error {
			for _, l := range r.Labels {
				if _, err := fmt.Fprintln(w, l); err != nil {
					return err
				}
			}
			return nil
		},
		"model.npz": r.Encoder.Write,
		"log.txt": func(w io.Writer) error {
			_, err := io.WriteString(w, strings.Join(log, "\n")+"\n")
			return err
		},
	}
}
