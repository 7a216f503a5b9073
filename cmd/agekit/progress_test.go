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
		0:                 "epoch 20 of 400: loss 1.2500, Davies–Bouldin index 0.5000\n",
		90 * time.Second:  "epoch 20 of 400: loss 1.2500, Davies–Bouldin index 0.5000, 1m30s left\n",
		time.Second / 100: "epoch 20 of 400: loss 1.2500, Davies–Bouldin index 0.5000\n",
	} {
		var log strings.Builder
		newProgress(&log).event(encoder.Event{Epoch: 20, Epochs: 400, Loss: 1.25, Remaining: remaining, Saved: &encoder.Saved{DaviesBouldin: 0.5}})
		if log.String() != want {
			t.Errorf("with %v left: %q, want %q", remaining, &log, want)
		}
	}
}
