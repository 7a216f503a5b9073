package lab

import (
	"fmt"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/encoder/gomlx"
	"github.com/agekit/age/internal/cell"
)

// StepTime is the result of a few training steps on a backend.
type StepTime struct {
	Backend string    // native, go, xla:cpu or xla:cuda
	Losses  []float64 // the mean loss before each step
	Seconds float64   // the time that a step takes, the least of a few measured
	Err     error     // why there are no losses: the backend is not there, or it failed
}

// StepTimes takes the same training steps on each backend, and times them
// ([encoder.Input.TimeSteps]). The steps begin with the weights w, have the settings c, and
// are all on the pairs of nodes (i[k], j[k]) with labels[k] = 1 (positive) or 0 (negative). A
// backend that this program or this machine lacks has an Err that says what is missing.
// StepTimes returns an error only if the cell is interrupted.
func StepTimes(input *encoder.Input, c encoder.Options, w encoder.Weights, i, j []int32, labels []float32) ([]StepTime, error) {
	var all []StepTime
	for _, name := range []string{backend.Native, backend.Go, backend.XLACPU, backend.XLACUDA} {
		s := StepTime{Backend: name}
		choice, err := cell.ResolveBackend(name)
		if err == nil {
			s.Losses, s.Seconds, err = input.TimeSteps(cell.Context(), gomlx.On(choice), w, i, j, labels, c.Config)
		}
		if err := cell.Context().Err(); err != nil {
			return nil, fmt.Errorf("training steps: %w", err)
		}
		s.Err = err
		all = append(all, s)
	}
	return all, nil
}
