package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/format"
	"github.com/agekit/age/internal/output"
)

// openOutput opens the folder of `age fit --out` and checks that its files can
// be written, before hours are spent on computing what goes there. While it is
// open, no other run can write to it.
func openOutput(dir string) (*output.Folder, error) {
	folder, err := output.Lock(dir)
	if err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	if err := folder.Check(slices.Collect(maps.Keys(outputFiles(&encoder.Result{}, []string{}, nil)))...); err != nil {
		folder.Close()
		return nil, fmt.Errorf("--out: %w", err)
	}
	return folder, nil
}

// outputFiles returns a function per file that writes it. names are the nodes' ids,
// nil if they have none.
func outputFiles(r *encoder.Result, names []string, log []string) map[string]func(io.Writer) error {
	files := map[string]func(io.Writer) error{
		"embeddings.npy": func(w io.Writer) error { return format.WriteNPY(w, r.Embedding) },
		"labels.txt":     lines(r.Labels),
		"model.npz":      func(w io.Writer) error { return r.Encoder.Write(w) },
		"log.txt":        lines(log),
	}
	if names != nil {
		files["nodes.csv"] = nodeTable(names, r.Labels)
	}
	return files
}

// nodeTable returns a function that writes each node's id and cluster as a table.
func nodeTable(names []string, clusters []int) func(io.Writer) error {
	return func(w io.Writer) error {
		c := csv.NewWriter(w)
		if err := c.Write([]string{"id", "cluster"}); err != nil {
			return err
		}
		for i, name := range names {
			if err := c.Write([]string{name, strconv.Itoa(clusters[i])}); err != nil {
				return err
			}
		}
		c.Flush()
		return c.Error()
	}
}

// lines returns a function that writes each value on a line.
func lines[T any](values []T) func(io.Writer) error {
	return func(w io.Writer) error {
		for _, v := range values {
			if _, err := fmt.Fprintln(w, v); err != nil {
				return err
			}
		}
		return nil
	}
}
