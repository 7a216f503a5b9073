package encoder

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/rng"
	"github.com/agekit/age/internal/system"
	"gonum.org/v1/gonum/blas/blas32"
)

// judges score saved embeddings beside the training. They do not influence it: they only
// choose an epoch. Each has its own random numbers, so that the result does not depend on
// when it ends. It reads the embedding by which the training selects pairs, without a
// copy; meanwhile the training writes the next one to another matrix.
type judges struct {
	most     int              // that may run at a time; 0: the training waits for each
	pending  []*judgment      // that the member does not have yet, in the order of epochs
	again    []*judgment      // that a checkpoint has as pending and that have not begun yet
	matrices []blas32.General // for embeddings: at most one more than judges may run
}

// judgment is what a judge finds about a saved embedding.
type judgment struct {
	saved   Saved // its scores are set when the judge is done, the rest by the training
	weights *Weights
	z       blas32.General // the embedding

	stop func()        // tells the judge to stop
	done chan struct{} // closed when the following are set
	// score and daviesBouldin are as in Member, labels are the clusters, and seconds the time for
	// them. panicked is what the judge's panic had, or nil.
	score, daviesBouldin float64
	labels               []int
	seconds              float64
	err                  error
	panicked             any
}

// mostJudges returns how many judges may run beside the training of a member: as many as there
// are cores, and as fit in half of the memory that is free besides what the training needs.
// It returns 0 if that is none, or if there is one core, which a judge would only take from
// the training.
func mostJudges(input *Input, o Options) int {
	cores := runtime.GOMAXPROCS(0)
	free, err := system.FreeMemory()
	if err != nil || cores == 1 {
		return 0
	}
	n, f := input.Smoothed.Rows, input.Smoothed.Cols
	half := (float64(free) - o.trainingBytes(n, f)) / 2
	most := half / o.judgeBytes(n, f)
	return max(0, int(min(most, float64(cores))))
}

// judgeBytes estimates the memory that a pending judge takes for an embedding of that many rows: the
// embedding, its weights, and what clustering and index need. What Options.Judge needs is not known,
// and is counted as much as the embedding.
func (o Options) judgeBytes(rows, features int) float64 {
	n, f, d := float64(rows), float64(features), float64(o.Dims)
	bytes := 4 * d * (n + f)
	if o.Judge != nil {
		return bytes + 4*d*n
	}
	return bytes + linalg.EigenBytes(rows, o.Clusters) + indexBytes(rows, o.Dims)
}

// begin has the embedding z judged, by clustering with c or, if by is not nil, by that Judge. z
// must not change before s is done. If as many judges run as may, begin first waits for the first
// of them. If none may run beside the training, it waits for this one.
func (j *judges) begin(ctx context.Context, s *judgment, z blas32.General, c Config, by *Judge) {
	s.z, s.done = z, make(chan struct{})
	if j.most == 0 {
		s.stop = func() {}
		s.judge(ctx, c, by)
		close(s.done)
		return
	}
	if first := len(j.pending) - j.most; first >= 0 { // the first that may still run
		<-j.pending[first].done
	}
	ctx, s.stop = context.WithCancel(ctx)
	go func() {
		debug.SetPanicOnFault(true) // what is judged may be of a mapped file
		defer func() {
			s.panicked = recover()
			s.stop()
			close(s.done)
		}()
		s.judge(ctx, c, by)
	}()
}

// judge sets the score of the embedding, by clustering with c and the Davies–Bouldin index if by is
// nil, or else by that Judge, and the time that this took.
func (s *judgment) judge(ctx context.Context, c Config, by *Judge) {
	defer stopwatch(&s.seconds)()
	if by != nil {
		s.score, s.err = by.Score(ctx, s.z)
		if s.err == nil && math.IsNaN(s.score) {
			s.err = fmt.Errorf("the score from %s is not a number", by.Name)
		}
		return
	}
	var found cluster.SpectralResult
	found, s.err = cluster.Spectral(ctx, cluster.Gram(s.z), c.Clusters, cluster.SpectralOptions{Scaling: c.Scaling}, c.random(rng.Clusters, s.saved.Epoch))
	if s.err == nil {
		s.daviesBouldin, s.err = cluster.DaviesBouldinGram(ctx, s.z, found.Labels)
	}
	s.score, s.labels = s.daviesBouldin, found.Labels
}

// isDone reports whether the judge is done.
func (s *judgment) isDone() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// end stops the judge and waits until it has stopped.
func (s *judgment) end() {
	s.stop()
	<-s.done
}

// result waits for the judge and returns s.saved with its scores, or its error with the epoch. It
// raises the judge's panic again, as linalg.Parallel does.
func (s *judgment) result() (Saved, error) {
	<-s.done
	if s.panicked != nil {
		panic(s.panicked)
	}
	saved := s.saved
	saved.Score, saved.DaviesBouldin = s.score, s.daviesBouldin
	if s.err != nil {
		return saved, fmt.Errorf("epoch %d: %w", saved.Epoch, s.err)
	}
	return saved, nil
}

// matrix returns a matrix for an n×d embedding that no running judge reads: one of j.matrices, to
// which it adds a new one if judges read them all.
func (j *judges) matrix(n, d int) blas32.General {
	read := map[*float32]bool{}
	for _, s := range j.pending {
		if !s.isDone() {
			read[&s.z.Data[0]] = true
		}
	}
	for _, z := range j.matrices {
		if !read[&z.Data[0]] {
			return z
		}
	}
	z := linalg.New(n, d)
	j.matrices = append(j.matrices, z)
	return z
}

// end stops all judges.
func (j *judges) end() {
	for _, s := range j.pending {
		s.end()
	}
}
