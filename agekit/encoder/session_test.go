package encoder_test

import (
	"slices"
	"testing"

	. "github.com/agekit/age/agekit/encoder"
	. "github.com/agekit/age/internal/modeltest"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
)

// TestSession: a session's epochs are those of Fit, to the byte, also after it went back
// to a state from before or after an update; and other settings change the result.
func TestSession(t *testing.T) {
	g, c := SmallGraph(t), Small()
	c.Epochs = 12 // saved after 5, 10 and 12
	o := Options{Filter: c.Filter, Config: c.Config}
	want := MustTrain(t, g, c, Options{})
	input := testutil.Value(Prepare(t.Context(), g, o)).OrFatal(t)
	defer input.Close()
	var states []*State
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
			if saved := int(e.Done)%5 == 0 || int(e.Done) == 12; saved != (len(e.Saved) == 1 && e.Saved[0].Epoch == int(e.Done)) || len(s.Member.Loss) != int(e.Done) {
				t.Errorf("epoch %d: saved %v, %d losses", int(e.Done), e.Saved, len(s.Member.Loss))
			}
		}
		return s
	}
	same := func(name string, s *Session) {
		t.Helper()
		m := s.Member
		if !slices.Equal(m.Loss, want.Members[0].Loss) || !slices.Equal(m.Saved, want.Members[0].Saved) || !slices.Equal(s.Labels, want.Labels) {
			t.Errorf("%s: loss, saved epochs or clusters differ from Fit's", name)
		}
		z := linalg.New(g.N(), c.Dims)
		testutil.NoError(t, s.EmbedTo(t.Context(), z))
		if m.Epoch == 12 && !slices.Equal(z.Data, want.Embedding.Data) {
			t.Errorf("%s: the embedding differs from Fit's", name)
		}
	}
	same("from the beginning", run(o, nil))
	for _, epoch := range []int{0, 3, 5, 11} {
		if got := states[epoch].Epoch(); got != epoch {
			t.Errorf("state %d is of epoch %d", epoch, got)
		}
		same("gone back", run(o, states[epoch]))
	}
	o.LearningRate = 0.1
	if got := run(o, states[3]).Member.Loss; !slices.Equal(got[:3], want.Members[0].Loss[:3]) || slices.Equal(got[3:], want.Members[0].Loss[3:]) {
		t.Errorf("another learning rate after epoch 3 gives the losses %v, without it %v", got, want.Members[0].Loss)
	}
	o.Members = 2
	two := testutil.Value(o.Plan(g)).OrFatal(t)
	if _, err := two.Start(t.Context(), input, nil); err == nil {
		t.Error("no error for two members")
	}
}
