package reproduce

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/method"
	"github.com/agekit/age/agekit/pairs"
)

// The tasks of runs.
const (
	// Spectrum finds the eigenvalues of L̃sym (figure 4).
	Spectrum = "spectrum"
	// Clustering clusters the nodes by a method (tables 2 and 4, figures 3 and 5).
	Clustering = "clustering"
	// Links predicts edges that were held out of the training (table 3).
	Links = "links"

	statisticsTask = "statistics" // counts nodes, edges and features (table 1)
	mapTask        = "map"        // embeds a method's embedding in the plane by t-SNE (figure 6)
)

// Mode selects among choices on which the paper and its published code differ,
// or that the paper leaves open. Every result names its mode.
type Mode string

const (
	// Paper follows the paper's text and, where that is silent, the published code: the
	// loss takes the cosine s itself as the probability, and spectral embeddings are
	// scaled as for a random walk.
	Paper Mode = "paper"
	// Code follows the published code to the letter: s is a logit in the loss, and
	// spectral embeddings are multiplied by √degree, as scikit-learn 0.21 did.
	Code Mode = "code"
	// Best is the paper mode with changes that give AGE better clusters without labels,
	// the same for every data set: one step per epoch, and three trainings whose
	// embeddings are concatenated (docs/best-mode.md). Other methods are as in paper mode.
	Best Mode = "best"
	// Published is the protocol of each other method's own public code, where it differs
	// from the same race for all (see method.Settings).
	Published Mode = "published"
)

// Modes lists the modes.
func Modes() []Mode { return []Mode{Paper, Code, Best, Published} }

// has reports whether the named method can run in the mode: in Published, only one with a published mode of
// its own.
func (m Mode) has(name string) bool {
	info, _ := method.Find(name)
	return m != Published || info.Published
}

// modeName returns what tables call r's mode. For AGE, its ablation and the paper's other variants it is
// the run's mode. Other methods do the same in paper and in best mode, which is called "fair".
func (r Run) modeName() string {
	m, known := method.Find(r.Method)
	if known && !m.Variant && !m.AGE && (r.Mode == Paper || r.Mode == Best) {
		return "fair"
	}
	return string(r.Mode)
}

// Run is one job, fully identified by its fields. Fields that do not apply to
// the task are zero.
type Run struct {
	Task    string `json:"task"`             // what the run does, such as [Clustering]
	Dataset string `json:"dataset"`          // a name that package dataset knows
	Method  string `json:"method,omitempty"` // a name that [method.Names] lists
	Mode    Mode   `json:"mode,omitempty"`
	// K is the filter's k: 0 means the mode's, 2/3 (§4.3), and
	// [laplacian.InverseLambdaMax] means 1/λmax.
	K float64 `json:"k,omitempty"`
	// Layers is the number of filter layers: 0 means table 5's.
	Layers int `json:"layers,omitempty"`
	// Thresholds are AGE's: the zero value means table 5's.
	Thresholds pairs.Thresholds `json:"thresholds,omitzero"`
	Seed       uint64           `json:"seed,omitempty"`
	// Quick shortens the run, to check that everything works.
	Quick bool `json:"quick,omitempty"`
}

// String describes r in a few words.
func (r Run) String() string {
	words := []string{r.Task, r.Dataset}
	if r.Method != "" {
		words = append(words, r.Method, string(r.Mode)+" mode")
	}
	switch {
	case r.K == laplacian.InverseLambdaMax:
		words = append(words, "k = 1/λmax")
	case r.K != 0:
		words = append(words, fmt.Sprintf("k = %.3g", r.K))
	}
	if r.Layers != 0 {
		words = append(words, fmt.Sprintf("t = %d", r.Layers))
	}
	if r.Thresholds != (pairs.Thresholds{}) {
		name, value := r.change()
		words = append(words, fmt.Sprintf("%s = %.3g", name, value))
	}
	if r.Seed != 0 {
		words = append(words, fmt.Sprintf("seed %d", r.Seed))
	}
	return strings.Join(words, ", ")
}

// epochs returns the number of epochs of the run: full or, if it is shortened, a few.
func (r Run) epochs(full int) int {
	switch {
	case !r.Quick:
		return full
	case r.Dataset == "pubmed": // an epoch takes ten seconds
		return 4
	}
	return 40
}

// resultVersion grows when the same run and settings start to give different results, so
// that stored runs are executed again.
const resultVersion = 1

// Hash identifies r with all its settings filled in, as 16 hexadecimal digits. It leaves out
// the backend and the code version: a run executed on one is not executed again on another.
// Files of results have it, so unlike keys of a store it must stay the same.
func (r Run) Hash() (hash string, settings json.RawMessage, err error) {
	var all any // settings that the result depends on
	if r.Method != "" {
		m, err := r.method()
		if err != nil {
			return "", nil, err
		}
		all = map[string]any{"method": m, "scaling": r.Mode.scaling()}
	}
	settings, err = json.Marshal(all)
	if err != nil {
		return "", nil, fmt.Errorf("settings of %v: %w", r, err)
	}
	sum := sha256.New()
	kinds := []string{"string", "int", "experiment.Run", "json.RawMessage"} // as stored results have them
	for i, part := range []any{"experiment", resultVersion, r, settings} {
		text, err := json.Marshal(part)
		if err != nil {
			return "", nil, fmt.Errorf("settings of %v: %w", r, err)
		}
		fmt.Fprintf(sum, "%s %d\n%s\n", kinds[i], len(text), text)
	}
	return hex.EncodeToString(sum.Sum(nil))[:16], settings, nil
}
