package main

import (
	"strings"
	"testing"
	"time"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/internal/progress"
)

// TestProgressTimeLeft: the line about a saved epoch ends with the time left if that is known and at least a
// second.
func TestProgressTimeLeft(t *testing.T) {
	const line = "epoch 20 of 400: loss 1.2500, Davies–Bouldin index 0.5000 after epoch 15"
	for remaining, want := range map[time.Duration]string{
		0:                     line + "\n", // unknown
		90 * time.Second:      line + ", 1m30s left\n",
		10 * time.Millisecond: line + "\n",
	} {
		var log strings.Builder
		newConsole(&log).training(encoder.Event{
			Event: progress.Event{Stage: encoder.Training, Done: 20, Total: 400, Left: remaining},
			Loss:  1.25, Saved: []encoder.Saved{{Epoch: 15, DaviesBouldin: 0.5}},
		})
		if log.String() != want {
			t.Errorf("with %v left: %q, want %q", remaining, &log, want)
		}
	}
}

// TestProgressOfMethods: a training that saves no embedding, as those of methods other than AGE, has a line
// for the first epoch, as no line was shown before, and for the last. The epochs between have none, as the
// silence is short.
func TestProgressOfMethods(t *testing.T) {
	var log strings.Builder
	p := newConsole(&log)
	for epoch := int64(1); epoch <= 5; epoch++ {
		p.training(encoder.Event{Event: progress.Event{Stage: encoder.Training, Done: epoch, Total: 5}, Loss: 0.5})
	}
	if want := "epoch 1 of 5: loss 0.5000\nepoch 5 of 5: loss 0.5000\n"; log.String() != want {
		t.Errorf("%q, want %q", &log, want)
	}
}

// TestProgressQuiet: without --verbose and without a bar, a line says after a long silence which epoch it is and how long
// the rest takes, without words of the training. The log has these.
func TestProgressQuiet(t *testing.T) {
	var shown strings.Builder
	p := newConsole(&shown)
	p.quieten()
	saved := encoder.Event{
		Event: progress.Event{Stage: encoder.Training, Done: 20, Total: 400, Left: 90 * time.Second},
		Loss:  1.25, Saved: []encoder.Saved{{Epoch: 15, DaviesBouldin: 0.5}},
	}
	p.training(saved) // just after the beginning
	p.shown = time.Now().Add(-2 * silence)
	p.training(saved)
	if want := "epoch 20 of 400, 1m30s left\n"; shown.String() != want {
		t.Errorf("%q, want %q", &shown, want)
	}
	shown.Reset()
	for range 2 {
		p.shown = time.Now().Add(-2 * silence)
		p.event(progress.Event{Stage: "clustering", Done: 3, Total: 4})
		p.event(progress.Event{Stage: "clustering", Done: 3, Total: 4})
	}
	if want := "clustering: 75 %\nclustering: 75 %\n"; shown.String() != want {
		t.Errorf("%q, want %q", &shown, want)
	}
	for _, line := range p.lines {
		if want := "epoch 20 of 400: loss 1.2500, Davies–Bouldin index 0.5000 after epoch 15, 1m30s left"; !strings.HasSuffix(line, want) {
			t.Errorf("the log has %q, want %q", line, want)
		}
	}
	p.shown = time.Now().Add(-2 * silence)
	if p.line("exact ranking"); strings.Contains(shown.String(), "ranking") || len(p.lines) != 3 {
		t.Errorf("%q is shown, and %q kept", &shown, p.lines)
	}
}

// TestProgressBeat: while a stage reports nothing, a line says after a long silence what is under way, if neither --verbose
// nor a bar shows it. A training says that itself, with its epoch. After the end, nothing does.
func TestProgressBeat(t *testing.T) {
	var shown strings.Builder
	c := newConsole(&shown)
	c.quieten()
	c.training(encoder.Event{Event: progress.Event{Stage: "comparing with the view edges", Total: 1}})
	c.beat() // soon
	for range 2 {
		c.shown, c.since = time.Now().Add(-2*silence), time.Now().Add(-90*time.Second)
		c.beat()
		c.beat() // soon after a line
	}
	c.line("edges: 2 clusters") // for the log alone
	epoch := encoder.Event{Event: progress.Event{Stage: encoder.Training, Done: 3, Total: 5}}
	c.training(epoch)
	c.shown = time.Now().Add(-2 * silence)
	c.beat() // before the next epoch
	epoch.Done = 4
	c.training(epoch)
	c.close()
	if want := strings.Repeat("comparing with the view edges, 1m30s so far\n", 2) + "epoch 4 of 5\n"; shown.String() != want {
		t.Errorf("%q, want %q", &shown, want)
	}
	if c.pulse != nil {
		t.Error("it would go on")
	}
}
