package main

import (
	"strings"
	"testing"
	"time"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/internal/progress"
)

// TestProgressTimeLeft: the line of a saved epoch says the time left where it is known, and a second or more.
func TestProgressTimeLeft(t *testing.T) {
	const line = "epoch 20 of 400: loss 1.2500, Davies–Bouldin index 0.5000 after epoch 15"
	for remaining, want := range map[time.Duration]string{
		0:                     line + "\n", // unknown
		90 * time.Second:      line + ", 1m30s left\n",
		10 * time.Millisecond: line + "\n",
	} {
		var log strings.Builder
		newConsole(&log).training(encoder.Event{
			Event: progress.Event{Done: 20, Total: 400, Left: remaining},
			Loss:  1.25, Saved: []encoder.Saved{{Epoch: 15, DaviesBouldin: 0.5}},
		})
		if log.String() != want {
			t.Errorf("with %v left: %q, want %q", remaining, &log, want)
		}
	}
}

// TestProgressOfMethods: methods save no embeddings, so their first and last epochs are
// lines, and others only after a long silence.
func TestProgressOfMethods(t *testing.T) {
	var log strings.Builder
	p := newConsole(&log)
	for epoch := int64(1); epoch <= 5; epoch++ {
		p.training(encoder.Event{Event: progress.Event{Done: epoch, Total: 5}, Loss: 0.5})
	}
	if want := "epoch 1 of 5: loss 0.5000\nepoch 5 of 5: loss 0.5000\n"; log.String() != want {
		t.Errorf("%q, want %q", &log, want)
	}
}
