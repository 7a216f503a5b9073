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

// nearest returns a judge of that name, which chooses the embedding in which the first two nodes
// are most similar (sign −1) or least similar (sign 1): its score is their similarity times sign.
func nearest(name string, sign float64) *Judge {
	return &Judge{Name: name, Score: func(_ context.Context, z blas32.General) (float64, error) {
		return sign * alikeness(z), nil
	}}
}

// alikeness returns the dot product of the first two rows of z.
func alikeness(z blas32.General) float64 {
	var s float64
	for c := range z.Cols {
		s += float64(z.Data[c]) * float64(z.Data[z.Stride+c])
	}
	return s
}

// TestJudge: with a judge, the saved epoch with the lowest score is chosen, and the result's
// embedding has that score. There are no clusters and no index, and their number is not required.
// Losses and thresholds are those of a training without a judge.
func TestJudge(t *testing.T) {
	g, c := SmallGraph(t), Small()
	plain := MustTrain(t, g, c, Options{}).Members[0]
	c.Clusters = 0
	result := MustTrain(t, g, c, Options{Judge: nearest("most alike", -1)})
	r := result.Members[0]
	lowest := r.Saved[0] // the latest one of the lowest score
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
	if r.Epoch != lowest.Epoch || r.Score != lowest.Score {
		t.Errorf("epoch %d with score %v, want %d with %v", r.Epoch, r.Score, lowest.Epoch, lowest.Score)
	}
	if score := -alikeness(result.Embedding); score != r.Score {
		t.Errorf("the embedding has score %v, want %v", score, r.Score)
	}
	if result.Labels != nil {
		t.Error("there are clusters")
	}
}

// TestJudgeResumes: a run with a judge that was stopped after epoch 12 resumes there and gives the
// bytes of an uninterrupted one. With its checkpoint at hand, a run with another judge and one
// without give the bytes that they give without the checkpoint.
func TestJudgeResumes(t *testing.T) {
	g, c := SmallGraph(t), Small()
	o, other, without := Options{Judge: nearest("most alike", -1)}, Options{Judge: nearest("least alike", 1)}, Options{}
	want, wantOther, wantWithout := MustTrain(t, g, c, o), MustTrain(t, g, c, other), MustTrain(t, g, c, without)

	const stop = 12
	o.Checkpoints = StopAfter(t, g, c, o, stop)
	other.Checkpoints, without.Checkpoints = o.Checkpoints, o.Checkpoints
	SameResult(t, "another judge", MustTrain(t, g, c, other), wantOther)
	SameResult(t, "no judge", MustTrain(t, g, c, without), wantWithout)
	began := -1 // epochs done at the first event
	o.Progress = func(e Event) {
		if began < 0 {
			began = int(e.Done)
		}
	}
	SameResult(t, "resumed", MustTrain(t, g, c, o), want)
	if began != stop {
		t.Errorf("stopped after epoch %d, resumed after epoch %d", stop, began)
	}
}

// TestJudgeError: an error of a judge ends the training, with the first saved epoch in its text, and
// so does a score that is NaN.
func TestJudgeError(t *testing.T) {
	broken := errors.New("no validation edges")
	judge := &Judge{Name: "broken", Score: func(context.Context, blas32.General) (float64, error) { return 0, broken }}
	_, err := Train(t.Context(), SmallGraph(t), Small(), Options{Judge: judge})
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "epoch 5") {
		t.Errorf("error %v, want the judge's with the epoch", err)
	}
	judge = &Judge{Name: "empty", Score: func(context.Context, blas32.General) (float64, error) { return math.NaN(), nil }}
	testutil.Value(Train(t.Context(), SmallGraph(t), Small(), Options{Judge: judge})).Fails(t, "the score from empty is not a number")
}
