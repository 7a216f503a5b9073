package progress_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/agekit/age/internal/progress"
	"github.com/agekit/age/internal/progress/bar"
)

// events reports what a call reports that reads a file of 20 bytes, downloads one of 9, trains for three
// epochs, and says a line with a control character.
func events(report progress.Func) {
	read := report.Reading(filepath.Join("folder", "nodes.csv"))
	read(0, 20)
	read(20, 20)
	fetched := report.Downloading("cora.x")
	fetched(5, 9)
	fetched(9, 9)
	report.Report(progress.Event{Stage: "training", Done: 1, Total: 3, Left: 90 * time.Second, Line: "epoch 1 of 3"})
	report.Report(progress.Event{Stage: "training", Done: 2, Total: 3}) // too soon after the last one
	report.Report(progress.Event{Stage: "training", Done: 3, Total: 3, Detail: "loss 0.5"})
	report.Linef("kept \a%d ways", 2)
}

// TestJSON: each of the events is a line of JSON with what was reported, but for the one without a line
// that comes too soon after the event before.
func TestJSON(t *testing.T) {
	var out strings.Builder
	events(progress.NewJSON(&out).Show)
	var got []map[string]any
	for line := range strings.Lines(out.String()) {
		var event map[string]any
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		got = append(got, event)
	}
	want := []map[string]any{
		{"stage": "reading nodes.csv", "done": 0., "total": 20., "line": "reading nodes.csv: 20 bytes"},
		{"stage": "reading nodes.csv", "done": 20., "total": 20.},
		{"stage": "downloading cora.x", "done": 5., "total": 9., "line": "downloading cora.x: have 5 of 9 bytes"},
		{"stage": "downloading cora.x", "done": 9., "total": 9.},
		{"stage": "training", "done": 1., "total": 3., "left": 90., "line": "epoch 1 of 3"},
		{"stage": "training", "done": 3., "total": 3.},
		{"line": "kept \a2 ways"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// TestLines: in a file, which is no terminal, package bar writes the lines of the events alone, without
// characters that a terminal would obey, and does not move.
func TestLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := bar.New(f)
	events(b.Show)
	b.Close()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := "reading nodes.csv: 20 bytes\ndownloading cora.x: have 5 of 9 bytes\nepoch 1 of 3\nkept �2 ways\n"
	if string(got) != want || b.Moves() {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestNobody: a nil Func takes all events.
func TestNobody(t *testing.T) { events(nil) }

// TestRemaining: each unit that is left takes as long as one that is done, by numbers computed by hand.
// With nothing done it is 0, and beyond the longest time it is that.
func TestRemaining(t *testing.T) {
	for _, test := range []struct {
		took       time.Duration
		done, left float64
		want       time.Duration
	}{
		{6 * time.Second, 3, 4, 8 * time.Second},
		{time.Minute, 0.25, 0.75, 3 * time.Minute},
		{time.Minute, 0, 5, 0},
		{time.Hour, 1e-300, 1, 1 << 62},
	} {
		if got := progress.Remaining(test.took, test.done, test.left); got != test.want {
			t.Errorf("%v done in %v, %v left: %v, want %v", test.done, test.took, test.left, got, test.want)
		}
	}
}

// TestLeft: a time that is unknown or less than half a second is not shown.
func TestLeft(t *testing.T) {
	for duration, want := range map[time.Duration]string{0: "", 400 * time.Millisecond: "", time.Second: ", 1s left", 3723 * time.Second: ", 1h2m3s left"} {
		if got := progress.Left(duration); got != want {
			t.Errorf("%v: %q, want %q", duration, got, want)
		}
	}
}
