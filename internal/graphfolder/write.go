package graphfolder

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/checksum"
	"github.com/agekit/age/internal/mapped"
	"github.com/agekit/age/internal/system"
)

// Writer writes the files of a new folder.
type Writer struct {
	*Manifest
	ctx   context.Context
	dir   string
	files []*os.File // all that were created
}

// Create creates the folder path with what fill writes and a manifest; path appears when it is complete.
// If path is there already, existed is true and Create does nothing. Processes that create folders
// beside path take turns: before Create waits for another, it calls waiting, unless that is nil.
func Create(ctx context.Context, path string, waiting func(), fill func(*Writer) error) (existed bool, err error) {
	existed = true
	err = atomicfile.WriteTree(ctx, path, waiting, func(dir string) error {
		existed = false
		w := &Writer{Manifest: &Manifest{Format: Format, Program: system.ProgramVersion().String(), Files: map[string]checksum.Sum{}}, ctx: ctx, dir: dir}
		defer func() {
			for _, f := range w.files { // that an error left open
				f.Close()
			}
		}()
		if err := fill(w); err != nil {
			return err
		}
		if err := w.check(); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		content, err := json.MarshalIndent(w.Manifest, "", "  ")
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, ManifestFile), append(content, '\n'), 0o666)
	})
	return existed, err
}

// flat is a flat file that is being written.
type flat struct {
	w    *Writer
	name string
	file *os.File
	sum  *checksum.Summed // of what was written to the file
	out  *bufio.Writer    // to sum, which passes it on to the file
}

// create creates the file of that name in the folder.
func (w *Writer) create(name string) (*flat, error) {
	file, err := os.OpenFile(filepath.Join(w.dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	w.files = append(w.files, file)
	sum := checksum.NewSummed(atomicfile.Syncing(w.ctx, file))
	return &flat{w: w, name: name, file: file, sum: sum, out: bufio.NewWriterSize(sum, 1<<20)}, nil
}

// close closes the file and adds it to the manifest.
func (f *flat) close() error {
	if err := errors.Join(f.out.Flush(), f.file.Close()); err != nil {
		return err
	}
	f.w.Files[f.name] = f.sum.Sum()
	return nil
}

// put32 and put64 write a number. They are called for each entry of the matrix, so they
// allocate nothing.
func (f *flat) put32(v uint32) error {
	_, err := f.out.Write(binary.LittleEndian.AppendUint32(f.out.AvailableBuffer(), v))
	return err
}

func (f *flat) put64(v uint64) error {
	_, err := f.out.Write(binary.LittleEndian.AppendUint64(f.out.AvailableBuffer(), v))
	return err
}

// put writes bytes.
func (f *flat) put(b []byte) error { return mapped.Write(f.w.ctx, f.out, b) }

// putArray writes a file of numbers.
func putArray[T mapped.Number](w *Writer, name string, numbers []T) error {
	f, err := w.create(name)
	if err != nil {
		return err
	}
	return errors.Join(f.put(mapped.Bytes(numbers)), f.close())
}

// PutFeatures writes X, and sets what the manifest says of it.
func (w *Writer) PutFeatures(x graph.Features) error {
	_, columns := x.Dims()
	w.Features = &Features{Columns: columns}
	if m := x.Sparse; m != nil {
		w.Features.Entries = m.NNZ()
		err := errors.Join(putArray(w, xIndptrFile, m.Indptr), putArray(w, xIndicesFile, m.Indices))
		if err == nil && m.Values != nil {
			err = putArray(w, xValuesFile, m.Values)
		}
		return err
	}
	f, err := w.create(featuresFile)
	if err != nil {
		return err
	}
	for i := range x.Dense.Rows {
		if err := f.put(mapped.Bytes(x.Dense.Data[i*x.Dense.Stride:][:columns])); err != nil {
			return err
		}
	}
	return f.close()
}

// PutLabels writes the classes of the nodes, numbers from 0, and puts the names of the classes into the
// manifest.
func (w *Writer) PutLabels(labels []int, names []string) error {
	w.Classes = names
	return putArray(w, labelsFile, labels)
}

// PutIDs writes the ids of the nodes: text has them end to end, and ends has, for each node, the index
// in text at which its id ends.
func (w *Writer) PutIDs(text []byte, ends []int) error {
	f, err := w.create(idsFile)
	if err != nil {
		return err
	}
	return errors.Join(f.put(text), f.close(), putArray(w, idEndsFile, ends))
}

// Matrix writes the adjacency matrix of a graph from its entries.
type Matrix struct {
	w               *Writer
	indptr, indices *flat
	values          *flat   // nil while all entries are 1
	row             int     // rows that have been begun
	sum             float64 // of the weights
}

// NewMatrix begins the adjacency matrix of [Manifest].Nodes nodes.
func (w *Writer) NewMatrix() (m *Matrix, err error) {
	m = &Matrix{w: w}
	if m.indptr, err = w.create(indptrFile); err == nil {
		m.indices, err = w.create(indicesFile)
	}
	return m, err
}

// Add adds an entry. Entries must come row by row, and in a row by rising columns. At the first weight
// that is not 1, Add begins the file of weights, with a 1 for each entry before.
func (m *Matrix) Add(row, column int, weight float32) (err error) {
	for ; m.row <= row; m.row++ {
		if err := m.indptr.put64(uint64(m.w.Entries)); err != nil {
			return err
		}
	}
	if weight != 1 && m.values == nil {
		if m.values, err = m.w.create(valuesFile); err != nil {
			return err
		}
		for range m.w.Entries {
			if err := m.values.put32(math.Float32bits(1)); err != nil {
				return err
			}
		}
	}
	m.w.Entries++
	m.sum += float64(weight)
	if m.values != nil {
		if err := m.values.put32(math.Float32bits(weight)); err != nil {
			return err
		}
	}
	return m.indices.put32(uint32(column))
}

// Close ends the matrix, writes D̃^-½, and sets the manifest's mean weight, 1 without weights.
func (m *Matrix) Close() error {
	for ; m.row <= m.w.Nodes; m.row++ {
		if err := m.indptr.put64(uint64(m.w.Entries)); err != nil {
			return err
		}
	}
	if err := errors.Join(m.indptr.close(), m.indices.close()); err != nil {
		return err
	}
	m.w.MeanWeight = 1
	if m.values != nil {
		if err := m.values.close(); err != nil {
			return err
		}
		m.w.MeanWeight = m.sum / float64(m.w.Entries)
	}
	return m.w.putScale()
}

// putScale writes D̃^-½ from the files of the adjacency matrix, with the sums in the order in
// which [laplacian.New] adds them up.
func (w *Writer) putScale() error {
	const block = 1 << 16 // numbers that are read at a time
	open := func(name string) (*os.File, error) { return os.Open(filepath.Join(w.dir, name)) }
	f, err := open(indptrFile)
	if err != nil {
		return err
	}
	defer f.Close()
	indptr := mapped.NewReader[int](f, 8, w.Nodes, block) // the ends of the rows: without the first 0
	var values *mapped.Reader[float32]
	if w.has(valuesFile) {
		v, err := open(valuesFile)
		if err != nil {
			return err
		}
		defer v.Close()
		values = mapped.NewReader[float32](v, 0, w.Entries, block)
	}
	scale, err := w.create(scaleFile)
	if err != nil {
		return err
	}
	from := 0
	for range w.Nodes {
		end, err := indptr.Next()
		if err != nil {
			return err
		}
		degree := w.MeanWeight
		if values == nil {
			degree += float64(end - from)
		} else {
			for range end - from {
				weight, err := values.Next()
				if err != nil {
					return err
				}
				degree += float64(weight)
			}
		}
		if err := scale.put64(math.Float64bits(1 / math.Sqrt(degree))); err != nil {
			return err
		}
		from = end
	}
	return scale.close()
}
