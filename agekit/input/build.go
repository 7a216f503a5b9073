package input

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"time"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/graphfolder"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/progress"
	"github.com/agekit/age/internal/system"
)

// Building says how [Build] makes a folder.
type Building struct {
	// Folder is the new folder. Its parent holds unfinished work for it, .agekit-NAME.build.
	Folder string
	// Memory is how many bytes the edges and ids may take; a matrix of features that is not
	// mapped takes its own. Default 0: an eighth of the machine's memory.
	Memory int64
	// Progress hears of the bytes of the edges that are read and of the entries that are merged,
	// unless it is nil; a line says if another process builds a folder there.
	Progress progress.Func
}

// Built says what Build made.
type Built struct {
	Nodes    int  `json:"nodes"`
	Edges    int  `json:"edges"`
	Listed   int  `json:"listed_edges"`
	Weighted bool `json:"weighted"`
	// Reused says that the folder was there, made from the same files in the same way.
	Reused bool     `json:"there"`
	Notes  []string `json:"notes"` // in sentences for the user
}

// Build makes a folder with the graph that [Open] gives for the same source, whose edges may
// be larger than memory: it sorts them on the disk. Of the source it takes Edges, Features,
// Labels, EdgeColumns and Header. Without Features the nodes are the ids in Edges, and
// their features are made when the folder is opened. Open opens it as a Source.Graph.
//
// The folder appears when it is complete. If Build is interrupted, or the disk is full, the same
// call goes on with what was sorted before. After another error nothing is left. Two calls for
// one folder take turns, and the second finds what the first has made.
func Build(ctx context.Context, s Source, b Building) (*Built, error) {
	known := Source{Edges: s.Edges, Features: s.Features, Labels: s.Labels, EdgeColumns: s.EdgeColumns, Header: s.Header}
	if !reflect.DeepEqual(s, known) {
		return nil, message.Errorf("a graph is built of %s, %s and %s: want no others", sourceEdges, sourceFeatures, sourceLabels)
	}
	if s.Edges == "" {
		return nil, message.Errorf("no edges: want %s with the two ends of each edge", sourceEdges)
	}
	if b.Memory <= 0 {
		b.Memory = system.TotalMemory() / 8 // not of what is free: with another size, a repeated call could not go on
	}
	b.Folder = filepath.Clean(b.Folder)
	workName := ".agekit-" + filepath.Base(b.Folder) + ".build"
	m := &folderMaker{ctx: ctx, s: s, b: b, work: filepath.Join(filepath.Dir(b.Folder), workName)}
	var err error
	if m.parts, err = edgeFiles(s.Edges); err != nil {
		return nil, err
	}
	if m.format, err = table.ScanFormat(m.parts[0].path, "edges"); err != nil {
		return nil, err
	}
	s.Edges = m.parts[0].path // whose extension tells whether it may be a list
	m.list = s.isPlain()
	if m.from, err = m.origin(); err != nil {
		return nil, err
	}
	waiting := func() { b.Progress.Linef("waiting: another process builds a folder there") }
	there, err := graphfolder.Create(ctx, b.Folder, waiting, m.fill)
	if err != nil {
		return nil, err
	}
	if !there { // m.fill has made the folder
		return &m.built, os.RemoveAll(m.work)
	}
	old, err := graphfolder.ReadManifest(b.Folder)
	if err != nil {
		return nil, fmt.Errorf("%s is there already, and no graph: want a new folder: %w", b.Folder, err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, old.From); err != nil || !bytes.Equal(compact.Bytes(), m.from) {
		return nil, fmt.Errorf("%s is there already, built from other files or in another way: want a new folder", b.Folder)
	}
	if err := os.RemoveAll(m.work); err != nil { // of a call that was killed at its end
		return nil, err
	}
	return &Built{Reused: true, Nodes: old.Nodes, Edges: old.Entries / 2, Listed: old.Listed, Weighted: old.Weighted()}, nil
}

// edgeFile is a file with edges.
type edgeFile struct {
	path string
	info os.FileInfo // its size and time
}

// edgeFiles returns the files with edges, in the order of their names: path alone, or, if path is a
// folder, the files in it, which must have one format. Empty files, and those whose names begin with _
// or a dot, do not count.
func edgeFiles(path string) ([]edgeFile, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return []edgeFile{{path: path, info: info}}, err
	}
	names, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var parts []edgeFile
	for _, entry := range names { // os.ReadDir sorts them
		part := filepath.Join(path, entry.Name())
		info, err := os.Stat(part)
		switch first := entry.Name()[0]; {
		case entry.Name() == "_temporary": // in which Spark writes
			return nil, fmt.Errorf("%s: what wrote the folder has not finished: want one without it", part)
		case first == '_' || first == '.':
			continue
		case err != nil:
			return nil, err
		case info.IsDir():
			return nil, fmt.Errorf("%s: a folder in a folder of edges: want files alone", part)
		case info.Size() == 0:
			continue
		}
		parts = append(parts, edgeFile{path: part, info: info})
		format, firstFormat := table.Extension(table.Unpacked(part)), table.Extension(table.Unpacked(parts[0].path))
		if format != firstFormat {
			return nil, fmt.Errorf("%s: not in the format of %s: want one format in a folder of edges", part, filepath.Base(parts[0].path))
		}
	}
	if len(parts) == 0 {
		return nil, fmt.Errorf("%s: no files: want one with edges at least", path)
	}
	return parts, nil
}

// origin returns, as JSON for the manifest of the folder, what decides about the graph: the names,
// sizes and times of the files, and the options with which they are read.
func (m *folderMaker) origin() (json.RawMessage, error) {
	type file struct {
		Name     string `json:"name"`
		Bytes    int64  `json:"bytes"`
		Modified string `json:"modified,omitempty"`
	}
	var from struct {
		Edges    file   `json:"edges"`
		Parts    []file `json:"parts,omitempty"` // of a folder of edges
		Features *file  `json:"features,omitempty"`
		Labels   *file  `json:"labels,omitempty"`
		Source   string `json:"source,omitempty"`
		Target   string `json:"target,omitempty"`
		Weight   string `json:"weight,omitempty"`
		Header   *bool  `json:"header,omitempty"`
	}
	from.Source, from.Target, from.Weight = m.s.EdgeColumns.Source, m.s.EdgeColumns.Target, m.s.EdgeColumns.Weight
	from.Header = m.s.Header
	describe := func(info os.FileInfo) *file {
		return &file{info.Name(), info.Size(), info.ModTime().UTC().Format(time.RFC3339Nano)}
	}
	for _, part := range m.parts {
		from.Parts = append(from.Parts, *describe(part.info))
		from.Edges.Bytes += part.info.Size()
	}
	from.Edges.Name = filepath.Base(m.s.Edges)
	if m.parts[0].path == m.s.Edges { // a file, and no folder
		from.Edges, from.Parts = from.Parts[0], nil
	}
	for entry, path := range map[**file]string{&from.Features: m.s.Features, &from.Labels: m.s.Labels} {
		if path == "" {
			continue
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		*entry = describe(info)
	}
	return json.Marshal(from)
}

// openFolder opens the folder s.Graph, which Build made, and keeps it open as long as the program runs,
// since the graph is mapped. A folder without features gets those of the structure.
func openFolder(ctx context.Context, s Source) (*Data, error) {
	if err := s.alone(); err != nil {
		return nil, err
	}
	f, err := graphfolder.Open(ctx, s.Graph)
	if err != nil {
		return nil, err
	}
	d := &Data{Graph: f.Graph}
	d.Graph.Name = cmp.Or(s.Name, d.Graph.Name)
	if f.Features == nil {
		if err := d.makeFeatures(ctx, Source{}, nil, graph.Features{}); err != nil {
			f.Close()
			return nil, err
		}
	}
	return d, nil
}
