package graphfolder

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/agekit/age/internal/checksum"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/readfile"
	"github.com/agekit/age/internal/system"
)

// Format is the version of the folder's form.
const Format = 1

// ManifestFile is the name of a folder's [Manifest].
const ManifestFile = "manifest.json"

// The files of a folder.
const (
	indptrFile, indicesFile, valuesFile    = "indptr.i64", "indices.i32", "values.f32"
	scaleFile                              = "scale.f64"
	featuresFile                           = "features.f32"
	xIndptrFile, xIndicesFile, xValuesFile = "x-indptr.i64", "x-indices.i32", "x-values.f32"
	labelsFile                             = "labels.i64"
	idsFile, idEndsFile                    = "ids.txt", "ids-ends.i64"
)

// Manifest says what a folder holds.
type Manifest struct {
	Format  int    `json:"format"`
	Program string `json:"program"` // that built it
	Nodes   int    `json:"nodes"`
	// Entries is the number of entries of the adjacency matrix, two for each edge.
	Entries int `json:"entries"`
	// Listed is [graph.Graph.ListedEdges].
	Listed int `json:"listed_edges"`
	// MeanWeight is [graph.CSR.MeanWeight], the weight of the loops of D̃.
	MeanWeight float64   `json:"mean_weight"`
	Features   *Features `json:"features,omitempty"` // nil: none
	// Classes are the names of the classes, if there are labels.
	Classes []string `json:"classes,omitempty"`
	// From is what the graph was built from, for the program that built it.
	From json.RawMessage `json:"from,omitempty"`
	// Files are all others of the folder. That values or ids are there says that the graph
	// has some.
	Files map[string]checksum.Sum `json:"files"`
}

// Features describes X.
type Features struct {
	Columns int `json:"columns"`
	// Entries is the number of entries of a sparse matrix; 0 for a dense one.
	Entries int `json:"entries,omitempty"`
}

// IsFolder reports whether path is a folder with a graph.
func IsFolder(path string) bool {
	info, err := os.Stat(filepath.Join(path, ManifestFile))
	return err == nil && info.Mode().IsRegular()
}

// ReadManifest reads the manifest of a folder, and checks it against the sizes of the files.
func ReadManifest(dir string) (*Manifest, error) {
	path := filepath.Join(dir, ManifestFile)
	content, err := readfile.All(path, readfile.MostRecords)
	if err != nil {
		return nil, err
	}
	var version struct{ Format int }
	if err := json.Unmarshal(content, &version); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if version.Format != Format {
		return nil, fmt.Errorf("%s: format %d: want %d: build the graph again with this version of agekit", path, version.Format, Format)
	}
	m := &Manifest{}
	if err := json.Unmarshal(content, m); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, name := range slices.Sorted(maps.Keys(m.Files)) {
		file := m.Files[name]
		info, err := os.Stat(filepath.Join(dir, name))
		switch {
		case err != nil:
			return nil, err
		case info.Mode().Type() != fs.FileMode(0) || info.Size() != file.Bytes:
			return nil, fmt.Errorf("%s: %s of %d bytes: want a regular file of %d, as %s says: the folder is damaged; build it again",
				filepath.Join(dir, name), readfile.Kind(info.Mode()), info.Size(), file.Bytes, ManifestFile)
		}
	}
	return m, nil
}

// mostEntries is the largest number of entries of a matrix: the size of its files in bytes fits an int64.
const mostEntries = math.MaxInt64 / 16

// check returns an error for numbers that cannot be, for files that are missing in the manifest or have
// other sizes there than follow from the numbers, and for files that do not belong to a folder.
func (m *Manifest) check() error {
	switch {
	case m.Nodes < 1 || m.Nodes > math.MaxInt32:
		return fmt.Errorf("%d nodes: want 1 to %d", m.Nodes, math.MaxInt32)
	case m.Entries < 0 || m.Entries > mostEntries:
		return fmt.Errorf("%d entries: want 0 or more", m.Entries)
	case !(m.MeanWeight > 0) || math.IsInf(m.MeanWeight, 1):
		return fmt.Errorf("mean weight %v: want a positive number", m.MeanWeight)
	}
	if x := m.Features; x != nil && (x.Columns < 1 || x.Columns > system.MostColumns || x.Entries < 0 || x.Entries > mostEntries) {
		return fmt.Errorf("features in %d columns with %d entries: want 1 to %d columns", x.Columns, x.Entries, system.MostColumns)
	}
	needed, optional := m.sizes()
	for _, name := range slices.Sorted(maps.Keys(needed)) {
		size := needed[name]
		if file, ok := m.Files[name]; !ok || file.Bytes != size {
			return fmt.Errorf("file %s of %d bytes: want %d for %d nodes and %d entries", name, file.Bytes, size, m.Nodes, m.Entries)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.Files)) {
		if _, isNeeded := needed[name]; isNeeded {
			continue
		}
		file := m.Files[name]
		size, isOptional := optional[name]
		if !isOptional || size >= 0 && file.Bytes != size {
			return fmt.Errorf("file %s of %d bytes: want no such file", message.Quote(name), file.Bytes)
		}
	}
	if m.has(idsFile) != m.has(idEndsFile) {
		return fmt.Errorf("%s and %s: want both or none", idsFile, idEndsFile)
	}
	return nil
}

// Weighted reports whether the edges have weights.
func (m *Manifest) Weighted() bool { return m.has(valuesFile) }

// has reports whether the folder has a file of that name.
func (m *Manifest) has(name string) bool {
	_, ok := m.Files[name]
	return ok
}

// sizes returns the sizes in bytes, by name, of the files that the folder needs, and of those that it may
// have beside them, where −1 is any size.
func (m *Manifest) sizes() (needed, optional map[string]int64) {
	n, entries := int64(m.Nodes), int64(m.Entries)
	needed = map[string]int64{indptrFile: 8 * (n + 1), indicesFile: 4 * entries, scaleFile: 8 * n}
	optional = map[string]int64{valuesFile: 4 * entries, idsFile: -1, idEndsFile: 8 * n}
	switch x := m.Features; {
	case x == nil:
	case x.Entries == 0:
		needed[featuresFile] = 4 * n * int64(x.Columns)
	default:
		needed[xIndptrFile], needed[xIndicesFile] = 8*(n+1), 4*int64(x.Entries)
		optional[xValuesFile] = 4 * int64(x.Entries)
	}
	if len(m.Classes) > 0 {
		needed[labelsFile] = 8 * n
	}
	return needed, optional
}
