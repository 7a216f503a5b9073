package run

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/explain"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/input/formats"
	"github.com/agekit/age/agekit/method"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/npy"
	"github.com/agekit/age/internal/provenance"
	"github.com/agekit/age/internal/readfile"
	"github.com/agekit/age/internal/store"
	"github.com/agekit/age/internal/system"
	"gonum.org/v1/gonum/blas/blas32"
)

// The names of the files in the folder of a run.
const (
	recordFile, nodesFile, modelFile       = "run.json", "nodes.csv", "model.npz"
	embeddingFile, clustersFile, linesFile = "embeddings.npy", "labels.txt", "log.txt"

	manifestName = "run" // of run.manifest.json
)

// Exports has the names of the further files that [Run.Save] can write, by the names of the exports.
var Exports = map[string]string{"parquet": "nodes.parquet", "graphml": "graph.graphml", "gexf": "graph.gexf"}

// fileNames returns the names of all files of a run with the given exports.
func fileNames(exported []string) []string {
	names := []string{embeddingFile, clustersFile, nodesFile, recordFile, modelFile, linesFile}
	for _, name := range exported {
		names = append(names, Exports[name])
	}
	return names
}

// Open opens the folder dir for the files of a run, including those of the named exports, and lists
// their paths. It creates the folder if necessary, and locks it: while it is open, no other process can
// write to it. It returns an error if a file that is there was not written by a run
// ([provenance.CheckReplaceable]), so that hours are not spent on computing what cannot be written.
func Open(ctx context.Context, dir string, exported ...string) (folder *atomicfile.Folder, paths []string, err error) {
	if err := checkExports(exported); err != nil {
		return nil, nil, err
	}
	if folder, err = atomicfile.LockFolder(dir); err != nil {
		return nil, nil, err
	}
	names := fileNames(exported)
	err = provenance.CheckReplaceable(ctx, dir, manifestName, names...)
	if err == nil {
		err = folder.Check(names...)
	}
	if err != nil {
		folder.Close()
		return nil, nil, err
	}
	for _, name := range append(names, manifestName+provenance.Extension) {
		paths = append(paths, filepath.Join(dir, name))
	}
	return folder, paths, nil
}

// checkExports returns an error if a name is not in Exports.
func checkExports(names []string) error {
	for _, name := range names {
		if Exports[name] == "" {
			return fmt.Errorf("unknown export %q: want %s", name, strings.Join(slices.Sorted(maps.Keys(Exports)), ", "))
		}
	}
	return nil
}

// Save writes run.json (the [Record]), nodes.csv (the user's columns with the results),
// labels.txt, log.txt and, if the run has them, embeddings.npy and model.npz, and the
// exports, and run.manifest.json, which says where they come from ([provenance.Manifest]). It
// writes all of them or, if it returns an error, none.
func (r *Run) Save(ctx context.Context, dir string, exported ...string) error {
	if err := checkExports(exported); err != nil {
		return err
	}
	folder, err := atomicfile.LockFolder(dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	return r.SaveTo(ctx, folder, exported...)
}

// SaveTo is [Run.Save] to a folder of [Open].
func (r *Run) SaveTo(ctx context.Context, folder *atomicfile.Folder, exported ...string) error {
	m := provenance.Manifest{
		Command: r.Command, Settings: r.Settings, Code: []string{system.ProgramVersion().Code()}, Backends: []string{r.Backend}, SIMD: []string{r.SIMD},
		Seeds: []uint64{r.Seed}, Graphs: map[string]string{r.Data.Graph.Name: r.Data.Graph.Fingerprint()}, Inputs: r.Inputs,
	}
	return m.Write(ctx, folder, manifestName, r.files(exported))
}

// files returns the functions that write the files of the run, by the files' names: those of the named
// exports and all others that the run has.
func (r *Run) files(exported []string) map[string]func(io.Writer) error {
	written := map[string]func(io.Writer) error{
		clustersFile: lines(r.Labels), linesFile: lines(r.Log),
		recordFile: func(w io.Writer) error {
			e := json.NewEncoder(w)
			e.SetIndent("", " ")
			return e.Encode(r.Record)
		},
	}
	for _, name := range []string{nodesFile, "nodes.parquet"} {
		written[name] = func(w io.Writer) error {
			write, err := table.Writer(name)
			if err != nil {
				return err
			}
			return write(w, r.Nodes())
		}
	}
	for _, name := range []string{"graph.graphml", "graph.gexf"} {
		written[name] = func(w io.Writer) error {
			write, err := formats.Writer(name)
			if err != nil {
				return err
			}
			return write(w, r.Nodes(), r.Data.Graph.Adjacency, r.layout())
		}
	}
	if r.Model != nil {
		written[modelFile] = r.Model.write
	}
	if r.embeds() {
		written[embeddingFile] = func(w io.Writer) error { return npy.WriteRows(w, r.rows()) }
	}
	wanted := fileNames(exported)
	maps.DeleteFunc(written, func(name string, _ func(io.Writer) error) bool { return !slices.Contains(wanted, name) })
	return written
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

// ownTable says how to read a nodes.csv that a run wrote: it always has a header, and its cells are taken
// as they are.
var ownTable = table.Options{Header: new(true), Verbatim: true}

// Files lists the files of a run that [Load] reads.
func Files(dir string) []string {
	return []string{filepath.Join(dir, recordFile), filepath.Join(dir, nodesFile), filepath.Join(dir, modelFile)}
}

// Load reads the record, the nodes and, if there is one, the model of a run that
// [Run.Save] wrote. Data has the table of the nodes with the results, and the model's
// graph. Errors name the file.
func Load(ctx context.Context, dir string) (*Run, error) {
	if err := atomicfile.FinishFolder(dir); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, recordFile)
	text, err := readfile.All(path, readfile.MostRecords)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s does not exist: want the folder of a run", message.ShortPath(path))
	}
	if err != nil {
		return nil, err
	}
	r := &Run{Data: &input.Data{}}
	if r.Record, err = readRecord(text); err != nil {
		return nil, fmt.Errorf("%s: %w", message.ShortPath(path), err)
	}
	if r.SchemaVersion != SchemaVersion {
		return nil, fmt.Errorf("%s: schema_version is %d: want %d", message.ShortPath(path), r.SchemaVersion, SchemaVersion)
	}
	if r.Data.Nodes, err = table.Read(ctx, filepath.Join(dir, nodesFile), ownTable); err != nil {
		return nil, err
	}
	if r.Data.Nodes.Rows != r.N {
		return nil, fmt.Errorf("%s has %d nodes, %s %d: want files of the same run", message.ShortPath(path), r.N, nodesFile, r.Data.Nodes.Rows)
	}
	if err := r.checkClusters(nodesFile, r.clustersOfTable()); err != nil {
		return nil, err
	}
	r.Model, err = LoadModel(ctx, filepath.Join(dir, modelFile))
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	r.Data.Graph = r.Model.Graph
	if err := r.checkClusters(modelFile, r.Model.Clusters); err != nil {
		return nil, err
	}
	if n := r.Model.Graph.N(); n != r.N {
		return nil, fmt.Errorf("%s has %d nodes, %s %d: want files of the same run", message.ShortPath(path), r.N, modelFile, n)
	}
	return r, nil
}

// clustersOfTable returns the clusters in the table of the nodes; nil if the table has none.
func (r *Run) clustersOfTable() (clusters []int) {
	k, err := r.Data.Nodes.Find(r.Columns.Cluster)
	if err != nil {
		return nil
	}
	for _, v := range r.Data.Nodes.Columns[k].Numbers {
		clusters = append(clusters, int(v))
	}
	return clusters
}

// checkClusters returns an error if clusters, those in the named file, are not those of the record: then
// the file belongs to another run.
func (r *Run) checkClusters(file string, clusters []int) error {
	if sum(clusters) != r.LabelsSHA256 {
		return fmt.Errorf("%s has other clusters than %s: want files of the same run", file, recordFile)
	}
	return nil
}

// sum returns the SHA-256, in hexadecimal, of the text of labels.txt with these clusters.
func sum(clusters []int) string {
	h := sha256.New()
	_ = lines(clusters)(h) // it returns no errors
	return hex.EncodeToString(h.Sum(nil))
}

// storedRun is what a store keeps of a run: all but its data. See Run for the fields.
type storedRun struct {
	Record            Record
	Labels            []int
	Result            *encoder.Result // without its embedding; nil for a method other than AGE
	Learned           learned         // of the model
	Centers           store.Matrix    // of the model
	Embedding, Layout store.Matrix
	Explanation       *explain.Explanation
	Earlier           []float64
	Levels            []Level
}

// key identifies in a store what Fit finds in the data d with these options.
func (o *Options) key(d *input.Data) store.Key {
	return store.NewKey("run", Version, encoder.Version, method.Version, d, o)
}

// Stored returns the run that the store s has of the same data and options; then hit is true. If it has
// none, Stored calls [Fit] and stores the run. Nil options are [Default]. The embedding is held in memory,
// whatever Options.Training.InBlocks says. A nil store keeps nothing, and no store keeps runs of
// Options.Own.
func Stored(ctx context.Context, s *store.Store, d *input.Data, o *Options) (r *Run, hit bool, err error) {
	whole := *cmp.Or(o, Default()) // the options with the whole embedding in memory
	whole.Training.InBlocks = false
	if whole.Own != nil {
		r, err = Fit(ctx, d, &whole)
		return r, false, err
	}
	k, hit, err := store.Cached(s, whole.key(d), func() (storedRun, error) {
		if r, err = Fit(ctx, d, &whole); err != nil {
			return storedRun{}, err
		}
		return r.stored(), nil
	})
	if err == nil && hit {
		r = k.run(d)
	}
	return r, hit, err
}

// stored returns what a store keeps of the run r.
func (r *Run) stored() storedRun {
	k := storedRun{
		Record: r.Record, Labels: r.Labels, Embedding: store.Matrix{General: r.Embedding}, Layout: store.Matrix{General: r.Layout},
		Explanation: r.Explanation, Earlier: r.earlier, Levels: r.Levels,
	}
	if r.Result != nil {
		result := *r.Result
		result.Embedding = blas32.General{}
		k.Result, k.Learned, k.Centers = &result, r.Model.About.learned, store.Matrix{General: r.Model.Centers}
	}
	return k
}

// run returns the run that was stored, of the data d. The checkpoints of its trainings are gone.
func (k storedRun) run(d *input.Data) *Run {
	r := &Run{
		Record: k.Record, Data: d, Embedding: k.Embedding.General, Labels: k.Labels, Layout: k.Layout.General,
		Explanation: k.Explanation, earlier: k.Earlier, Levels: k.Levels, discard: func() error { return nil },
	}
	if k.Result != nil {
		k.Result.Embedding = k.Embedding.General
		r.Result, r.Model = k.Result, newModel(d, k.Result, k.Learned, k.Centers.General, k.Record.Version)
	}
	r.table, r.Columns = r.nodes()
	return r
}
