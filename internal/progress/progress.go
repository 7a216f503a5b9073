// Package progress says how far a long call is. Calls report an [Event]; a [View] shows it: a
// bar or lines (package bar), or lines of JSON for another program ([JSON]). In a cell of a notebook
// package agekit shows it.
package progress

import (
	"fmt"
	"path/filepath"
	"time"
)

// Event reports how far a long call is, or is a line about it.
type Event struct {
	// Stage is what is under way, such as "training" or "reading nodes.csv". Within a stage Done
	// never falls. Empty for a line alone.
	Stage string
	// Done is how much is done of Total, both in the unit of the stage: epochs, files, bytes.
	// Total is 0 if it is unknown, and for a line alone.
	Done, Total int64
	// Left is the estimated time for the rest, or for all that follows a line; 0 if unknown.
	Left time.Duration
	// Line is for a log; empty for events that only move a bar.
	Line string
	// Notable says that Line matters even to those who follow no log: it warns of the data, or
	// says that a training was resumed.
	Notable bool
	// Bytes says that Done and Total are bytes of a file. Line then comes with the first of them,
	// for those who see no bar.
	Bytes bool
	// Detail is what a bar says in place of Stage, such as the loss.
	Detail string
}

// Func receives events, from one goroutine at a time. It may be nil.
type Func func(Event)

// Report calls f, unless it is nil.
func (f Func) Report(e Event) {
	if f != nil {
		f(e)
	}
}

// Linef reports a line alone.
func (f Func) Linef(format string, args ...any) {
	f.Report(Event{Line: fmt.Sprintf(format, args...)})
}

// Reading returns a function that reports to f how many bytes of the file at path have been read, of
// total.
func (f Func) Reading(path string) func(done, total int64) {
	name := filepath.Base(path)
	return f.bytes("reading", name, func(_, total int64) string { return fmt.Sprintf("reading %s: %s bytes", name, count(total)) })
}

// Downloading returns a function that reports to f how many bytes of the file with a name have arrived,
// of total, which is 0 if it is unknown.
func (f Func) Downloading(name string) func(done, total int64) {
	return f.bytes("downloading", name, func(done, total int64) string {
		return fmt.Sprintf("downloading %s: have %d of %s bytes", name, done, count(total))
	})
}

// bytes returns a function that reports to f how many bytes of a file are done. The stage is the verb and
// the file's name. The first event has what line returns as its Line.
func (f Func) bytes(verb, name string, line func(done, total int64) string) func(done, total int64) {
	begun := false
	return func(done, total int64) {
		e := Event{Stage: verb + " " + name, Done: done, Total: total, Bytes: true, Detail: name}
		if !begun {
			begun, e.Line = true, line(done, total)
		}
		f.Report(e)
	}
}

// count returns a number of bytes as text; 0 is an unknown one.
func count(bytes int64) string {
	if bytes <= 0 {
		return "an unknown number of"
	}
	return fmt.Sprint(bytes)
}

// Remaining estimates the time for the units that are left from the time that the units done took; 0 if
// none is done.
func Remaining(took time.Duration, done, left float64) time.Duration {
	if done <= 0 {
		return 0
	}
	const longest = 1 << 62 // 146 years
	return time.Duration(min(longest, float64(took)*left/done))
}

// Left returns the text about a duration that is left: ", 1m30s left", or "" if it is less than half a
// second, as while it is unknown.
func Left(duration time.Duration) string {
	if duration = duration.Round(time.Second); duration > 0 {
		return fmt.Sprintf(", %s left", duration)
	}
	return ""
}

// View shows events.
type View interface {
	// Show shows an event: its line, if it has one, or else how far the call is.
	Show(Event)
	// Moves says that the view moves with events that have no line, so that someone who looks
	// at it sees that the call goes on.
	Moves() bool
	// Close ends the view. It may be called twice.
	Close()
}
