package encoder

import (
	"bytes"
	"encoding/gob"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/store"
)

// checkpoint is all that a run needs to go on after epoch Epoch to the same
// result as if it had not stopped. Random numbers are not in it: each epoch
// draws from a stream of its own. The pairs are not either: they follow from
// the weights at their selection.
type checkpoint struct {
	Epoch    int
	State    *State
	Selected *Weights // weights at the last selection; nil before the second one
	Best     *Weights // weights at the best epoch so far; nil when none was saved
	Result   Result   // what is known so far, without the embedding
}

// checkpointKey identifies a run: the graph, the settings as they are used,
// the backend, and the version of what is computed from them.
func checkpointKey(g *graph.Graph, c Config, backendName string) store.Key {
	c = c.withDefaults()
	c.Mode = c.Mode.For(g.N())
	return store.NewKey("encoder checkpoint", 1, g.Fingerprint(), c, backendName)
}

// Discard removes the checkpoint that Fit left for a run on the backend of the
// given name, once its result is safe. A run without one is no error.
func Discard(s *store.Store, g *graph.Graph, c Config, backendName string) error {
	return store.Remove[checkpoint](s, checkpointKey(g, c, backendName))
}

// storedWeights is the form in which weights are kept.
type storedWeights struct{ W, B store.Matrix }

// GobEncode writes the weights as plain numbers.
func (w Weights) GobEncode() ([]byte, error) {
	bias := w.W
	bias.Rows, bias.Data, bias.Cols, bias.Stride = 1, w.B, len(w.B), len(w.B)
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(storedWeights{store.Matrix{General: w.W}, store.Matrix{General: bias}})
	return b.Bytes(), err
}

// GobDecode reads what GobEncode wrote.
func (w *Weights) GobDecode(data []byte) error {
	var s storedWeights
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&s); err != nil {
		return err
	}
	w.W, w.B = s.W.General, s.B.Data
	return nil
}
