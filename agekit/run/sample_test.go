package run

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/settings"
	"github.com/agekit/age/internal/testutil"
)

// TestFitSample: a run trained on a sample of the nodes describes and saves all nodes, and finds the planted classes. Its
// embedding, clusters and model are the same bytes whether the embedding is held in memory or not, and the saved model
// embeds the nodes in the same places.
func TestFitSample(t *testing.T) {
	d := plantedData(t)
	o := &Options{Settings: settings.Settings{
		Filter: laplacian.Filter{K: 2. / 3, Layers: 2}, Config: encoder.Config{Dims: 70, Epochs: 20, Sample: 120, Seed: 3},
	}}
	fit := func(inBlocks bool) (*Run, string) {
		t.Helper()
		o.Training.InBlocks, o.Map = inBlocks, inBlocks
		r := testutil.Value(Fit(t.Context(), d, o)).OrFatal(t)
		dir := t.TempDir()
		testutil.NoError(t, r.Save(t.Context(), dir))
		return r, dir
	}
	whole, want := fit(false)
	blocks, got := fit(true)
	if whole.Sample != 120 || blocks.Sample != 120 || whole.Embedding.Rows != 240 || blocks.Embedding.Rows != 0 || blocks.Layout.Rows != 240 {
		t.Errorf("samples of %d and %d, %d and %d rows, %d places", whole.Sample, blocks.Sample, whole.Embedding.Rows, blocks.Embedding.Rows, blocks.Layout.Rows)
	}
	if *whole.ACC < 0.9 {
		t.Errorf("accuracy %v, want .9 or more", *whole.ACC)
	}
	for _, file := range []string{"embeddings.npy", "labels.txt", "model.npz"} {
		a, errA := os.ReadFile(filepath.Join(want, file))
		b, errB := os.ReadFile(filepath.Join(got, file))
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: other bytes (%v, %v)", file, errA, errB)
		}
	}
	if !reflect.DeepEqual(blocks.Clusters, whole.Clusters) {
		t.Error("other clusters")
	}
	loaded, err := Load(t.Context(), got)
	if err != nil || loaded.Sample != 120 {
		t.Fatalf("sample %d (%v)", loaded.Sample, err)
	}
	z := testutil.Value(loaded.Model.Encoder.Embed(t.Context(), d.Graph)).OrFatal(t)
	for i := range z.Rows {
		for k, v := range z.Data[i*z.Stride:][:z.Cols] {
			if math.Abs(float64(v-whole.Embedding.Data[i*whole.Embedding.Stride+k])) > 1e-5 { // filtered within the step
				t.Fatalf("the model embeds node %d elsewhere", i)
			}
		}
	}
	if !slices.Equal(loaded.Model.Clusters, whole.Labels) {
		t.Error("the model has other clusters")
	}
}
