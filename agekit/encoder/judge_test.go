package encoder_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	. "github.com/agekit/age/agekit/encoder"
	. "github.com/agekit/age/internal/modeltest"
	"github.com/agekit/age/internal/testutil"

	"gonum.org/v1/gonum/blas/blas32"
)

// nearest chooses the embedding in which the first two nodes are most similar
// (sign −1) or least similar (sign 1).
func nearest(name string, sign float64) *Judge {
	return &Judge{Name: name, Score: func(_ context.Context, z blas32.General) (float64, error) {
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

// TestJudge: the epoch with the lowest score is chosen, no clusters are computed
// and their number is not required, and training is the same as without a judge.
func TestJudge(t *testing.T) {
	g, c := SmallGraph(t), Small()
	plain := MustTrain(t, g, c, Options{}).Members[0]
	c.Clusters = 0
	result := MustTrain(t, g, c, Options{Judge: nearest("most alike", -1)})
	r := result.Members[0]
	lowest := r.Saved[0]
	for k, s := range r.Saved {
		if s.Score <= lowest.Score {
			lowest = s
		}
		if s.PosThreshold != plain.Saved[k].PosThreshold || r.Loss[s.Epoch-1] != plain.Loss[s.Epoch-1] {
			t.Errorf("training up to epoch %d differs from training without a judge", s.Epoch)
		}
		if s.DaviesBouldin != 0 {
			t.Errorf("epoch %d has Davies–Bouldin index %v, want none", s.Epoch, s.DaviesBouldin)
		}
	}
	if r.Epoch != lowest.Epoch || r.Score != lowest.Score || -alikeness(result.Embedding) != r.Score {
		t.Errorf("epoch %d with score %v (of the embedding: %v), want %d with %v", r.Epoch, r.Score, -alikeness(result.Embedding), lowest.Epoch, lowest.Score)
	}
	if result.Labels != nil {
		t.Error("there are clusters")
	}
}

// TestJudgeResumes: a run with a judge resumes from its checkpoint. A run with
// another judge or without one does not.
func TestJudgeResumes(t *testing.T) {
	g, c := SmallGraph(t), Small()
	o, other, without := Options{Judge: nearest("most alike", -1)}, Options{Judge: nearest("least alike", 1)}, Options{}
	want, wantOther, wantWithout := MustTrain(t, g, c, o), MustTrain(t, g, c, other), MustTrain(t, g, c, without)

	o.Checkpoints = StopAfter(t, g, c, o, 12)
	other.Checkpoints, without.Checkpoints = o.Checkpoints, o.Checkpoints
	SameResult(t, "another judge", MustTrain(t, g, c, other), wantOther)
	SameResult(t, "no judge", MustTrain(t, g, c, without), wantWithout)
	began := -1
	o.Progress = func(e Event) {
		if began < 0 {
			began = int(e.Done)
		}
	}
	SameResult(t, "resumed", MustTrain(t, g, c, o), want)
	if began != 12 {
		t.Errorf("stopped after epoch 12, resumed after epoch %d", began)
	}
}

func TestJudgeError(t *testing.T) {
	broken := errors.New("no validation edges")
	judge := &Judge{Name: "broken", Score: func(context.Context, blas32.General) (float64, error) { return 0, broken }}
	if _, err := Train(t.Context(), SmallGraph(t), Small(), Options{Judge: judge}); !errors.Is(err, broken) || !strings.Contains(err.Error(), "epoch 5") {
		t.Errorf("error %v, want the judge's with the epoch", err)
	}
	judge = &Judge{Name: "empty", Score: func(context.Context, blas32.General) (float64, error) { return math.NaN(), nil }}
	testutil.Value(Train(t.Context(), SmallGraph(t), Small(), Options{Judge: judge})).Fails(t, "the score from empty is not a number")
}
