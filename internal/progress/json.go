package progress

import (
	"encoding/json"
	"io"
	"sync"
	"time"
)

// interval is the least time between two events of JSON that have no line.
const interval = 250 * time.Millisecond

// JSON is a view for another program: a line of JSON for each event, such as
//
//	{"stage":"training","done":3,"total":400,"left":71.5,"line":"epoch 3 of 400: loss 0.3113"}
//
// with left in seconds, and without what is empty or 0, but for done where there is a stage.
// Of events without a line it writes the first and the last of a stage, and between them at most
// four a second.
type JSON struct {
	w     io.Writer
	mu    sync.Mutex
	stage string
	last  time.Time // when the last event was written
}

// NewJSON returns a view that writes to w.
func NewJSON(w io.Writer) *JSON { return &JSON{w: w} }

// jsonEvent is a line of JSON, as [JSON] describes it.
type jsonEvent struct {
	Stage string  `json:"stage,omitempty"`
	Done  *int64  `json:"done,omitempty"`
	Total int64   `json:"total,omitempty"`
	Left  float64 `json:"left,omitempty"`
	Line  string  `json:"line,omitempty"`
}

// Show implements [View].
func (j *JSON) Show(e Event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	isFirstOrLast := e.Stage != j.stage || e.Done == e.Total
	if e.Line == "" && !isFirstOrLast && time.Since(j.last) < interval {
		return
	}
	event := jsonEvent{Stage: e.Stage, Total: e.Total, Left: e.Left.Seconds(), Line: e.Line}
	if e.Stage != "" {
		event.Done = &e.Done // also 0
		j.stage, j.last = e.Stage, time.Now()
	}
	line, _ := json.Marshal(event)       // never an error: an event has texts and numbers alone
	_, _ = j.w.Write(append(line, '\n')) // an error affects only what is shown
}

// Moves implements [View]. The other program may show lines alone, as in a log.
func (j *JSON) Moves() bool { return false }

// Close implements [View].
func (j *JSON) Close() {}
