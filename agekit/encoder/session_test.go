package encoder_test

import (
	"slices"
	"testing"

	. "github.com/agekit/age/agekit/encoder"
	. "github.com/agekit/age/internal/modeltest"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
)

// TestSession: a session that trains epoch by epoch ends with the losses, saved epochs, clusters
// and embedding of Fit, to the byte: from the beginning, and from the states after epochs 0, 3, 5
// and 11, of which 5 is right after an update. With another learning rate from a state on, only
// later losses change. A session of two members is an error.
func TestSession(t *testing.T) {
	g, c := SmallGraph(t), Small()
	c.Epochs = 12 // saved after 5, 10 and 12
	o := Options{Filter: c.Filter, Config: c.Config}
	want := MustTrain(t, g, c, Options{})
	input := testutil.Value(Prepare(t.Context(), g, o)).OrFatal(t)
	defer input.Close()
	var states []*State // after each epoch, of the session from the beginning
	// run trains a session to the end, from a state or, if that is nil, from the beginning.
	run := func(o Options, from *State) *Session {
		t.Helper()
		planned := testutil.Value(o.Plan(g)).OrFatal(t)
		s := testutil.Value(planned.Start(t.Context(), input, from)).OrFatal(t)
		t.Cleanup(s.Close)
		for !s.Done {
			if from == nil {
				state := testutil.Value(s.State()).OrFatal(t)
				states = append(states, state)
			}
			e, err := s.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			epoch := int(e.Done)
			saves := epoch%c.UpdateEvery == 0 || epoch == c.Epochs
			if saved := len(e.Saved) == 1 && e.Saved[0].Epoch == epoch; saved != saves {
				t.Errorf("epoch %d: saved %v", epoch, e.Saved)
			}
			if len(s.Member.Loss) != epoch {
				t.Errorf("epoch %d: %d losses", epoch, len(s.Member.Loss))
			}
		}
		return s
	}
	// same compares a session that has all epochs with Fit's result.
	same := func(name string, s *Session) {
		t.Helper()
		m := s.Member
		if !slices.Equal(m.Loss, want.Members[0].Loss) {
			t.Errorf("%s: losses differ from Fit's", name)
		}
		if !slices.Equal(m.Saved, want.Members[0].Saved) {
			t.Errorf("%s: saved epochs differ from Fit's", name)
		}
		if !slices.Equal(s.Labels, want.Labels) {
			t.Errorf("%s: clusters differ from Fit's", name)
		}
		z := linalg.New(g.N(), c.Dims)
		testutil.NoError(t, s.EmbedTo(t.Context(), z))
		// The session's embedding is that of the last epoch, Fit's that of the chosen one.
		if m.Epoch == c.Epochs && !slices.Equal(z.Data, want.Embedding.Data) {
			t.Errorf("%s: the embedding differs from Fit's", name)
		}
		testutil.NoError(t, s.EmbedChosenTo(t.Context(), z))
		if !slices.Equal(z.Data, want.Embedding.Data) {
			t.Errorf("%s: the embedding of the chosen epoch differs from Fit's", name)
		}
	}
	same("from the beginning", run(o, nil))
	for _, epoch := range []int{0, 3, 5, 11} {
		if got := states[epoch].Epoch(); got != epoch {
			t.Errorf("state %d is of epoch %d", epoch, got)
		}
		same("gone back", run(o, states[epoch]))
	}
	o.LearningRate = 0.1 // from epoch 3 on
	got, before := run(o, states[3]).Member.Loss, want.Members[0].Loss
	if !slices.Equal(got[:3], before[:3]) || slices.Equal(got[3:], before[3:]) {
		t.Errorf("another learning rate after epoch 3 gives the losses %v, without it %v", got, before)
	}
	o.Members = 2
	two := testutil.Value(o.Plan(g)).OrFatal(t)
	if _, err := two.Start(t.Context(), input, nil); err == nil {
		t.Error("no error for two members")
	}
}
