package auto

import "github.com/agekit/age/agekit/encoder"

// WarmStart is the result of an earlier [Fit], to start from with a graph that has changed.
type WarmStart struct {
	// Report has the choice, which is taken: nothing is tried again.
	Report *SearchReport
	// Config are the settings of its final training, and Encoder is where a training begins.
	Config  encoder.Config
	Encoder *encoder.Encoder
}

// choice returns what the earlier search decided.
func (w *WarmStart) choice() choice {
	c := choice{SearchReport: *w.Report}
	c.Numbers = nil
	c.Full, c.Rival = nil, nil
	c.Chosen = c.Untrained
	if w.Config.Epochs > 0 { // there was a training, and it was the result
		c.Chosen = c.Trained
	}
	c.vote()
	return c
}

// vote sets the candidates whose clusters vote, and the layers of the embedding without training,
// by the scores of the trials.
func (c *choice) vote() {
	untrained := c.Trials[c.Untrained]
	smoothed := -1 // the best trial of the smoothed features
	c.Voters = []Candidate{untrained.Candidate}
	for i, t := range c.Trials {
		near := !t.trained() && t.Folds == untrained.Folds && t.Score >= voteShare*untrained.Score
		if near && i != c.Untrained && len(c.Voters) < maxVotes {
			c.Voters = append(c.Voters, t.Candidate)
		}
		if t.Data == smoothedFeatures && (smoothed < 0 || t.Score > c.Trials[smoothed].Score) {
			smoothed = i
		}
	}
	c.Layers = c.Trials[smoothed].Layers
}

// begin makes a training with some settings begin where the earlier one ended.
func (w *WarmStart) begin(o *encoder.Options) {
	if w != nil {
		o.Members = len(w.Encoder.Weights)
		o.Dims = w.Config.Dims
		o.Initial = w.Encoder
	}
}
