// Package inputtest writes and shows the files and tables of tests of package table and those above.
package inputtest

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sbinet/npyio/npy"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/table"
)

// WriteText writes a text to a file with a name in a new folder, and returns the path of the file.
func WriteText(t interface {
	TempDir() string
	Fatal(...any)
}, name, text string) string {
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Shown shows a table as text: for each column its label, # if it has numbers, its values, ∅ for a
// missing one, and a semicolon.
func Shown(t *table.Table) string {
	var b strings.Builder
	for k, c := range t.Columns {
		b.WriteString(t.Label(k))
		if c.Numbers != nil {
			b.WriteString("#")
		}
		for row := range t.Rows {
			v, ok := c.Text(row)
			switch {
			case !ok:
				v = "∅"
			case c.Numbers != nil:
				v = strconv.FormatFloat(c.Numbers[row], 'f', -1, 64)
			}
			b.WriteString(" " + v)
		}
		b.WriteString("; ")
	}
	return b.String()
}

// ReadText reads a table from a new file with a name and a text. Edges says that its rows are pairs
// ([table.Options].Pairs).
func ReadText(t *testing.T, name, text string, edges bool) *table.Table {
	t.Helper()
	got, err := table.Read(context.Background(), WriteText(t, name, text), table.Options{Pairs: edges})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// Lines returns the texts that line gives for the indices 0 to n−1, one after the other; each has its
// own line end.
func Lines(n int, line func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(line(i))
	}
	return b.String()
}

// Decomposed returns a text with é and ö as letters that accents follow, as Unicode's form NFD has them.
func Decomposed(text string) string {
	return strings.NewReplacer("\u00e9", "e\u0301", "\u00f6", "o\u0308").Replace(text)
}

// Write writes content to the file at path.
func Write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

// Packed returns text as gzip packs it.
func Packed(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text)) // a buffer takes all
	_ = z.Close()
	return b.Bytes()
}

// ScratchLess sets a new folder for temporary files, and fails the test if something is left in it at the end.
func ScratchLess(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp) // Windows
	t.Cleanup(func() {
		if entries, err := os.ReadDir(temp); err != nil || len(entries) > 0 {
			t.Errorf("%v is left of what was unpacked (%v)", entries, err)
		}
	})
}

// Result returns a table of three nodes as results have it, with gaps, quotes, line ends and signs of
// XML in it, and the adjacency matrix of the weighted path 0–1–2.
func Result(t *testing.T) (*table.Table, *graph.CSR) {
	t.Helper()
	a, err := graph.Adjacency(3, []int32{0, 1}, []int32{1, 2}, []float32{2, 0.5})
	if err != nil {
		t.Fatal(err)
	}
	return &table.Table{Rows: 3, Columns: []table.Column{
		table.NewWords("id", []string{"ann", "bob & co", "<eve>"}),
		table.NewNumbers("cluster", []int{0, 1, 1}),
		table.NewNumbers("confidence", []float64{0.5, math.NaN(), -0.25}),
		table.NewWords("note", []string{"said \"hi\", twice", "", "two\nlines"}),
	}}, a
}

// ResultShown is what [Shown] makes of the table of [Result].
const ResultShown = `"id" ann bob & co <eve>; "cluster"# 0 1 1; "confidence"# 0.5 ∅ -0.25; "note" said "hi", twice ∅ two` + "\nlines; "

// NPY returns the bytes of a .npy file with v, a slice, a matrix or an array of numbers.
func NPY(v any) []byte {
	var b bytes.Buffer
	if err := npy.Write(&b, v); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// RawNPY returns the bytes of a .npy file with that content. The header has the kind of the values,
// such as <f4, whether they are stored by columns, fortran, which is True or False, and the shape, such
// as (2, 3); any text may be given to damage it.
func RawNPY(kind, fortran, shape string, content []byte) []byte {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", kind, fortran, shape)
	// The mark, version 1.0, the header's length in two bytes, the header and the content.
	return slices.Concat([]byte("\x93NUMPY\x01\x00"), []byte{byte(len(header)), byte(len(header) >> 8)}, []byte(header), content)
}

// NPZ returns an .npz archive of arrays, each given by its name and the bytes of its .npy file. The
// same arrays give the same bytes.
func NPZ(arrays map[string][]byte) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, key := range slices.Sorted(maps.Keys(arrays)) {
		f, err := w.Create(key + ".npy")
		if err == nil {
			_, err = f.Write(arrays[key])
		}
		if err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// SavedCSR returns the arrays that scipy.sparse.save_npz writes for the matrix [[0, 2.5, 0], [1, 0,
// 3]], for [NPZ].
func SavedCSR() map[string][]byte {
	return map[string][]byte{
		"data":    NPY([]float64{2.5, 3, 1}),
		"indices": NPY([]int32{1, 2, 0}), // unsorted, as scipy allows
		"indptr":  NPY([]int32{0, 1, 3}),
		"shape":   NPY([]int64{2, 3}),
		"format":  RawNPY("|S3", "False", "()", []byte("csr")),
	}
}

// SavedCSRDense are the entries of the matrix of [SavedCSR], row by row.
var SavedCSRDense = []float32{0, 2.5, 0, 1, 0, 3}

// Float32s returns numbers as 4 bytes each, the lowest byte first.
func Float32s(values ...float32) (b []byte) {
	for _, v := range values {
		bits := math.Float32bits(v)
		b = append(b, byte(bits), byte(bits>>8), byte(bits>>16), byte(bits>>24))
	}
	return b
}

// Int64s returns integers as 8 bytes each, the lowest byte first.
func Int64s(values ...int64) []byte {
	var b []byte
	for _, v := range values {
		for shift := 0; shift < 64; shift += 8 {
			b = append(b, byte(v>>shift))
		}
	}
	return b
}

// Texts returns what each of the warnings says, with its advice.
func Texts(warnings []table.Warning) (all []string) {
	for _, w := range warnings {
		all = append(all, w.String())
	}
	return all
}
