package run

import (
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/explain"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/store"
	"gonum.org/v1/gonum/blas/blas32"
)

// Kept is a run without its data, in a form that package store can keep.
type Kept struct {
	Record            Record
	Result            *encoder.Result // without its embedding
	Settings          encoder.Config
	Labels            []int
	Embedding, Places store.Matrix
	Explanation       *explain.Explanation
}

// Keep returns what a store keeps of a run.
func (r *Run) Keep() Kept {
	k := Kept{Record: r.Record, Labels: r.Labels, Embedding: store.Matrix{General: r.Embedding}, Places: store.Matrix{General: r.Places}, Explanation: r.Explanation}
	if r.Result != nil {
		result := *r.Result
		result.Embedding = blas32.General{}
		k.Result, k.Settings = &result, r.Model.About.Settings
	}
	return k
}

// Run returns the run again, with the data that it was found in.
func (k Kept) Run(d *input.Data) *Run {
	r := &Run{Record: k.Record, Data: d, Labels: k.Labels, Embedding: k.Embedding.General, Places: k.Places.General, Explanation: k.Explanation, discard: func() error { return nil }}
	if k.Result != nil {
		result := *k.Result
		result.Embedding = r.Embedding
		r.Result, r.Model = &result, newModel(d, &result, k.Settings, k.Record.Version)
	}
	_, r.Columns = r.nodes()
	return r
}
