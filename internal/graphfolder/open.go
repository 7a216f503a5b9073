package graphfolder

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"unsafe"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/checksum"
	"github.com/agekit/age/internal/mapped"
	"github.com/agekit/age/internal/progress"
	"github.com/agekit/age/internal/readfile"
	"github.com/agekit/age/internal/system"
)

// Folder is an open folder: a graph whose arrays are mapped. Writing to them crashes the
// program.
type Folder struct {
	*Manifest
	Graph *graph.Graph
	// Scale is D̃^-½.
	Scale []float64

	files map[string]*mapped.File
}

// Open opens a folder. It checks the manifest, the files' sizes, and that the sparse matrices
// are in form, in one pass over their indices, so that a damaged folder is an error and no
// crash. [Check] compares every byte. Of a folder without features, the graph has none.
func Open(ctx context.Context, dir string) (f *Folder, err error) {
	if !mapped.CanMap {
		return nil, fmt.Errorf("%s: this system has 32 bits: want 64 for a folder with a graph", dir)
	}
	f = &Folder{files: map[string]*mapped.File{}}
	defer func() {
		if err != nil {
			f.Close()
			f = nil
		}
	}()
	defer mapped.Guard(&err)()
	if f.Manifest, err = ReadManifest(dir); err != nil {
		return f, err
	}
	for name, file := range f.Files {
		if f.files[name], err = mapped.Open(filepath.Join(dir, name)); err != nil {
			return f, err
		}
		if size := len(f.files[name].Bytes()); int64(size) != file.Bytes {
			return f, fmt.Errorf("%s: %d bytes: want %d: the file changed while it was opened", filepath.Join(dir, name), size, file.Bytes)
		}
	}
	g := &graph.Graph{Name: filepath.Base(dir), ListedEdges: f.Listed, Classes: len(f.Classes), ClassNames: f.Classes}
	f.Graph, f.Scale = g, array[float64](f, scaleFile)
	if g.Adjacency, err = f.matrix(ctx, f.Nodes, indptrFile, indicesFile, valuesFile); err != nil {
		return f, fmt.Errorf("%s: %w", filepath.Join(dir, indptrFile), err)
	}
	switch x := f.Features; {
	case x == nil:
	case x.Entries == 0:
		g.Features.Dense = &blas32.General{Rows: f.Nodes, Cols: x.Columns, Stride: x.Columns, Data: array[float32](f, featuresFile)}
	default:
		if g.Features.Sparse, err = f.matrix(ctx, x.Columns, xIndptrFile, xIndicesFile, xValuesFile); err != nil {
			return f, fmt.Errorf("%s: %w", filepath.Join(dir, xIndptrFile), err)
		}
	}
	g.Labels = array[int](f, labelsFile)
	for i, class := range g.Labels {
		if class < graph.Unknown || class >= g.Classes {
			return f, fmt.Errorf("%s: class %d of node %d: want 0 to %d", filepath.Join(dir, labelsFile), class, i, g.Classes-1)
		}
	}
	if g.NodeNames, err = f.ids(); err != nil {
		return f, fmt.Errorf("%s: %w", filepath.Join(dir, idEndsFile), err)
	}
	return f, nil
}

// Close unmaps the files: nothing of the graph must be used afterward.
func (f *Folder) Close() {
	for _, file := range f.files {
		if file != nil {
			file.Close()
		}
	}
}

// Sum returns the SHA-256 of all sums of the folder: of what a computation can depend on.
func (f *Folder) Sum() string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(f.Manifest.Files)) {
		fmt.Fprintln(h, name, f.Manifest.Files[name].SHA256)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// array returns the numbers in the folder's file of that name; nil if there is no such file.
func array[T mapped.Number](f *Folder, name string) []T {
	if file := f.files[name]; file != nil {
		return mapped.Numbers[T](file.Bytes())
	}
	return nil
}

// matrix returns the sparse matrix in the files of those names, with a row for each node and so many
// columns. It checks that the rows follow each other and that their columns rise and are within the
// matrix, until ctx is done.
func (f *Folder) matrix(ctx context.Context, columns int, indptr, indices, values string) (*graph.CSR, error) {
	m := &graph.CSR{Rows: f.Nodes, Cols: columns, Indptr: array[int](f, indptr), Indices: array[int32](f, indices), Values: array[float32](f, values)}
	if first, last := m.Indptr[0], m.Indptr[m.Rows]; first != 0 || last != len(m.Indices) {
		return nil, fmt.Errorf("rows run from entry %d to %d: want 0 to %d", first, last, len(m.Indices))
	}
	for i := range m.Rows {
		if i&0xffff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		lo, hi := m.Indptr[i], m.Indptr[i+1]
		if lo > hi || hi > len(m.Indices) {
			return nil, fmt.Errorf("row %d has the entries %d to %d of %d: the folder is damaged; build it again", i, lo, hi, len(m.Indices))
		}
		before := int32(-1)
		for _, j := range m.Indices[lo:hi] {
			if j <= before || int(j) >= columns {
				return nil, fmt.Errorf("row %d has column %d after %d: want increasing ones below %d: the folder is damaged; build it again", i, j, before, columns)
			}
			before = j
		}
	}
	return m, nil
}

// ids returns the nodes' ids, strings whose bytes stay in the mapped file; nil if there are none.
func (f *Folder) ids() ([]string, error) {
	if !f.has(idsFile) {
		return nil, nil
	}
	text, ends := f.files[idsFile].Bytes(), array[int](f, idEndsFile)
	if err := system.CheckMemory(idsFile, 16*float64(f.Nodes)); err != nil {
		return nil, err
	}
	names, from := make([]string, f.Nodes), 0
	for i, end := range ends {
		if end < from || end > len(text) {
			return nil, fmt.Errorf("the id of node %d goes from byte %d to %d of %d: the folder is damaged; build it again", i, from, end, len(text))
		}
		if end > from {
			names[i] = unsafe.String(&text[from], end-from)
		}
		from = end
	}
	return names, nil
}

// Check compares every file of the folder dir with its SHA-256 in the manifest, which it returns. It
// reports how many bytes are done to report.
func Check(ctx context.Context, dir string, report progress.Func) (*Manifest, error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	all, done := int64(0), int64(0)
	for _, file := range m.Files {
		all += file.Bytes
	}
	for _, name := range slices.Sorted(maps.Keys(m.Files)) {
		path := filepath.Join(dir, name)
		f, _, err := readfile.Open(path)
		if err != nil {
			return nil, err
		}
		sum, err := checksum.Read(ctx, f, func(n int) {
			done += int64(n)
			report.Report(progress.Event{Stage: "checking", Done: done, Total: all})
		})
		f.Close()
		if err != nil {
			return nil, err
		}
		if want := m.Files[name].SHA256; sum.SHA256 != want {
			return nil, fmt.Errorf("%s: SHA-256 %s: want %s, as %s says: the folder is damaged; build it again", path, sum.SHA256, want, ManifestFile)
		}
	}
	return m, nil
}
