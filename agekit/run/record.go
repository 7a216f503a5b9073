package run

import (
	"fmt"
	"slices"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/explain"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/views"
)

// SchemaVersion is that of docs/run.schema.json: it grows when a field goes away or changes
// its meaning.
const SchemaVersion = 2

// Record is what run.json holds and `agekit fit --json` prints: all but each node's results.
type Record struct {
	// SchemaVersion is that of docs/run.schema.json.
	SchemaVersion int    `json:"schema_version"`
	Version       string `json:"version"` // the program's
	// Settings are the flags of agekit fit that make such a run, by their names: those that
	// were given, and the seed. Nil for a run that was not made by the program.
	Settings map[string]any `json:"settings,omitempty"`
	// Method is "AGE" or the name of another method, and Mode how that one ran: "fair"
	// or "published".
	Method string `json:"method"`
	Mode   string `json:"mode,omitempty"`
	Graph
	metric.Scores
	// Training is nil for methods other than AGE; these have Reported.
	*Training
	Reported map[string]float64 `json:"measures_of_method,omitempty"`
	// View is the way to see the graph that the clusters are of; "" for methods other than AGE.
	View views.Name `json:"view,omitempty"`
	// Measures are those of the clusters.
	Measures explain.Measures `json:"measures"`
	// NClusters is the number of clusters that were found.
	NClusters int `json:"n_clusters"`
	// Clusters has an entry for each cluster, and Tree joins them; both are nil without an
	// explanation, as without an embedding.
	Clusters []explain.Cluster `json:"clusters"`
	Tree     []explain.Join    `json:"tree,omitempty"`
	// Views are the ways to see the graph that were computed, that of View among them.
	Views []explain.View `json:"views,omitempty"`
	// Agreement is the adjusted Rand index of the clusters by features and by edges; nil if
	// there are not both.
	Agreement *float64 `json:"agreement,omitempty"`
	// Number is the useful number of clusters that was found; nil if the number was given.
	Number *views.Number `json:"number,omitempty"`
	// Little says that the clusters tell no more than clusters of data without groups; Summary says
	// in sentences what was found.
	Little  bool   `json:"little_found"`
	Summary string `json:"summary,omitempty"`
	// Notes say how the data was read, and Warnings what was left out or changed.
	Notes    []string `json:"notes,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	// From says what changed since the run that this one started from; nil if there is none.
	From *Change `json:"from,omitempty"`
	// Columns are the names of the columns of nodes.csv that hold results.
	Columns Columns `json:"columns"`
	// LabelsSHA256 is the checksum of labels.txt, the clusters: files with others belong
	// to another run.
	LabelsSHA256 string `json:"labels_sha256"`
	Machine
}

// Graph describes the data of a run.
type Graph struct {
	Dataset  string `json:"dataset"`
	N        int    `json:"n"`
	Edges    int    `json:"edges"`
	Features int    `json:"features"`
	Named    bool   `json:"named_features"` // the features have names
	// Components is the number of connected components, Isolated of nodes without an
	// edge, and Empty of nodes whose features are all 0.
	Components int  `json:"components"`
	Isolated   int  `json:"isolated"`
	Empty      int  `json:"without_features"`
	Weighted   bool `json:"weighted"` // the edges' weights differ
}

// describe returns the description of g for the record.
func describe(g *graph.Graph) Graph {
	s := g.Stats()
	w := g.Adjacency.Values
	return Graph{
		Dataset: g.Name, N: s.Nodes, Edges: s.Edges, Features: s.Features, Named: g.FeatureNames != nil,
		Components: s.Components, Isolated: s.Isolated, Empty: s.ZeroRows,
		Weighted: len(w) > 0 && slices.Min(w) < slices.Max(w),
	}
}

// About describes the graph in a line: its sizes, and what is special about its weights, components
// and nodes.
func (g Graph) About() string {
	text := counted(g.N, "node") + ", " + counted(g.Edges, "edge") + ", " + counted(g.Features, "feature")
	if g.Weighted {
		text += ", edges with weights"
	}
	if g.Components > 1 && g.Edges > 0 {
		text += "; " + counted(g.Components, "connected component")
	}
	if g.Isolated > 0 {
		text += "; " + counted(g.Isolated, "node") + " without edges"
	}
	if g.Empty > 0 && g.Features > 0 {
		text += "; " + counted(g.Empty, "node") + " without features"
	}
	if 2*g.Isolated > g.N && g.Edges > 0 { // most nodes have no edges
		text += "; features decide about most nodes"
	}
	return text
}

// counted returns the count and the noun what, in the plural unless the count is 1: "3 nodes".
func counted(count int, what string) string {
	if count == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", count, what)
}

// Training describes the training of AGE.
type Training struct {
	LambdaMax float64 `json:"lambda_max"`
	K         float64 `json:"k"`
	Layers    int     `json:"layers"`
	DBI       float64 `json:"dbi"`
	// Epoch is the epoch whose embedding was chosen, in the first training if there are several.
	// Without a training it is 0, and the embedding is the smoothed features.
	Epoch       int    `json:"epoch"`
	AllEpochs   []int  `json:"member_epochs,omitempty"`
	Clusterings int    `json:"clusterings,omitempty"`
	Epochs      int    `json:"epochs"`
	Loss        string `json:"loss"`
	Scaling     string `json:"scaling"`
	Ranking     string `json:"ranking"`
	// Sample is the number of nodes on which the encoder was trained; 0 for all.
	Sample   int     `json:"sample,omitempty"`
	Programs int     `json:"programs,omitempty"`
	Curves   []Curve `json:"training,omitempty"`
}

// Trained reports whether there was a training.
func (t *Training) Trained() bool { return t != nil && len(t.Curves) > 0 }

// Curve has the mean loss of each epoch of a training, and the Davies–Bouldin index
// after some.
type Curve struct {
	Loss   []float64 `json:"loss"`
	Epochs []int     `json:"epochs"`
	DBI    []float64 `json:"dbi"`
	Chosen int       `json:"chosen"`
}

// Machine says what a run ran on, and how long it took.
type Machine struct {
	Backend      string  `json:"backend"`
	SIMD         string  `json:"simd"`
	Seed         uint64  `json:"seed"`
	Seconds      Seconds `json:"seconds"`
	PeakRSSBytes int64   `json:"peak_rss_bytes"`
}

// Seconds are the wall-clock times of a run's stages. Cluster and Compile overlap with others.
// Fit is the time of a method other than AGE.
type Seconds struct {
	Load float64 `json:"load"`
	encoder.Seconds
	Fit   float64 `json:"fit,omitempty"`
	Total float64 `json:"total"`
}

// Columns are names of columns of nodes.csv; empty ones do not exist.
type Columns struct {
	ID         string `json:"id"`
	Cluster    string `json:"cluster"`
	Name       string `json:"cluster_name,omitempty"` // if a cluster has one
	Confidence string `json:"confidence,omitempty"`
	Outlier    string `json:"outlier,omitempty"`
	// Views have the clusters of each of the Views, and Levels of half and twice as many.
	Views  []string `json:"views,omitempty"`
	Levels []string `json:"levels,omitempty"`
	// Earlier has the clusters of the run that this one started from, empty for new nodes.
	Earlier string `json:"earlier,omitempty"`
	X       string `json:"x,omitempty"`
	Y       string `json:"y,omitempty"`
	Class   string `json:"class,omitempty"`
}
