package main

import (
	"strings"
	"testing"
	"time"

	"github.com/agekit/age/agekit/encoder"
)

// TestTimeLeft: the time left is shown if it is known.
func TestTimeLeft(t *testing.T) {
	var out strings.Builder
	p := newProgress(&out)
	p.event(encoder.Event{Epoch: 1, Epochs: 2, Remaining: 3 * time.Second, Saved: &encoder.Saved{}})
	p.event(encoder.Event{Epoch: 2, Epochs: 2, Saved: &encoder.Saved{}})
	if got := out.String(); !strings.Contains(got, "epoch 1 of 2: loss 0.0000, Davies–Bouldin index 0.0000, 3s left\n") || strings.Count(got, "left") != 1 {
		t.Errorf("progress %q", got)
	}
}
