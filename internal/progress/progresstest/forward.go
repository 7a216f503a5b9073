// Package progresstest checks events in tests.
package progresstest

import "github.com/agekit/age/internal/progress"

// T is a testing.TB or the like.
type T interface {
	Errorf(format string, args ...any)
	Cleanup(func())
}

// Forward returns a function that fails t where Done falls within a stage or is more than Total,
// and at the end of t if a stage that it names reported nothing. A stage that was complete may
// come again.
func Forward(t T, stages ...string) progress.Func {
	done := map[string]int64{}
	complete := map[string]bool{}
	t.Cleanup(func() {
		for _, stage := range stages {
			if _, reported := done[stage]; !reported {
				t.Errorf("no event of stage %q", stage)
			}
		}
	})
	return func(e progress.Event) {
		switch {
		case e.Stage == "" && (e.Line == "" || e.Done != 0 || e.Total != 0):
			t.Errorf("%+v: want a stage, or a line alone", e)
		case e.Done < done[e.Stage] && !complete[e.Stage] || e.Done < 0 || e.Total > 0 && e.Done > e.Total:
			t.Errorf("%+v after %d: want progress up to the total", e, done[e.Stage])
		}
		if e.Stage != "" {
			done[e.Stage], complete[e.Stage] = e.Done, e.Done == e.Total
		}
	}
}
