package main

import (
	"strings"
	"testing"
	"time"

	"github.com/agekit/age/agekit/encoder"
)

// The time left is shown only where it is known.
func TestProgressTimeLeft(t *testing.T) {
	for remaining, want := range map[time.Duration]string{
		0:                 "epoch 20 of 400: loss 1.2500, Davies–Bouldin index 0.5000 after epoch 15\n",
		90 * time.Second:  "epoch 20 of 400: loss 1.2500, Davies–Bouldin index 0.5000 after epoch 15, 1m30s left\n",
		time.Second / 100: "epoch 20 of 400: loss 1.2500, Davies–Bouldin index 0.5000 after epoch 15\n",
	} {
		var log strings.Builder
		newProgress(&log).event(encoder.Event{Epoch: 20, Epochs: 400, Loss: 1.25, Remaining: remaining, Saved: []encoder.Saved{{Epoch: 15, DaviesBouldin: 0.5}}})
		if log.String() != want {
			t.Errorf("with %v left: %q, want %q", remaining, &log, want)
		}
	}
}

// TestProgressOfMethods: methods save no embeddings, so their first and last epochs are
// lines, and others only after a long silence.
func TestProgressOfMethods(t *testing.T) {
	var log strings.Builder
	p := newProgress(&log)
	for epoch := 1; epoch <= 5; epoch++ {
		p.event(encoder.Event{Epoch: epoch, Epochs: 5, Loss: 0.5})
	}
	if want := "epoch 1 of 5: loss 0.5000\nepoch 5 of 5: loss 0.5000\n"; log.String() != want {
		t.Errorf("%q, want %q", &log, want)
	}
}
