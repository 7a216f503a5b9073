package encoder

import (
	"context"
	"errors"
	"slices"

	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/internal/message"
	"gonum.org/v1/gonum/blas/blas32"
)

// Session is a training that its caller advances epoch by epoch, so that a page can look
// at it in between, go back to an earlier [State], or go on from one with other settings.
// Its epochs are those of [Input.Fit], to the byte. It is not safe for concurrent use.
type Session struct {
	// Member describes the training so far, and Done says that it has all epochs.
	Member Member
	Done   bool
	// Labels are the clusters of the epoch chosen so far, nil before the first one is saved.
	Labels []int
	// Selection has the pairs of the present epochs, nil after the last one. The next epoch
	// may replace them.
	Selection *pairs.Selection

	t *training
}

// State is what a training needs to go on from the end of an epoch. It never changes.
type State struct{ checkpoint checkpoint }

// Start begins a training of one member on the whole graph, which [Prepare] has smoothed, or goes
// on from a state if it is not nil. The options may then differ from those that led to it in all
// but the dimensions. It uses the filter of the input, and no Checkpoints. Close the session in the
// end.
//
// It returns the errors of [Input.Fit] after the plan, and one for several members or a sample.
func (p *Planned) Start(ctx context.Context, input *Input, from *State) (*Session, error) {
	o := p.options
	o.Filter, o.Checkpoints = input.Filter, nil
	switch {
	case o.Members != 1:
		return nil, message.Errorf("a session trains one member: set %s to 1", message.Option("members"))
	case o.Sample < input.Graph.N():
		return nil, message.Errorf("a session trains on the whole graph: set %s to AllNodes", message.Option("sample"))
	}
	t := newTraining(input, o.Config, nil, o, epochRange{before: 0, all: o.Epochs})
	if from != nil {
		saved := from.checkpoint.clone()
		t.checkpoints.given, t.checkpoints.epoch = &saved, saved.Epoch
	}
	if err := t.start(ctx, t.restore()); err != nil {
		t.close()
		return nil, err
	}
	s := &Session{t: t}
	s.update()
	return s, nil
}

// update sets the exported fields to what the training has by now.
func (s *Session) update() {
	s.Member, s.Labels, s.Selection = s.t.Member, s.t.Labels, s.t.source.selection
	s.Done = s.t.done()
}

// Next trains one epoch and returns its event. After every UpdateEvery epochs, it also saves the
// embedding, which the event's Saved then describes, and selects new pairs. After an error, the
// session is of no more use, but the states that it returned are.
func (s *Session) Next(ctx context.Context) (Event, error) {
	if s.Done {
		return Event{}, errors.New("all epochs are done")
	}
	var last Event
	s.t.o.Progress = func(e Event) {
		if e.Line == "" {
			last = e
		}
	}
	err := s.t.runEpochs(ctx, s.t.Epoch+1)
	s.update()
	return last, err
}

// State returns the state after the last epoch.
func (s *Session) State() (*State, error) {
	state, err := s.t.model.State()
	if err != nil {
		return nil, err
	}
	return &State{s.t.checkpointOf(state).clone()}, nil
}

// clone returns a copy with lists of its own, which do not grow when c's do. It shares the weights,
// which never change.
func (c checkpoint) clone() checkpoint {
	c.Member.Loss, c.Member.Saved = slices.Clone(c.Member.Loss), slices.Clone(c.Member.Saved)
	return c
}

// EmbedTo writes the embedding for the present weights to z, n×d in the form of
// [Result.Embedding].
func (s *Session) EmbedTo(ctx context.Context, z blas32.General) error {
	w, err := s.t.model.Weights()
	if err != nil {
		return err
	}
	return s.t.model.EmbedTo(ctx, z, w)
}

// EmbedChosenTo writes the embedding of the epoch chosen so far, of which Labels are the clusters, as EmbedTo
// does. It returns an error before the first one is saved.
func (s *Session) EmbedChosenTo(ctx context.Context, z blas32.General) error {
	if s.t.best == nil {
		return errors.New("no epoch is chosen yet: want a training with clusters")
	}
	return s.t.model.EmbedTo(ctx, z, *s.t.best)
}

// Close frees what the session holds.
func (s *Session) Close() { s.t.close() }
