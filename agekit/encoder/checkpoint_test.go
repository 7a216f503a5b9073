package encoder

import (
	"bytes"
	"reflect"
	"slices"
	"testing"

	"github.com/agekit/age/agekit/encoder/step"
	"github.com/agekit/age/internal/testutil"
)

// TestCheckpointSizes: a checkpoint whose head states more weights than follow is refused
// before memory is taken for them, and so is one with a byte more or less.
func TestCheckpointSizes(t *testing.T) {
	weights := step.NewWeights(3, 2)
	waiting := step.NewWeights(3, 2)
	waiting.B[1] = 5
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
	field := append([]byte("\x68Features"), 3)
	if n := bytes.Count(b.Bytes(), field); n != 1 {
		t.Fatalf("%d fields Features, want 1", n)
	}
	// 2⁴⁰ rows of weights, of which a few follow.
	huge := c
	huge.State = &step.State{Weights: step.NewWeights(3, 2), First: weights, Second: weights}
	huge.State.Weights.W.Rows = 1 << 40
	var stated bytes.Buffer
	testutil.NoError(t, huge.EncodeTo(&stated))
	for name, data := range map[string][]byte{
		"a byte less":    b.Bytes()[:b.Len()-1],
		"a byte more":    append(bytes.Clone(b.Bytes()), 0),
		"four features":  bytes.Replace(b.Bytes(), field, append([]byte("\x68Features"), 4), 1),
		"no features":    bytes.Replace(b.Bytes(), field, append([]byte("\x68Features"), 0), 1),
		"a negative one": bytes.Replace(b.Bytes(), field, append([]byte("\x68Features"), 0x20), 1),
		"a long head":    append([]byte{0, 0, 0, 0, 0, 1}, b.Bytes()[6:]...),
		"2⁴⁰ features":   stated.Bytes(),
		"nothing":        nil,
	} {
		if decode(data) == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
