package run

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/explain"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/recipe"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/npy"
	"github.com/agekit/age/internal/readfile"
	"gonum.org/v1/gonum/blas/blas32"
)

// Model is a trained encoder with what it needs for new nodes.
type Model struct {
	Encoder  *encoder.Encoder // embeds graphs with the same features
	About    about            // says how the model was made
	Graph    *graph.Graph     // the graph of the training, without labels; its NodeNames are the ids
	Clusters []int            // the cluster of each node of Graph
	// Centers has the center of each cluster, scaled to length 1, in the embedding or, if
	// About.Neighbors is true, in the rows of withNeighbors.
	Centers blas32.General
}

// about is what the model's file says in JSON.
type about struct {
	Version string `json:"version"` // of the program
	Name    string `json:"name"`    // of the graph
	learned
	input.Reading
}

// learned is what a model's file says of the training and its clusters.
type learned struct {
	Settings encoder.Config `json:"settings"` // of the training
	// Vote says that the old nodes nearest to a new node decide about its cluster, since many nodes
	// are not nearest to the center of their own cluster. Default: the nearest center decides, unless
	// the edges of new nodes lead to their nearest old ones (Reading.Nearest), which then decide.
	Vote bool `json:"vote,omitempty"`
	// Neighbors says that the nearest center is found by the rows of withNeighbors, in which the shares
	// of a node's neighbors in each cluster follow the embedding. Default: by the embedding.
	Neighbors bool `json:"neighbors,omitempty"`
	// Names has the name of each cluster ([explain.Cluster]), "" for one without; nil if none has one.
	Names []string `json:"names,omitempty"`
}

// newModel returns the model of the training r on the data d. found says what the training learned,
// centers has the centers of its clusters, and version is the program's.
func newModel(d *input.Data, r *encoder.Result, found learned, centers blas32.General, version string) *Model {
	g := *d.Graph
	g.Labels, g.ClassNames, g.Classes = nil, nil, 0
	return &Model{
		Encoder: r.Encoder, About: about{Version: version, Name: g.Name, learned: found, Reading: d.Reading},
		Graph: &g, Clusters: r.Labels, Centers: centers,
	}
}

// Predicted is what a [Model] finds of new nodes.
type Predicted struct {
	IDs       []string       // the id of each new node or, without ids, its number, after those of the old nodes
	Embedding blas32.General // a row for each new node
	// Clusters, Second and Confidence are those of [explain.Assign].
	Clusters, Second []int
	Confidence       []float64
	Names            []string // of the model's clusters, as in nodes.csv of the training; nil if none has one
	// Notes and Warnings are sentences for the user.
	Notes    []string
	Warnings []table.Warning
}

// Predict embeds the nodes that [input.Extend] reads from new, and finds their clusters. It smooths
// their features over their edges, to old nodes and among new ones, and encodes them
// ([encoder.Encoder.EmbedNew]). If alone is true, there are only edges among the new nodes. Old nodes
// keep their clusters, and a new node's result does not depend on new nodes to which no edges lead
// from it.
//
// It returns an error for an id that an old node has, for missing columns or features, for an edge that
// leads to neither an old node nor a new one, and when ctx is done.
func (m *Model) Predict(ctx context.Context, new input.Source, alone bool) (*Predicted, error) {
	old := m.Graph
	if alone { // an old graph without nodes
		_, f := old.Features.Dims()
		old = &graph.Graph{
			Name: old.Name, FeatureNames: old.FeatureNames,
			Adjacency: &graph.CSR{Indptr: []int{0}}, Features: graph.Features{Sparse: &graph.CSR{Cols: f, Indptr: []int{0}}},
		}
	}
	g, notes, warnings, err := input.Extend(ctx, old, m.About.Reading, new)
	if err != nil {
		return nil, err
	}
	first := old.N() // the first new node in g
	z, err := m.Encoder.EmbedNew(ctx, g, first)
	if err != nil {
		return nil, err
	}
	p := &Predicted{IDs: g.NodeNames[first:], Embedding: z, Names: m.About.Names, Notes: notes, Warnings: warnings}
	if m.About.Neighbors {
		z = m.withNeighbors(z, g, first)
	}
	p.Clusters, p.Second, p.Confidence = explain.Assign(z, m.Centers)
	if m.votes() && z.Rows > 0 {
		err = m.vote(ctx, z, g, first, p)
	}
	return p, err
}

// Table returns the table of agekit predict: the ids, the clusters with their names and the confidence, in the form
// of nodes.csv ([Run.Nodes]), and the second-best clusters.
func (p *Predicted) Table() *table.Table {
	t := explain.Table{Table: &table.Table{Rows: len(p.IDs), Columns: []table.Column{table.NewWords("id", p.IDs)}}}
	t.AddClusters(p.Clusters, p.Names)
	t.AddNumbers(recipe.ConfidenceColumn, p.Confidence)
	t.Add(table.NewNumbers(recipe.SecondColumn, p.Second))
	return t.Table
}

// The model's arrays, beside the encoder's. Text is UTF-8.
const (
	arrayAbout    = encoder.ModelPrefix + "about"    // JSON, see about
	arrayIDs      = encoder.ModelPrefix + "ids"      // JSON, a list
	arrayClusters = encoder.ModelPrefix + "clusters" // integers
	arrayCenters  = encoder.ModelPrefix + "centers"  // k×d
	prefixEdges   = encoder.ModelPrefix + "adj_"     // CSR: data, indices, indptr, shape
	prefixX       = encoder.ModelPrefix + "attr_"    // CSR
	arrayX        = encoder.ModelPrefix + "attr"     // n×f, in place of them if X is dense
)

// write writes the model in NumPy's .npz format: the arrays of [encoder.Encoder.Save]
// and others whose names begin with "model_".
func (m *Model) write(w io.Writer) error {
	about, err := json.Marshal(m.About)
	if err != nil {
		return err
	}
	arrays, err := m.Encoder.Arrays()
	if err != nil {
		return err
	}
	arrays = append(arrays, npy.NamedArray{Name: arrayAbout, Value: about}, npy.NamedArray{Name: arrayClusters, Value: m.Clusters}, npy.NamedArray{Name: arrayCenters, Value: m.Centers})
	if m.Graph.NodeNames != nil {
		ids, err := json.Marshal(m.Graph.NodeNames)
		if err != nil {
			return err
		}
		arrays = append(arrays, npy.NamedArray{Name: arrayIDs, Value: ids})
	}
	x := npy.NamedArray{Name: prefixX, Value: m.Graph.Features.Sparse}
	if dense := m.Graph.Features.Dense; dense != nil {
		x = npy.NamedArray{Name: arrayX, Value: *dense}
	}
	return npy.WriteArchive(w, append(arrays, npy.NamedArray{Name: prefixEdges, Value: m.Graph.Adjacency}, x)...)
}

// LoadModel reads the model.npz that [Run.Save] wrote. Errors name the file and what is
// wrong with it.
func LoadModel(ctx context.Context, path string) (m *Model, err error) {
	f, size, err := readfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	defer func() {
		if err != nil {
			m, err = nil, fmt.Errorf("%s: %w", path, err)
		}
	}()
	archive, err := npy.OpenArchive(f, size)
	if err != nil {
		return nil, err
	}
	if !archive.Has(arrayAbout) {
		return nil, fmt.Errorf("has no array %s: want a model of `agekit fit --out`", arrayAbout)
	}
	m = &Model{Graph: &graph.Graph{}}
	if m.Encoder, err = encoder.FromArchive(archive); err != nil {
		return nil, err
	}
	var errs [6]error // of which the first is returned
	errs[0] = jsonArray(archive, arrayAbout, &m.About)
	if archive.Has(arrayIDs) {
		errs[1] = jsonArray(archive, arrayIDs, &m.Graph.NodeNames)
	}
	m.Graph.Adjacency, errs[2] = archive.Sparse(prefixEdges)
	if archive.Has(arrayX) {
		m.Graph.Features.Dense = &blas32.General{}
		*m.Graph.Features.Dense, errs[3] = archive.Matrix(arrayX)
	} else {
		m.Graph.Features.Sparse, errs[3] = archive.Sparse(prefixX)
	}
	m.Centers, errs[4] = archive.Matrix(arrayCenters)
	const anyLength = -1
	clusters, err := npy.ArchiveValues[int64](archive, arrayClusters, anyLength)
	errs[5] = err
	if err := cmp.Or(errs[:]...); err != nil {
		return nil, err
	}
	m.Graph.Name, m.Graph.FeatureNames = m.About.Name, m.Encoder.FeatureNames
	for _, c := range clusters {
		m.Clusters = append(m.Clusters, int(c))
	}
	return m, cmp.Or(m.validate(), ctx.Err())
}

// settingsFit reports whether the settings of the training, of which 0 is a default, are those of the encoder:
// a run that starts from this one would make as many encoders, as wide as they say.
func (m *Model) settingsFit() bool {
	s, weights := m.About.Settings, m.Encoder.Weights
	return cmp.Or(s.Members, 1) == len(weights) && (s.Dims == 0 || s.Dims == weights[0].W.Cols)
}

// jsonArray parses the JSON text in the archive's array of that name into dst, a pointer.
func jsonArray(archive *npy.Archive, name string, dst any) error {
	text, err := archive.Text(name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(text), dst); err != nil {
		return fmt.Errorf("array %s: %w", name, err)
	}
	return nil
}

// validate checks that the parts of a model fit together.
func (m *Model) validate() error {
	n, k := m.Graph.N(), m.Centers.Rows
	_, f := m.Graph.Features.Dims()
	width := 0 // of the embedding, with the shares of the neighbors if the centers have them
	for _, w := range m.Encoder.Weights {
		width += w.W.Cols
	}
	if len(m.Encoder.Weights) == 0 { // the embedding is the smoothed features
		width = m.Encoder.Features
	}
	if m.About.Neighbors {
		width += k
	}
	switch {
	case len(m.Clusters) != n:
		return fmt.Errorf("array %s: %d values, want %d, one for each node", arrayClusters, len(m.Clusters), n)
	case m.Graph.NodeNames != nil && len(m.Graph.NodeNames) != n:
		return fmt.Errorf("array %s: %d ids, want %d, one for each node", arrayIDs, len(m.Graph.NodeNames), n)
	case f != m.Encoder.Features:
		return fmt.Errorf("arrays %s…: %d features, want %d, as the encoder has", arrayX, f, m.Encoder.Features)
	case m.Centers.Cols != width || k == 0:
		return fmt.Errorf("array %s: %d×%d, want centers of length %d", arrayCenters, k, m.Centers.Cols, width)
	case slices.ContainsFunc(m.Centers.Data, func(v float32) bool { return v-v != 0 }): // ±Inf or NaN
		return fmt.Errorf("array %s: a value is not finite", arrayCenters)
	case m.About.Names != nil && len(m.About.Names) != k:
		return fmt.Errorf("array %s: %d names, want %d, one for each cluster", arrayAbout, len(m.About.Names), k)
	case m.About.Nearest < 0 || m.About.Nearest > 0 && m.About.Nearest >= n:
		return fmt.Errorf("array %s: nearest is %d: want at most %d, since there are %d nodes", arrayAbout, m.About.Nearest, max(0, n-1), n)
	case m.About.Settings.Epochs != 0 && !m.settingsFit():
		return fmt.Errorf("array %s: settings of %d encoders with %d dims: want those of the encoder in the file", arrayAbout, m.About.Settings.Members, m.About.Settings.Dims)
	case m.About.Recipe != nil && m.About.Recipe.Validate() != nil:
		return fmt.Errorf("array %s: %w", arrayAbout, m.About.Recipe.Validate())
	case m.About.Recipe != nil && m.About.Recipe.Width() > f:
		return fmt.Errorf("array %s: a recipe of %d features for %d", arrayAbout, m.About.Recipe.Width(), f)
	}
	for i, c := range m.Clusters {
		if c < 0 || c >= k {
			return fmt.Errorf("array %s: node %d is in cluster %d, want 0 to %d", arrayClusters, i, c, k-1)
		}
	}
	return m.Graph.Validate()
}
