package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/agekit/age/agekit/auto"
	"github.com/agekit/age/agekit/baseline"
	"github.com/agekit/age/agekit/explain"
	"github.com/agekit/age/agekit/metric"
)

// Fit is what `agekit fit --json` prints.
type Fit struct {
	Dataset   string  `json:"dataset"`
	N         int     `json:"n"`
	Edges     int     `json:"edges"`
	Features  int     `json:"features"`
	LambdaMax float64 `json:"lambda_max"`
	K         float64 `json:"k"`
	Layers    int     `json:"layers"`
	metric.Scores
	DBI float64 `json:"dbi"`
	// Epoch is that of the first training if there are several, and 0 if there is
	// none.
	Epoch        int               `json:"epoch"`
	AllEpochs    []int             `json:"member_epochs,omitempty"`
	Clusterings  int               `json:"clusterings,omitempty"`
	Epochs       int               `json:"epochs"`
	Loss         string            `json:"loss"`
	Scaling      string            `json:"scaling"`
	Ranking      string            `json:"ranking"`
	Seconds      Seconds           `json:"seconds"`
	PeakRSSBytes int64             `json:"peak_rss_bytes"`
	Backend      string            `json:"backend"`
	SIMD         string            `json:"simd"`
	Programs     int               `json:"programs,omitempty"`
	Seed         uint64            `json:"seed"`
	Clusters     []Cluster         `json:"clusters"`
	Tree         []explain.Join    `json:"tree,omitempty"`
	Measures     auto.Measures     `json:"measures"`
	Simple       []baseline.Simple `json:"baselines,omitempty"`
	// Verdict says whether training helped, compared with the simple methods.
	Verdict string      `json:"verdict,omitempty"`
	Auto    *auto.Tried `json:"auto,omitempty"`
	// Named says that the features have names.
	Named bool `json:"named_features"`
}

// Seconds are the wall-clock times of a run's stages. Compile is included in the
// others.
type Seconds struct {
	Load    float64 `json:"load"`
	Filter  float64 `json:"filter"`
	Select  float64 `json:"select"`
	Train   float64 `json:"train"`
	Cluster float64 `json:"cluster"`
	Compile float64 `json:"compile,omitempty"`
	Total   float64 `json:"total"`
}

// Cluster describes a cluster, as [explain.Cluster] does, with the names of features
// and nodes, and with numbers in the user's units.
type Cluster struct {
	Cluster   int                `json:"cluster"`
	Size      int                `json:"size"`
	Cohesion  float64            `json:"cohesion"`
	Inside    float64            `json:"edges_inside"`
	Features  []Feature          `json:"features,omitempty"`
	Central   []string           `json:"central"`
	Neighbors []explain.Neighbor `json:"neighbors,omitempty"`
}

// Feature sets a cluster apart. Lift is nil if no other node has the feature.
type Feature struct {
	Name     string   `json:"name"`
	Inside   float64  `json:"inside"`
	Outside  float64  `json:"outside"`
	Binary   bool     `json:"binary"`
	Lift     *float64 `json:"lift"`
	Strength float64  `json:"strength"`
}

// Run is what the file run.json of `agekit fit --out` holds.
type Run struct {
	Version string `json:"version"`
	Fit     Fit    `json:"fit"`
	// Columns are the names of the columns of nodes.csv that the page needs.
	Columns Columns `json:"columns"`
	// Training has the curves of each training.
	Training []Training `json:"training,omitempty"`
}

// Columns are names of columns of nodes.csv; empty ones do not exist.
type Columns struct {
	ID         string `json:"id"`
	Cluster    string `json:"cluster"`
	Confidence string `json:"confidence,omitempty"`
	Outlier    string `json:"outlier,omitempty"`
	X          string `json:"x,omitempty"`
	Y          string `json:"y,omitempty"`
	Class      string `json:"class,omitempty"`
}

// Training has the mean loss of each epoch, and the Davies–Bouldin index after some.
type Training struct {
	Loss   []float64 `json:"loss"`
	Epochs []int     `json:"epochs"`
	DBI    []float64 `json:"dbi"`
	Chosen int       `json:"chosen"`
}

// Short describes a feature in a few words.
func (f Feature) Short() string {
	switch {
	case !f.Binary:
		return fmt.Sprintf("%s %s (others %s)", f.Name, shortNumber(f.Inside), shortNumber(f.Outside))
	case f.Strength < 0:
		return fmt.Sprintf("rarely %s (%.0f %%, others %.0f %%)", f.Name, 100*f.Inside, 100*f.Outside)
	}
	return fmt.Sprintf("%s (%.0f %%, others %.0f %%)", f.Name, 100*f.Inside, 100*f.Outside)
}

// shortNumber writes a number with three digits, or more if it is large.
func shortNumber(v float64) string {
	digits := 2
	if size := math.Abs(v); size >= 1 {
		digits = max(0, 2-int(math.Log10(size)))
	}
	return strings.Replace(strconv.FormatFloat(v, 'f', digits, 64), "-", "−", 1)
}
