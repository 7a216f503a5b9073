package main

import (
	"archive/zip"
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/store"
	"gonum.org/v1/gonum/blas/blas32"
)

// prepareOutput creates the output folder and makes sure that it can be
// written to before hours are spent on what goes there.
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
// error, none. They are moved to their places when all are complete, so that a
// disk that fills up, or an interrupt, leaves the files of an earlier run as
// they were.
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

// outputFiles returns the function that writes each file.
func outputFiles(r *encoder.Result, log []string) map[string]func(io.Writer) error {
	return map[string]func(io.Writer) error{
		"embeddings.npy": func(w io.Writer) error { return writeNPY(w, r.Embedding) },
		"labels.txt": func(w io.Writer) error {
			for _, l := range r.Labels {
				if _, err := fmt.Fprintln(w, l); err != nil {
					return err
				}
			}
			return nil
		},
		"model.npz": func(w io.Writer) error {
			z := zip.NewWriter(w)
			for k, weights := range r.Encoder.Weights {
				number := "" // of the training
				if len(r.Encoder.Weights) > 1 {
					number = strconv.Itoa(k + 1)
				}
				if err := writeWeights(z, number, weights); err != nil {
					return err
				}
			}
			return z.Close()
		},
		"log.txt": func(w io.Writer) error {
			_, err := io.WriteString(w, strings.Join(log, "\n")+"\n")
			return err
		},
	}
}

// writeWeights adds W and b, with a number behind their names.
func writeWeights(z *zip.Writer, number string, w encoder.Weights) error {
	bias := blas32.General{Rows: 1, Cols: len(w.B), Stride: len(w.B), Data: w.B}
	for _, part := range []struct {
		name string
		m    blas32.General
	}{{"W", w.W}, {"b", bias}} {
		entry, err := z.CreateHeader(&zip.FileHeader{Name: part.name + number + ".npy", Method: zip.Store})
		if err != nil {
			return err
		}
		if err := writeNPY(entry, part.m); err != nil {
			return err
		}
	}
	return nil
}

// writeNPY writes a matrix, without its padding, in numpy's format 1.0:
// little-endian float32 in rows.
func writeNPY(w io.Writer, m blas32.General) error {
	header := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", m.Rows, m.Cols)
	const prefix = 10 // magic, version, length
	header += strings.Repeat(" ", 63-(prefix+len(header))%64) + "\n"
	if _, err := fmt.Fprintf(w, "\x93NUMPY\x01\x00%c%c%s", len(header)&0xff, len(header)>>8, header); err != nil {
		return err
	}
	for i := range m.Rows {
		if err := binary.Write(w, binary.LittleEndian, m.Data[i*m.Stride:i*m.Stride+m.Cols]); err != nil {
			return err
		}
	}
	return nil
}
