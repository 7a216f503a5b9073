package agekit_test

import (
	"slices"
	"testing"

	"github.com/agekit/age/agekit"
	"github.com/agekit/age/agekit/encoder"
)

// TestInTasks: in stages of tasks, a training on a sample has the clusters that it has in
// one, and a second call makes nothing again.
func TestInTasks(t *testing.T) {
	g, err := agekit.Load("planted:n=3000,classes=4,f=40,words=6")
	if err != nil {
		t.Fatal(err)
	}
	c := agekit.Settings(g)
	c.Sample, c.Epochs, c.Dims, c.InBlocks = 400, 4, 32, true
	want, err := encoder.Fit(t.Context(), g, c)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for round := range 2 {
		got, stages, err := agekit.InTasks(g, c, folder)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Labels, want.Labels) || got.DaviesBouldin != want.DaviesBouldin {
			t.Errorf("round %d: other clusters, index %v, want %v", round, got.DaviesBouldin, want.DaviesBouldin)
		}
		if len(stages) != 9 || stages[0].Name != "smooth" {
			t.Errorf("stages %+v", stages)
		}
		for _, s := range stages {
			if s.Reused != round*s.Tasks {
				t.Errorf("round %d: %d of the %d tasks of %s were there", round, s.Reused, s.Tasks, s.Name)
			}
		}
	}
}
