package linkpred

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/spectrum"
	"gonum.org/v1/gonum/blas/blas32"
)

// Result is the result of training for link prediction.
type Result struct {
	// Training is the encoder's result, with the embedding of the chosen
	// epoch.
	Training *encoder.Result
	// Validation and Test are the chosen epoch's scores.
	Validation, Test Scores
	// Curve is the validation score of every saved epoch.
	Curve []Point
}

// Point is the mean of AUC and AP on the validation pairs after an epoch.
type Point struct {
	Epoch int     `json:"epoch"`
	Score float64 `json:"score"`
}

// Fit trains the encoder on the training graph of a split and returns the
// embedding of the epoch with the highest validation AUC + AP (paper, §3.4.2).
// Smoothing and pair selection use only the training graph. The candidate
// epochs are those whose embedding is saved: every c.UpdateEvery epochs, and
// the last. The test pairs are used once, to score the chosen epoch.
//
// The paper uses the same settings for link prediction as for clustering
// (§5.2): encoder.PaperFilter and encoder.PaperConfig. c.Clusters is ignored,
// and o.Judge must be nil. Errors, progress and checkpoints work as in
// encoder.Fit; [Discard] removes the checkpoints.
func Fit(ctx context.Context, s *Split, f laplacian.Filter, c encoder.Config, o encoder.Options) (*Result, error) {
	if o.Judge != nil {
		return nil, fmt.Errorf("the epoch is chosen by the validation edges: want no judge %q", o.Judge.Name)
	}
	p := encoder.Preparer{ScratchAbove: o.ScratchAbove, Log: func(line string) {
		if o.Progress != nil {
			o.Progress(encoder.Event{Message: line, Epochs: c.Epochs})
		}
	}}
	in, err := p.Prepare(ctx, s.Train, f)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	c.Clusters, o.Judge = 0, s.judge()
	trained, err := encoder.Fit(ctx, in, c, o)
	if err != nil {
		return nil, err
	}
	r := &Result{Training: trained}
	for _, e := range trained.Members[0].Saved {
		r.Curve = append(r.Curve, Point{e.Epoch, -e.Score})
	}
	if r.Validation, err = Score(trained.Embedding, s.Validation); err != nil {
		return nil, err
	}
	r.Test, err = Score(trained.Embedding, s.Test)
	return r, err
}

// FitBest trains with each of the given filters and returns the result with
// the highest validation AUC + AP and the index of its filter; on a tie the
// first one wins. This lets the validation edges alone choose t for a graph.
func FitBest(ctx context.Context, s *Split, filters []laplacian.Filter, c encoder.Config, o encoder.Options) (best *Result, index int, err error) {
	if len(filters) == 0 {
		return nil, 0, errors.New("no filters to choose from: want 1 or more")
	}
	progress := o.Progress
	for k, f := range filters {
		if progress != nil {
			o.Progress = func(e encoder.Event) {
				// Assume that later filters take as long as this one.
				e.Epoch, e.Epochs = k*e.Epochs+e.Epoch, len(filters)*e.Epochs
				if len(filters) > 1 {
					e.Remaining = 0
				}
				progress(e)
			}
		}
		r, err := Fit(ctx, s, f, c, o)
		if err != nil {
			return nil, 0, fmt.Errorf("filter %d of %d: %w", k+1, len(filters), err)
		}
		if best == nil || r.Validation.Mean() > best.Validation.Mean() {
			best, index = r, k
		}
	}
	return best, index, nil
}

// Candidates returns filters and settings for FitBest that depart from the
// paper's: t = 1, 2 and 3, 30 epochs, and a pair selection and a saved
// embedding every 3 epochs. Predicting edges needs less smoothing than
// clustering and little training: on Cora and Citeseer the validation score
// peaks within the first 20 epochs and falls from then on.
func Candidates(f laplacian.Filter, c encoder.Config) ([]laplacian.Filter, encoder.Config) {
	var filters []laplacian.Filter
	for f.Layers = 1; f.Layers <= 3; f.Layers++ {
		filters = append(filters, f)
	}
	c.Epochs, c.UpdateEvery = 30, 3
	return filters, c
}

// Discard removes the checkpoints that [Fit] and [FitBest] left.
func Discard(ctx context.Context, s *Split, filters []laplacian.Filter, c encoder.Config, o encoder.Options) error {
	c.Clusters, o.Judge = 0, s.judge()
	var all []error
	for _, f := range filters {
		f, err := spectrum.ResolveFilter(ctx, laplacian.New(s.Train.Adjacency), f)
		if err == nil {
			err = encoder.Discard(&encoder.Input{Graph: s.Train, Filter: f}, c, o)
		}
		all = append(all, err)
	}
	return errors.Join(all...)
}

// judge scores embeddings on the validation pairs.
func (s *Split) judge() *encoder.Judge {
	return &encoder.Judge{
		Name: "validation AUC+AP " + s.Validation.fingerprint(),
		Score: func(_ context.Context, z blas32.General) (float64, error) {
			v, err := Score(z, s.Validation)
			return -v.Mean(), err
		},
	}
}

// fingerprint returns a hash that identifies the pairs.
func (p Pairs) fingerprint() string {
	h := sha256.New()
	for _, list := range [][]Pair{p.Edges, p.NonEdges} {
		// Writing to a hash never fails.
		_ = binary.Write(h, binary.LittleEndian, int64(len(list)))
		_ = binary.Write(h, binary.LittleEndian, list)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:16])
}
