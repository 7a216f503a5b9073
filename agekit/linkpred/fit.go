package linkpred

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/agekit/age/agekit/encoder"
	"gonum.org/v1/gonum/blas/blas32"
)

// Result is what a training for link prediction gives.
type Result struct {
	// Encoder is the training: its Epoch is the chosen one and its
	// Embedding that epoch's.
	Encoder *encoder.Result
	// Validation and Test are the chosen epoch's scores.
	Validation, Test Scores
	// Curve is the validation score of every saved epoch.
	Curve []Point
}

// Point is the mean of AUC and AP of the validation pairs after an epoch.
type Point struct {
	Epoch int     `json:"epoch"`
	Score float64 `json:"score"`
}

// Fit trains the encoder on the training graph of a split, which is all that
// smoothing and the selection of pairs see, and returns the embedding of the
// epoch with the highest validation AUC + AP (paper, §3.4.2). Epochs to choose
// from are those whose embedding is saved: every c.UpdateEvery, and the last.
// Test pairs are looked at once, for the scores of the chosen epoch.
//
// The paper's settings for link prediction are those for clustering (§5.2):
// encoder.PaperConfig. c.Clusters is not used and c.Choose must be nil.
// Errors, progress, checkpoints and their removal (encoder.Discard with s.Train
// and s.Config(c)) are those of encoder.Fit.
func Fit(ctx context.Context, s *Split, c encoder.Config, o encoder.Options) (*Result, error) {
	if c.Choose != nil {
		return nil, fmt.Errorf("the epoch is chosen by the validation edges: want no chooser %q", c.Choose.Name)
	}
	trained, err := encoder.Fit(ctx, s.Train, s.Config(c), o)
	if err != nil {
		return nil, err
	}
	r := &Result{Encoder: trained}
	for _, e := range trained.Saved {
		r.Curve = append(r.Curve, Point{e.Epoch, -e.Score})
	}
	if r.Validation, err = Score(trained.Embedding, s.Validation); err != nil {
		return nil, err
	}
	r.Test, err = Score(trained.Embedding, s.Test)
	return r, err
}

// FitBest trains with each of the given settings and returns the result with
// the highest validation AUC + AP, the first of several, and the index of its
// settings. So t or the thresholds can be chosen for a graph by the validation
// edges alone.
func FitBest(ctx context.Context, s *Split, settings []encoder.Config, o encoder.Options) (best *Result, index int, err error) {
	if len(settings) == 0 {
		return nil, 0, errors.New("no settings to choose from: want 1 or more")
	}
	progress := o.Progress
	for k, c := range settings {
		if progress != nil {
			o.Progress = func(e encoder.Event) {
				// Later settings take what this one has taken so far.
				e.Epoch, e.Epochs = k*e.Epochs+e.Epoch, len(settings)*e.Epochs
				if len(settings) > 1 {
					e.Remaining = 0
				}
				progress(e)
			}
		}
		r, err := Fit(ctx, s, c, o)
		if err != nil {
			return nil, 0, fmt.Errorf("settings %d of %d: %w", k+1, len(settings), err)
		}
		if best == nil || r.Validation.Mean() > best.Validation.Mean() {
			best, index = r, k
		}
	}
	return best, index, nil
}

// Candidates returns settings for FitBest that depart from the paper's: c with
// t = 1, 2 and 3, 30 epochs, and pairs selected and the embedding saved every
// 3 epochs. Edges ask for less smoothing than clusters, and for little
// training: on Cora and Citeseer the validation score is highest within the
// first 20 epochs and falls from then on.
func Candidates(c encoder.Config) []encoder.Config {
	c.Epochs, c.UpdateEvery = 30, 3
	var settings []encoder.Config
	for c.Layers = 1; c.Layers <= 3; c.Layers++ {
		settings = append(settings, c)
	}
	return settings
}

// Config returns the encoder's settings as Fit uses them: c with the
// validation pairs as the chooser of the epoch.
func (s *Split) Config(c encoder.Config) encoder.Config {
	c.Clusters = 0
	c.Choose = &encoder.Chooser{
		Name: "validation AUC+AP " + s.Validation.fingerprint(),
		Score: func(_ context.Context, z blas32.General) (float64, error) {
			v, err := Score(z, s.Validation)
			return -v.Mean(), err
		},
	}
	return c
}

// fingerprint identifies the pairs, by a hash.
func (p Pairs) fingerprint() string {
	h := sha256.New()
	for _, list := range [][]Pair{p.Edges, p.NonEdges} {
		// A hash takes every write.
		_ = binary.Write(h, binary.LittleEndian, int64(len(list)))
		_ = binary.Write(h, binary.LittleEndian, list)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:16])
}
