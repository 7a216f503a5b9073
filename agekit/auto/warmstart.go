package auto

import "github.com/agekit/age/agekit/encoder"

// WarmStart is what an earlier [Fit] found, to start from with a graph that has changed.
type WarmStart struct {
	// Report has the choice, which is taken: nothing is tried again.
	Report *SearchReport
	// Config are the settings of its final training, and Encoder is where a training begins.
	Config  encoder.Config
	Encoder *encoder.Encoder
}

// choice returns what the earlier search decided.
func (e *WarmStart) choice() choice {
	c := choice{SearchReport: *e.Report}
	c.Numbers, c.Full, c.Chosen = nil, nil, c.Untrained
	if e.Config.Epochs > 0 { // there was a training, and it was the result
		c.Chosen = c.Trained
	}
	c.vote()
	return c
}

// vote sets the ways whose clusters vote, and the layers of the embedding without training,
// by the scores of the trials.
func (c *choice) vote() {
	plain := c.Trials[c.Untrained]
	best := -1 // of the smoothed features
	c.Voters = []Candidate{plain.Candidate}
	for i, t := range c.Trials {
		if i != c.Untrained && !t.Trained() && t.Folds == plain.Folds && t.Score >= voteShare*plain.Score && len(c.Voters) < maxVotes {
			c.Voters = append(c.Voters, t.Candidate)
		}
		if t.Data == smoothedFeatures && (best < 0 || t.Score > c.Trials[best].Score) {
			best = i
		}
	}
	c.Layers = c.Trials[best].Layers
}

// begin makes a training with some settings begin where the earlier one ended.
func (e *WarmStart) begin(o *encoder.Options) {
	if e != nil {
		o.Members, o.Dims, o.Initial = len(e.Encoder.Weights), e.Config.Dims, e.Encoder
	}
}
