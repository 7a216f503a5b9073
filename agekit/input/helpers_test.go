package input

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
	"strings"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/sbinet/npyio/npy"
)

// writeText writes a file into a new folder and returns its path.
func writeText(t interface {
	TempDir() string
	Fatal(...any)
}, name, text string) string {
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// shown writes a table as text: names and values, with numbers as numbers.
func shown(t *Table) string {
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
				v = formatNumber(c.Numbers[row])
			}
			b.WriteString(" " + v)
		}
		b.WriteString("; ")
	}
	return b.String()
}

func readText(t *testing.T, name, text string, edges bool) *Table {
	t.Helper()
	got, err := ReadTable(context.Background(), writeText(t, name, text), TableOptions{Pairs: edges})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// lines returns a line for each index.
func lines(n int, line func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(line(i))
	}
	return b.String()
}

// decomposed writes é and ö as letters with accents.
func decomposed(text string) string {
	return strings.NewReplacer("\u00e9", "e\u0301", "\u00f6", "o\u0308").Replace(text)
}

func write(t *testing.T, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(name, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

// packed returns text as gzip packs it.
func packed(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text)) // a buffer takes all
	_ = z.Close()
	return b.Bytes()
}

// scratchLess fails the test if it leaves something among the temporary files.
func scratchLess(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp) // Windows
	t.Cleanup(func() {
		if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
			t.Errorf("%v is left of what was unpacked (%v)", left, err)
		}
	})
}

// result is a table of nodes as results have it, and a weighted graph.
func result(t *testing.T) (*Table, *graph.CSR) {
	t.Helper()
	a, err := graph.Adjacency(3, []int32{0, 1}, []int32{1, 2}, []float32{2, 0.5})
	if err != nil {
		t.Fatal(err)
	}
	return &Table{Rows: 3, Columns: []Column{
		NewWords("id", []string{"ann", "bob & co", "<eve>"}),
		NewNumbers("cluster", []int{0, 1, 1}),
		NewNumbers("confidence", []float64{0.5, math.NaN(), -0.25}),
		NewWords("note", []string{"said \"hi\", twice", "", "two\nlines"}),
	}}, a
}

const resultShown = `"id" ann bob & co <eve>; "cluster"# 0 1 1; "confidence"# 0.5 ∅ -0.25; "note" said "hi", twice ∅ two` + "\nlines; "

// npyBytes returns v as a .npy file.
func npyBytes(v any) []byte {
	var b bytes.Buffer
	if err := npy.Write(&b, v); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// npyRaw returns a .npy file with that header and content.
func npyRaw(kind, order, shape string, content []byte) []byte {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", kind, order, shape)
	return slices.Concat([]byte("\x93NUMPY\x01\x00"), []byte{byte(len(header)), byte(len(header) >> 8)}, []byte(header), content)
}

// npzBytes returns an archive of arrays, always the same bytes.
func npzBytes(arrays map[string][]byte) []byte {
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

// savedCSR is what scipy.sparse.save_npz writes for [[0, 2.5, 0], [1, 0, 3]].
func savedCSR() map[string][]byte {
	return map[string][]byte{
		"data":    npyBytes([]float64{2.5, 3, 1}),
		"indices": npyBytes([]int32{1, 2, 0}), // unsorted, as scipy allows
		"indptr":  npyBytes([]int32{0, 1, 3}),
		"shape":   npyBytes([]int64{2, 3}),
		"format":  npyRaw("|S3", "False", "()", []byte("csr")),
	}
}

var savedCSRDense = []float32{0, 2.5, 0, 1, 0, 3}

func bytesOf32(values ...float32) (b []byte) {
	for _, v := range values {
		bits := math.Float32bits(v)
		b = append(b, byte(bits), byte(bits>>8), byte(bits>>16), byte(bits>>24))
	}
	return b
}

func int64Bytes(values ...int64) []byte {
	var b []byte
	for _, v := range values {
		for shift := 0; shift < 64; shift += 8 {
			b = append(b, byte(v>>shift))
		}
	}
	return b
}

// texts returns what warnings say.
func texts(warnings []Warning) (all []string) {
	for _, w := range warnings {
		all = append(all, w.String())
	}
	return all
}
