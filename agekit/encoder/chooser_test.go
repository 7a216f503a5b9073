package encoder

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/backend"
	"gonum.org/v1/gonum/blas/blas32"
)

// nearest chooses the embedding in which the first two nodes are most alike
// (sign −1) or least (sign 1).
func nearest(name string, sign float64) *Chooser {
	return &Chooser{Name: name, Score: func(_ context.Context, z blas32.General) (float64, error) {
		return sign * alikeness(z), nil
	}}
}

func alikeness(z blas32.General) float64 {
	var s float64
	for c := range z.Cols {
		s += float64(z.Data[c]) * float64(z.Data[z.Stride+c])
	}
	return s
}

// TestChooser: the epoch with the lowest score is chosen, no clusters are
// looked for and none need be asked for, and the training is the same as
// without a chooser.
func TestChooser(t *testing.T) {
	g, c := smallGraph(t), smallConfig()
	plain := fit(t, g, c, Options{})
	c.Clusters, c.Choose = 0, nearest("most alike", -1)
	r := fit(t, g, c, Options{})
	lowest := r.Saved[0]
	for k, s := range r.Saved {
		if s.Score <= lowest.Score {
			lowest = s
		}
		if s.PosThreshold != plain.Saved[k].PosThreshold || r.Loss[s.Epoch-1] != plain.Loss[s.Epoch-1] {
			t.Errorf("epoch %d is trained in another way than without a chooser", s.Epoch)
		}
		if s.DaviesBouldin != 0 {
			t.Errorf("epoch %d has Davies–Bouldin index %v, want none", s.Epoch, s.DaviesBouldin)
		}
	}
	if r.Epoch != lowest.Epoch || r.Score != lowest.Score || -alikeness(r.Embedding) != r.Score {
		t.Errorf("epoch %d with score %v (of the embedding: %v), want %d with %v", r.Epoch, r.Score, -alikeness(r.Embedding), lowest.Epoch, lowest.Score)
	}
	if r.Labels != nil {
		t.Error("there are clusters")
	}
}

// TestChooserResumes: a run with a chooser goes on from its checkpoint, and
// neither one with another chooser nor one without does.
func TestChooserResumes(t *testing.T) {
	g, c := smallGraph(t), smallConfig()
	c.Choose = nearest("most alike", -1)
	other := c
	other.Choose = nearest("least alike", 1)
	without := c
	without.Choose = nil
	want, wantOther, wantWithout := fit(t, g, c, Options{}), fit(t, g, other, Options{}), fit(t, g, without, Options{})

	checkpoints := stopAfter(t, g, c, backend.Choice{}, 12)
	sameResult(t, "another chooser", fit(t, g, other, Options{Checkpoints: checkpoints}), wantOther)
	sameResult(t, "no chooser", fit(t, g, without, Options{Checkpoints: checkpoints}), wantWithout)
	began := -1
	sameResult(t, "resumed", fit(t, g, c, Options{Checkpoints: checkpoints, Progress: func(e Event) {
		if began < 0 {
			began = e.Epoch
		}
	}}), want)
	if began != 12 {
		t.Errorf("stopped after epoch 12, went on after epoch %d", began)
	}
}

func TestChooserError(t *testing.T) {
	c := smallConfig()
	broken := errors.New("no validation edges")
	c.Choose = &Chooser{Name: "broken", Score: func(context.Context, blas32.General) (float64, error) { return 0, broken }}
	if _, err := Fit(t.Context(), smallGraph(t), c, Options{}); !errors.Is(err, broken) || !strings.Contains(err.Error(), "epoch 5") {
		t.Errorf("error %v, want the chooser's with the epoch", err)
	}
	c.Choose = &Chooser{Name: "empty", Score: func(context.Context, blas32.General) (float64, error) { return math.NaN(), nil }}
	if _, err := Fit(t.Context(), smallGraph(t), c, Options{}); err == nil || !strings.Contains(err.Error(), "the score by empty is not a number") {
		t.Errorf("error %v, want one that names the chooser without a score", err)
	}
}
