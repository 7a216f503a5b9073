package input

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/extsort"
	"github.com/agekit/age/internal/graphfolder"
	"github.com/agekit/age/internal/mapped"
	"github.com/agekit/age/internal/progress"
	"github.com/agekit/age/internal/readfile"
)

// folderMaker makes one folder for [Build]: it sorts the entries of the adjacency matrix to runs, in a
// folder of work beside the new one, and merges them.
type folderMaker struct {
	ctx    context.Context
	s      Source
	b      Building
	parts  []edgeFile   // s.Edges, or the files in it
	format table.Format // the format of all parts
	// list says that the edges are a plain list ([Source.Edges]), of whose repeated edges the
	// largest weight counts.
	list  bool
	from  json.RawMessage // what decides about the graph ([folderMaker.origin])
	work  string          // the path of the folder with the runs
	built Built           // the result of Build, which merge sets
}

// The names of the files beside the runs.
const (
	planFile   = "plan.json" // what the runs are of, and how they are made
	readFile   = "read.json" // a [sorted], once all runs are there
	idTextFile = "ids.txt"   // the ids of the nodes end to end
	idEndsFile = "ids-ends"  // where each of them ends
)

// sorted is what is known when all edges are read and sorted.
type sorted struct {
	Runs   extsort.Runs
	Nodes  int
	Listed int      // how many edges were read, loops among them
	Loops  int      // how many of these join a node to itself
	Notes  []string // about the columns and the loops, in sentences for the user
}

// complete reports whether all files are there, with their whole size, that a call goes on with after
// another call has read and sorted all edges: read is what that call found of edges between n nodes, or any
// ids if n is 0.
func (m *folderMaker) complete(read sorted, n int) bool {
	if !read.Runs.Complete(m.work) {
		return false
	}
	if n > 0 {
		return true
	}
	text, err := mapped.Open(filepath.Join(m.work, idTextFile))
	if err != nil {
		return false
	}
	defer text.Close()
	file, err := mapped.Open(filepath.Join(m.work, idEndsFile))
	if err != nil {
		return false
	}
	defer file.Close()
	const bytesOfEnd = 8
	ends := mapped.Numbers[int](file.Bytes())
	return len(ends) > 0 && len(file.Bytes()) == bytesOfEnd*read.Nodes && ends[len(ends)-1] == len(text.Bytes())
}

// canGoOn reports whether the same call can go on with what is in the folder of work, after an error: if that
// is an interrupt or of the disk, which may be full, and some edges are sorted.
func (m *folderMaker) canGoOn(err error) bool {
	var file *fs.PathError
	var renamed *os.LinkError
	if m.ctx.Err() == nil && !errors.As(err, &file) && !errors.As(err, &renamed) {
		return false
	}
	entries, _ := os.ReadDir(m.work)
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return extsort.IsRun(e.Name()) })
}

// fill is [folderMaker.build], and removes the folder of work after an error if it is of no use. The caller
// holds the lock on the folder's parent, so no other process works there.
func (m *folderMaker) fill(w *graphfolder.Writer) error {
	err := m.build(w)
	if err != nil && !m.canGoOn(err) {
		_ = os.RemoveAll(m.work)
	}
	return err
}

// build fills a new folder through its writer. The runs of an earlier call that was interrupted are used again.
func (m *folderMaker) build(w *graphfolder.Writer) error {
	if err := m.begin(); err != nil {
		return err
	}
	x, n, err := m.s.matrix(m.ctx)
	if err != nil {
		return err
	}
	g := &graph.Graph{Features: x}
	read, err := m.sort(n)
	if err != nil {
		return err
	}
	w.Nodes, w.Listed, w.From = read.Nodes, read.Listed, m.from
	if err := m.merge(w, read); err != nil {
		return err
	}
	if n > 0 {
		err = w.PutFeatures(g.Features)
	} else {
		err = m.putIDs(w)
		g.Features.Dense = &blas32.General{Rows: w.Nodes} // for the number of labels
	}
	if err == nil && m.s.Labels != "" {
		var remarks table.Remarks
		if err = readLabels(m.ctx, m.s.Labels, g, m.s.Edges, &remarks); err == nil {
			err = w.PutLabels(g.Labels, g.ClassNames)
		}
		m.built.Notes = append(m.built.Notes, remarks.Texts()...)
	}
	return err
}

// begin makes the folder of work, or keeps the one that is there if its plan says that its runs are of the same
// files, sorted in the same way.
func (m *folderMaker) begin() error {
	plan := fmt.Appendf(nil, "%s\n%d bytes of memory, format %d\n", m.from, m.b.Memory, graphfolder.Format)
	path := filepath.Join(m.work, planFile)
	if old, err := readfile.All(path, int64(len(plan))); err == nil && bytes.Equal(old, plan) {
		return nil
	}
	if err := errors.Join(os.RemoveAll(m.work), os.MkdirAll(m.work, 0o777)); err != nil {
		return err
	}
	return atomicfile.Write(path, atomicfile.Bytes(plan))
}

// sort reads the edges, and leaves the entries of the adjacency matrix in sorted runs, two for each
// edge. The ends are the numbers of n nodes, or any ids if n is 0; then the ids are left in files, too.
// If an earlier call has done all of that, and its files are there, sort only returns what that call found.
func (m *folderMaker) sort(n int) (read sorted, err error) {
	done := filepath.Join(m.work, readFile)
	content, err := readfile.All(done, readfile.MostRecords)
	if err == nil && json.Unmarshal(content, &read) == nil && m.complete(read, n) {
		return read, nil
	}
	// An eighth of the memory is left for reading. Ids get half of it, but a MB at least, and the
	// sorter the rest.
	eighth := m.b.Memory / 8
	entries := entrySorter{folderMaker: m, ids: numberedIDs(n), memory: 7 * eighth}
	if n == 0 {
		entries.ids, entries.memory = newIDTable(), 3*eighth
		entries.ids.most = max(1<<20, m.b.Memory/2)
	}
	info, err := m.scan(entries.add)
	if err != nil {
		return read, err
	}
	if n > 0 && info.matrix != nil {
		if err := info.matrix.checkNodes(m.s.Edges, n); err != nil {
			return read, err
		}
	}
	read = entries.read
	var remarks table.Remarks
	remarks.About(m.s.Edges, table.Remarks{Notes: info.choices, Warnings: info.Warnings})
	describeTable(&remarks, m.s.Edges, info, read.Loops)
	read.Notes = remarks.Texts()
	if entries.sorter == nil {
		return read, fmt.Errorf("%s: %w", m.s.Edges, errNoEdges)
	}
	if read.Runs, err = entries.sorter.Finish(); err != nil {
		return read, err
	}
	ids := entries.ids
	if read.Nodes = ids.len(); n == 0 {
		err = errors.Join(atomicfile.Write(filepath.Join(m.work, idTextFile), atomicfile.Bytes(ids.Text)),
			atomicfile.Write(filepath.Join(m.work, idEndsFile), atomicfile.Bytes(mapped.Bytes(ids.Ends))))
	}
	if err != nil {
		return read, err
	}
	content, _ = json.Marshal(read)                                // numbers and texts
	return read, atomicfile.Write(done, atomicfile.Bytes(content)) // last: it says that the others are there
}

// entrySorter numbers the ends of edges and sorts the entries of the adjacency matrix.
type entrySorter struct {
	*folderMaker
	ids      *idTable
	memory   int64           // how many bytes the sorter may take
	sorter   *extsort.Sorter // nil before the first edge
	weighted bool            // the first edge has a weight, and so must all others
	read     sorted          // counts the edges and loops
}

// add sorts an edge in: as an entry of the adjacency matrix from each end, but not at all if the edge
// is a loop.
func (s *entrySorter) add(e *edge) error {
	if e.alone {
		_, err := s.ids.add(e.source)
		return err
	}
	if s.sorter == nil {
		most := int64(math.MaxInt32)
		if s.format.Text { // a row of which takes 4 bytes at least
			if most = s.mostEntries(); e.several { // of which each takes 2 bytes at least
				most *= 2
			}
		}
		s.weighted = e.weighted
		s.sorter = extsort.NewSorter(s.ctx, s.work, s.weighted, s.memory, most)
	}
	if e.weighted != s.weighted {
		return fmt.Errorf("edges with weights in some files of %s and without in others: want weights in all or in none", s.s.Edges)
	}
	s.read.Listed++
	u, v, err := s.ids.addEnds(e)
	if err != nil {
		return err
	}
	if u == v {
		s.read.Loops++
		return nil
	}
	if err := s.sorter.Add(entryKey(u, v, false), e.weight); err != nil {
		return err
	}
	return s.sorter.Add(entryKey(v, u, true), e.weight)
}

// mostEntries returns how many entries of the adjacency matrix the edges in text files can make: a line
// has 4 bytes at least, as in "1 2" and its end, and makes two entries. A file of gzip counts as a
// hundred times as large, since gzip packs text to a hundredth at most.
func (m *folderMaker) mostEntries() (most int64) {
	for _, part := range m.parts {
		size := part.info.Size()
		if table.Unpacked(part.path) != part.path {
			size *= 100
		}
		most += size/2 + 2 // the last line may lack its end
	}
	return most
}

// scan calls do with each edge of all files, and returns what the table in the first file is like.
func (m *folderMaker) scan(do func(*edge) error) (first *edgeInfo, err error) {
	var all, done int64 // bytes of all files, and of those that are read
	for _, part := range m.parts {
		all += part.info.Size()
	}
	for _, part := range m.parts {
		o := table.Options{Pairs: true, Header: m.s.Header, Names: m.s.EdgeColumns.names()}
		size := part.info.Size()
		o.Progress = func(e progress.Event) { // of a packed file, what it is unpacked to
			read := done + int64(float64(e.Done)/float64(max(1, e.Total))*float64(size))
			m.b.Progress.Report(progress.Event{Stage: "reading " + m.s.Edges, Done: read, Total: all})
		}
		info, err := edgeReader{EdgeColumns: m.s.EdgeColumns, list: m.list, like: first}.scanFile(m.ctx, part.path, o, do)
		if err != nil {
			return nil, err
		}
		if first == nil {
			first = info
		}
		done += size
	}
	return first, nil
}

// putIDs writes the ids, which sort has left in files, to the new folder.
func (m *folderMaker) putIDs(w *graphfolder.Writer) error {
	text, err := mapped.Open(filepath.Join(m.work, idTextFile))
	if err != nil {
		return err
	}
	defer text.Close()
	ends, err := mapped.Open(filepath.Join(m.work, idEndsFile))
	if err != nil {
		return err
	}
	defer ends.Close()
	return w.PutIDs(text.Bytes(), mapped.Numbers[int](ends.Bytes()))
}

// merge merges the runs to the adjacency matrix, writes it to the new folder, and sets m.built.
func (m *folderMaker) merge(w *graphfolder.Writer, read sorted) error {
	matrix, err := w.NewMatrix()
	if err != nil {
		return err
	}
	all, done := int64(0), int64(0) // keys in the runs, and those that are merged
	for _, keys := range read.Runs.Keys {
		all += int64(keys)
	}
	merged := entries{path: m.s.Edges, put: matrix.Add, largest: m.list}
	if err := read.Runs.Merge(m.ctx, m.work, m.b.Memory/2, func(key uint64, weight float64) error {
		const keysPerReport = 1 << 20
		if done++; done%keysPerReport == 0 {
			m.b.Progress.Report(progress.Event{Stage: "merging", Done: done, Total: all})
		}
		return merged.add(key, weight)
	}); err != nil {
		return err
	}
	if err := errors.Join(merged.end(), matrix.Close()); err != nil {
		return err
	}
	m.built = Built{Nodes: w.Nodes, Edges: w.Entries / 2, Listed: read.Listed, Weighted: w.Weighted(), Notes: read.Notes}
	if !merged.largest {
		var remarks table.Remarks
		describeCounts(&remarks, m.s.Edges, merged.edgeCounts)
		m.built.Notes = append(read.Notes, remarks.Texts()...)
	}
	return nil
}
