package experiment

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// Record is the result of a run: one line of a results file.
type Record struct {
	// Hash identifies the run with all its settings.
	Hash string `json:"hash"`
	Run  Run    `json:"run"`
	// Settings are the method's settings, with defaults filled in.
	Settings json.RawMessage `json:"settings"`
	// Code is the version of the program, a commit.
	Code string `json:"code"`
	// Backend is what the run trained on; "native" for methods that do not
	// train.
	Backend string `json:"backend"`
	// SIMD is the instruction set that the inner loops used: "avx512",
	// "avx2", "neon" or "go". It is empty in results older than this
	// field.
	SIMD string `json:"simd,omitempty"`
	// Graph is the graph's fingerprint.
	Graph   string    `json:"graph"`
	Started time.Time `json:"started"`
	// Seconds is the wall-clock time of the run, without loading the data
	// set. For a run that was interrupted, it is the time of its last
	// part.
	Seconds float64 `json:"seconds"`
	// Scores are single values by name: ACC, NMI, ARI, F1, modularity,
	// conductance, AUC, AP and a method's measures. Empty for a data set
	// with made-up features.
	Scores map[string]float64 `json:"scores,omitempty"`
	// Series are sequences of values: eigenvalue counts, a map's
	// coordinates.
	Series map[string][]float64 `json:"series,omitempty"`
}

// Results are the results in a file with one JSON object per line. Lines are
// only ever appended; if several have the same hash, the last one counts.
type Results struct {
	mu      sync.Mutex
	records map[string]Record
	path    string
	file    *os.File     // nil if read-only
	lock    *flock.Flock // held while the file is open for writing
}

// Read reads a results file. A file that does not exist has no results. A
// partial last line, which a killed process can leave, is ignored; any other
// damage is an error that names the line.
func Read(path string) (*Results, error) {
	r := &Results{records: map[string]Record{}, path: path}
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("results: %w", err)
	}
	_, err = r.parse(data)
	return r, err
}

// Open reads a results file, creating it if necessary, and keeps it open for
// adding results until Close. It truncates a damaged last line. While the file
// is open nobody else can open it; the error says so.
func Open(path string) (*Results, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	lock := flock.New(path + ".lock")
	switch locked, err := lock.TryLock(); {
	case err != nil:
		return nil, fmt.Errorf("results %s: lock: %w", path, err)
	case !locked:
		return nil, fmt.Errorf("results %s: another process is writing to them; wait for it, or choose another folder", path)
	}
	r := &Results{records: map[string]Record{}, path: path, lock: lock}
	if err := r.openFile(); err != nil {
		lock.Unlock()
		return nil, err
	}
	return r, nil
}

func (r *Results) openFile() error {
	f, err := os.OpenFile(r.path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return fmt.Errorf("results: %w", err)
	}
	data, err := io.ReadAll(f)
	var good int
	if err == nil {
		good, err = r.parse(data)
	}
	if err == nil && good < len(data) {
		err = f.Truncate(int64(good))
	}
	if err == nil {
		_, err = f.Seek(int64(good), io.SeekStart)
	}
	if err != nil {
		f.Close()
		return err
	}
	r.file = f
	return nil
}

// parse reads the lines of data and returns the length of the good ones.
func (r *Results) parse(data []byte) (good int, err error) {
	for number := 1; good < len(data); number++ {
		line, _, complete := bytes.Cut(data[good:], []byte("\n"))
		last := good+len(line)+1 >= len(data)
		var record Record
		err := json.Unmarshal(line, &record)
		if err == nil && record.Hash == "" {
			err = errors.New("no hash")
		}
		switch {
		case last && (!complete || err != nil):
			return good, nil
		case err != nil:
			return good, fmt.Errorf("results %s, line %d: %w; delete that line to have its run executed again", r.path, number, err)
		}
		r.records[record.Hash] = record
		good += len(line) + 1
	}
	return good, nil
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

// add appends a record and waits until it is on disk.
func (r *Results) add(record Record) error {
	line, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("results: %v: %w", record.Run, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file == nil {
		panic("experiment: results opened for reading only")
	}
	if err := r.write(append(line, '\n')); err != nil {
		return fmt.Errorf("results: %w", err)
	}
	r.records[record.Hash] = record
	return nil
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

// Close ends writing and lets others write. It does nothing for results opened
// by Read.
func (r *Results) Close() error {
	if r.file == nil {
		return nil
	}
	err := r.file.Close()
	r.file = nil
	return errors.Join(err, r.lock.Unlock())
}
