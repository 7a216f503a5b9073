// Package progresstest checks events in tests.
package progresstest

import "github.com/agekit/age/internal/progress"

// T is a testing.TB or the like.
type T interface {
	Errorf(format string, args ...any)
	Cleanup(func())
}

// Forward returns a function that receives events and fails t where Done falls within a stage or is
// more than Total; a stage that was complete may begin again. At the end, t fails if one of the given
// stages reported nothing.
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
		isLineAlone := e.Line != "" && e.Done == 0 && e.Total == 0
		falls := e.Done < done[e.Stage] && !complete[e.Stage]
		isOutside := e.Done < 0 || e.Total > 0 && e.Done > e.Total
		switch {
		case e.Stage == "" && !isLineAlone:
			t.Errorf("%+v: want a stage, or a line alone", e)
		case falls || isOutside:
			t.Errorf("%+v after %d: want progress up to the total", e, done[e.Stage])
		}
		if e.Stage != "" {
			done[e.Stage], complete[e.Stage] = e.Done, e.Done == e.Total
		}
	}
}
