package encoder

import (
	"bytes"
	"reflect"
	"slices"
	"testing"

	"github.com/agekit/age/agekit/encoder/step"
	"github.com/agekit/age/internal/testutil"
)

// TestCheckpointSizes: a checkpoint is decoded with the saved embeddings and weights that are not
// judged. It is an error if the sizes in its head do not match the bytes that follow: a byte more
// or less, another number of features, and one for which there would be no memory.
func TestCheckpointSizes(t *testing.T) {
	const features, dims = 3, 2
	weights := step.NewWeights(features, dims)
	waiting := step.NewWeights(features, dims)
	waiting.B[1] = 5 // unlike the others
	c := checkpoint{State: &step.State{Weights: weights, First: weights, Second: weights}, Best: &weights, Waiting: []*Weights{&waiting, &weights}}
	c.Unjudged = []Saved{{Epoch: 5, Positives: 7}, {Epoch: 10}}
	var b bytes.Buffer
	testutil.NoError(t, c.EncodeTo(&b))
	decode := func(data []byte) error { return new(checkpoint).DecodeFrom(bytes.NewReader(data), int64(len(data))) }
	testutil.NoError(t, decode(b.Bytes()))
	var read checkpoint
	testutil.NoError(t, read.DecodeFrom(bytes.NewReader(b.Bytes()), int64(b.Len())))
	if !reflect.DeepEqual(read.Waiting, c.Waiting) || !slices.Equal(read.Unjudged, c.Unjudged) {
		t.Errorf("not judged: %+v with %v, want %+v with %v", read.Unjudged, read.Waiting, c.Unjudged, c.Waiting)
	}
	// field returns the bytes of the head's field Features, which is CBOR: a string of eight bytes,
	// and the number.
	field := func(number byte) []byte { return append([]byte("\x68Features"), number) }
	if n := bytes.Count(b.Bytes(), field(features)); n != 1 { // a precondition
		t.Fatalf("%d fields Features, want 1", n)
	}
	withFeatures := func(number byte) []byte { return bytes.Replace(b.Bytes(), field(features), field(number), 1) }
	const minusOne = 0x20 // in CBOR
	// A head that states 2⁴⁰ rows of weights, of which a few follow.
	huge := c
	huge.State = &step.State{Weights: step.NewWeights(features, dims), First: weights, Second: weights}
	huge.State.Weights.W.Rows = 1 << 40
	var stated bytes.Buffer
	testutil.NoError(t, huge.EncodeTo(&stated))
	for name, data := range map[string][]byte{
		"a byte less":    b.Bytes()[:b.Len()-1],
		"a byte more":    append(bytes.Clone(b.Bytes()), 0),
		"four features":  withFeatures(4),
		"no features":    withFeatures(0),
		"a negative one": withFeatures(minusOne),
		"a long head":    append([]byte{0, 0, 0, 0, 0, 1}, b.Bytes()[6:]...), // 2⁴⁰ bytes, little-endian
		"2⁴⁰ features":   stated.Bytes(),
		"nothing":        nil,
	} {
		if decode(data) == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
