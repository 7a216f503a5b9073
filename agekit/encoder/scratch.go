package encoder

import (
	"os"

	"github.com/agekit/age/internal/mapped"
)

// numbers returns count zeros for a matrix as large as X̃: in memory, or in a
// scratch file if they are more than Options.ScratchAbove.
func (t *training) numbers(what string, count int) ([]float32, error) {
	if 4*int64(count) <= t.o.ScratchAbove {
		return make([]float32, count), nil
	}
	dir := os.TempDir()
	if t.o.Checkpoints != nil {
		dir = t.o.Checkpoints.Dir()
	}
	s, err := mapped.NewScratch(dir, count)
	if err != nil {
		return nil, err
	}
	t.scratch = append(t.scratch, s)
	t.log("%s take %.0f MB, in a scratch file in %s", what, 4*float64(count)/1e6, dir)
	return s.Numbers, nil
}

// removeScratch gives the scratch files back. What is in them must not be
// used any more.
func (t *training) removeScratch() {
	for _, s := range t.scratch {
		s.Close()
	}
	t.scratch = nil
}
