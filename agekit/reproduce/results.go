package reproduce

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/checksum"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/provenance"
	"github.com/agekit/age/internal/readfile"
)

// Record is the result of a run: one line of a results file.
type Record struct {
	Hash     string          `json:"hash"` // of the run with all its settings
	Run      Run             `json:"run"`
	Settings json.RawMessage `json:"settings"` // the method's, with defaults filled in
	// Code is the commit of the program; it ends in -dirty if files were changed, and in
	// -stored if the build did not know its commit, and this is the one that stored the result.
	Code    string `json:"code"`
	Backend string `json:"backend"` // what the run trained on; "native" without training
	// SIMD is the instruction set of the inner loops: "avx512", "avx2", "neon" or "go";
	// empty where it is not known.
	SIMD    string    `json:"simd,omitempty"`
	Graph   string    `json:"graph"` // its fingerprint
	Started time.Time `json:"started"`
	// Seconds is the wall-clock time without loading the data set; of a run that was
	// interrupted, that of its last part.
	Seconds float64 `json:"seconds"`
	// Bytes is the most that Go objects took beyond the data set; XLA's memory is not in
	// it. 0 is unknown, as of runs beside others and of those that were resumed.
	Bytes int64 `json:"bytes,omitempty"`
	// Scores are single values by name: ACC, NMI, ARI, F1, modularity, conductance, AUC,
	// AP and a method's measures. A data set with made-up features has none.
	Scores map[string]float64 `json:"scores,omitempty"`
	// Series are sequences of values: eigenvalue counts, a map's coordinates.
	Series map[string][]float64 `json:"series,omitempty"`
}

// Results are the results in a file with one JSON object per line. Lines are
// only ever appended; if several have the same hash, the last one counts.
type Results struct {
	mu      sync.Mutex
	records map[string]Record
	path    string
	file    *os.File // nil if the results are only read; locked while it is open
	unlock  func()   // unlocks the file
}

// Open reads the results file at path; if it does not exist, there are no results. Open ignores the
// beginning of a record at the end, which a killed process can leave. Anything else that is no record is
// an error that names the line.
//
// If add is set, Open creates the file if necessary, cuts off the beginning of a record at
// its end or completes its last line, and keeps it open, until Close, for [Execute] to add results. If
// another process has it open to add results, Open returns an error that says so.
func Open(path string, add bool) (*Results, error) {
	r := &Results{records: map[string]Record{}, path: path}
	if add {
		if err := r.lock(); err != nil {
			return nil, fmt.Errorf("results: %w", err)
		}
	}
	if err := r.read(); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// lock opens and locks the file.
func (r *Results) lock() (err error) {
	if err := os.MkdirAll(filepath.Dir(r.path), 0o777); err != nil {
		return err
	}
	if f, _, err := readfile.Open(r.path); err == nil { // refuses pipes and devices
		f.Close()
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if r.file, err = os.OpenFile(r.path, os.O_RDWR|os.O_CREATE, 0o666); err != nil {
		return err
	}
	if r.unlock, err = atomicfile.LockFile(r.path); err != nil {
		r.file.Close()
		return fmt.Errorf("%s: %w; wait for it, or choose another folder", r.path, err)
	}
	return nil
}

// read reads the file's records. If the file is open for adding, it cuts off the beginning of a
// record at the end, or completes the last line.
func (r *Results) read() error {
	data, err := readfile.All(r.path, readfile.MostRecords)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("results: %w", err)
	}
	whole, err := r.parse(data)
	if err != nil || r.file == nil {
		return err
	}
	if whole < len(data) {
		return r.file.Truncate(int64(whole))
	}
	if whole > 0 && data[whole-1] != '\n' {
		return r.write([]byte("\n"))
	}
	return nil
}

// recordStart is the beginning of every record.
const recordStart = `{"hash":"`

// parse adds the records in data, one a line, to r.records. It returns the length of the part of data that
// has whole records: all but the beginning of a record at the end.
func (r *Results) parse(data []byte) (whole int, err error) {
	for number := 1; whole < len(data); number++ {
		line, _, complete := bytes.Cut(data[whole:], []byte("\n"))
		var record Record
		if err := json.Unmarshal(line, &record); err != nil || record.Hash == "" {
			if !complete && isPartial(line, whole == 0) {
				return whole, nil
			}
			return whole, fmt.Errorf("results %s, line %d: %s, want a record that begins with %s; "+
				"if it was one, delete the line to have its run executed again", r.path, number, message.Quote(line), recordStart)
		}
		r.records[record.Hash] = record
		whole += len(line)
		if complete {
			whole++
		}
	}
	return whole, nil
}

// isPartial reports whether a killed process or a power failure can have left the line at the end of the
// file: it is the beginning of a record, or zero bytes follow that. Zero bytes alone are such a line only
// after other records: first says that the line is the first in the file.
func isPartial(line []byte, first bool) bool {
	line = bytes.TrimRight(line, "\x00")
	n := min(len(line), len(recordStart))
	return string(line[:n]) == recordStart[:n] && (n > 0 || !first)
}

// Get returns the result of a run, or false if there is none.
func (r *Results) Get(run Run) (Record, bool) {
	hash, _, err := run.Hash()
	if err != nil {
		return Record{}, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	record, ok := r.records[hash]
	return record, ok
}

// add appends a record and waits until it is on disk, if there is a file.
func (r *Results) add(record Record) error {
	line, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("results: %v: %w", record.Run, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.path == "" { // of a call of Execute without a file
		r.records[record.Hash] = record
		return nil
	}
	if r.file == nil {
		panic("experiment: results opened for reading only")
	}
	if err := r.write(append(line, '\n')); err != nil {
		return fmt.Errorf("results: %w", err)
	}
	r.records[record.Hash] = record
	return nil
}

// manifest returns the manifest of an item rendered from the results of the given runs: it says from which
// code, backends, seeds and graphs they come, and which results file they are in.
func (r *Results) manifest(runs []Run) (provenance.Manifest, error) {
	m := provenance.Manifest{Graphs: map[string]string{}}
	for _, run := range runs {
		if record, ok := r.Get(run); ok {
			m.Code = append(m.Code, record.Code)
			m.Backends = append(m.Backends, record.Backend)
			m.Seeds = append(m.Seeds, run.Seed)
			m.Graphs[run.Dataset] = record.Graph
			if record.SIMD != "" {
				m.SIMD = append(m.SIMD, record.SIMD)
			}
		}
	}
	m.Code, m.Backends = distinct(m.Code), distinct(m.Backends)
	m.SIMD, m.Seeds = distinct(m.SIMD), distinct(m.Seeds)
	if r.path == "" {
		return m, nil
	}
	data, err := readfile.All(r.path, readfile.MostRecords)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return m, fmt.Errorf("results: %w", err)
	}
	data = data[:bytes.LastIndexByte(data, '\n')+1] // another process may be adding a line
	m.Outputs = []checksum.File{{Path: filepath.Base(r.path), Sum: checksum.Of(data), Grows: true}}
	return m, nil
}

// distinct returns the different values in order.
func distinct[T cmp.Ordered](values []T) []T {
	return slices.Compact(slices.Sorted(slices.Values(values)))
}

// write appends a whole line or, if the disk is full, nothing.
func (r *Results) write(line []byte) error {
	end, err := r.file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if _, err = r.file.Write(line); err == nil {
		err = r.file.Sync()
	}
	if err != nil {
		return errors.Join(err, r.file.Truncate(end))
	}
	return nil
}

// Close closes the file, so that other processes can add results. It does nothing for results that were
// opened only for reading.
func (r *Results) Close() error {
	if r.file == nil {
		return nil
	}
	err := r.file.Close()
	r.file = nil
	r.unlock()
	return err
}
