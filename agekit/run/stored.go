package run

import (
	"context"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/explain"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/store"
	"gonum.org/v1/gonum/blas/blas32"
)

// kept is what a store keeps of a run: all but its data.
type kept struct {
	Record            Record
	Result            *encoder.Result // without its embedding
	Settings          encoder.Config
	Labels            []int
	Embedding, Places store.Matrix
	Explanation       *explain.Explanation
}

// Stored returns the run that a store keeps under a key, with its data, or else calls
// [Fit] and stores the run. A nil store keeps nothing. It also says whether the run was
// stored before.
func Stored(ctx context.Context, s *store.Store, key store.Key, d *input.Data, o *Options) (r *Run, hit bool, err error) {
	k, hit, err := store.Cached(s, key, func() (kept, error) {
		if r, err = Fit(ctx, d, o); err != nil {
			return kept{}, err
		}
		return r.keep(), nil
	})
	if err == nil && hit {
		r = k.run(d)
	}
	return r, hit, err
}

func (r *Run) keep() kept {
	k := kept{Record: r.Record, Labels: r.Labels, Embedding: store.Matrix{General: r.Embedding}, Places: store.Matrix{General: r.Places}, Explanation: r.Explanation}
	if r.Result != nil {
		result := *r.Result
		result.Embedding = blas32.General{}
		k.Result, k.Settings = &result, r.Model.About.Settings
	}
	return k
}

func (k kept) run(d *input.Data) *Run {
	r := &Run{Record: k.Record, Data: d, Labels: k.Labels, Embedding: k.Embedding.General, Places: k.Places.General, Explanation: k.Explanation, discard: func() error { return nil }}
	if k.Result != nil {
		k.Result.Embedding = r.Embedding
		r.Result, r.Model = k.Result, newModel(d, k.Result, k.Settings, k.Record.Version)
	}
	_, r.Columns = r.nodes()
	return r
}
