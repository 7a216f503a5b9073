package encoder_test

import (
	"slices"
	"testing"

	. "github.com/agekit/age/agekit/encoder"
	. "github.com/agekit/age/internal/modeltest"

	"gonum.org/v1/gonum/blas/blas32"
)

// TestWatch: Watch receives the embedding of the initial weights, as epoch 0, and every saved one,
// of which the chosen epoch's is the result's. The result is the same without Watch.
func TestWatch(t *testing.T) {
	g, c := SmallGraph(t), Small()
	c.Epochs = 12 // saved after 5, 10 and 12
	want := MustTrain(t, g, c, Options{})
	var epochs []int
	seen := map[int][]float32{}
	got := MustTrain(t, g, c, Options{Running: Running{Watch: func(epoch int, z blas32.General) {
		epochs = append(epochs, epoch)
		seen[epoch] = slices.Clone(z.Data)
	}}})
	SameResult(t, "watched", got, want)
	if !slices.Equal(epochs, []int{0, 5, 10, 12}) {
		t.Errorf("watched epochs %v, want 0, 5, 10 and 12", epochs)
	}
	if !slices.Equal(seen[want.Members[0].Epoch], want.Embedding.Data) {
		t.Errorf("the embedding of the chosen epoch %d is not the result's", want.Members[0].Epoch)
	}
	// With this learning rate, the first step changes no weight: the result is the initial embedding.
	c.Epochs, c.LearningRate = 1, 1e-30
	if still := MustTrain(t, g, c, Options{}); !slices.Equal(seen[0], still.Embedding.Data) {
		t.Error("epoch 0 is not the embedding of the initial weights")
	}
}
