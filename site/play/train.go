package play

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/rng"
	"gonum.org/v1/gonum/blas/blas32"
)

// defaultOptions returns the options of a training, if the page sets no others: it can set each that has a name
// in JSON. An epoch must be short in a browser: it is a single step (AllPairs) with at most 20,000 positive
// pairs, selected among the pairs of 256 anchors with all nodes. The graphs of a page are small, so that no
// sample of the nodes is needed.
func defaultOptions() encoder.Options {
	return encoder.Options{Config: encoder.Config{
		Dims: 128, Epochs: 40, BatchSize: encoder.AllPairs, Ranking: pairs.Sampled, Anchors: 256, EpochPairs: 20_000, Sample: encoder.AllNodes,
	}}
}

// onGraph returns the options o for the graph g: with the thresholds for g, unless o has some, and with no more
// anchors than g has nodes.
func onGraph(o encoder.Options, g *graph.Graph) encoder.Options {
	if o.Thresholds == (pairs.Thresholds{}) {
		o.Thresholds = thresholds(g)
	}
	o.Anchors = min(o.Anchors, g.N())
	return o
}

// trainer is a training that the page watches.
type trainer struct {
	input    *encoder.Input
	settings encoder.Options
	session  *encoder.Session
	z        blas32.General         // the embedding; each reply overwrites it
	states   map[int]*encoder.State // to go back to, by the number of epochs done
	rnd      *rand.Rand             // draws the negative pairs that are shown
}

// close ends the training and frees what it holds.
func (t *trainer) close() {
	if t.session != nil {
		t.session.Close()
	}
	t.input.Close()
}

// Epoch is what the page hears after an epoch, and before the first one.
type Epoch struct {
	Epoch, Epochs int
	Loss          *float64 // mean of the epoch's pairs; nil if no epoch was trained by the call
	Seconds       float64  // that the call took
	Done          bool     // the training has ended
	Earliest      int      // the first epoch that the page can go back to
	Learned       *Learned // nil unless the epoch was saved
	Selected      *Selected
	LambdaMax, K  float64
}

// Learned says what the clusters of the chosen epoch are worth: of those so far, the one with the lowest
// Davies–Bouldin index. ACC, NMI and ARI are nil if the graph has no labels.
type Learned struct {
	Epoch         int     // the chosen one
	DaviesBouldin float64 // of the epoch that was just trained
	Chosen        float64 // the Davies–Bouldin index of the chosen epoch
	ACC, NMI, ARI *float64
	Modularity    float64
}

// Selected describes the pairs that were selected for the next epochs.
type Selected struct {
	Positives, Negatives       int     // how many
	PosThreshold, NegThreshold float32 // the least similarity of positives, the largest of negatives
	PosShare, NegShare         float64 // the shares of all pairs, the most similar first, that set these
	Anchors                    int
	// Histogram counts the similarities of all ordered pairs in equal bins on [0, 1].
	Histogram []int
	// PosSame and NegSame are the shares of the shown pairs, of nodes of known class, whose
	// classes are the same: only a score. They are nil without labels.
	PosSame, NegSame *float64
}

// trainStart starts a training of the page's graph, in place of the one before. The reply has the embedding
// before the first epoch.
func (p *Player) trainStart(ctx context.Context, r Request) (Reply, error) {
	o := defaultOptions()
	if err := arguments(r, &o); err != nil {
		return Reply{}, err
	}
	if err := p.needsGraph(r); err != nil {
		return Reply{}, err
	}
	return p.start(ctx, o)
}

// start starts a training of the page's graph with the options o, in place of the one before. The reply is that of
// trainStart.
func (p *Player) start(ctx context.Context, o encoder.Options) (Reply, error) {
	began := time.Now()
	o = onGraph(o, p.g)
	planned, err := o.Plan(p.g)
	if err != nil {
		return Reply{}, err
	}
	if p.train != nil {
		p.train.close()
		p.train = nil
	}
	prepared, err := encoder.Prepare(ctx, p.g, o)
	if err != nil {
		return Reply{}, err
	}
	session, err := planned.Start(ctx, prepared, nil)
	if err != nil {
		prepared.Close()
		return Reply{}, err
	}
	p.train = &trainer{
		input: prepared, settings: o, session: session,
		z: linalg.New(p.g.N(), o.Dims), states: map[int]*encoder.State{}, rnd: rng.New(o.Seed, rng.ShownPairs),
	}
	return p.train.reply(ctx, Epoch{}, began, true)
}

// trainNext trains an epoch. If the epoch was saved, the reply has the embedding.
func (p *Player) trainNext(ctx context.Context, r Request) (Reply, error) {
	began := time.Now()
	if p.train == nil {
		return Reply{}, fmt.Errorf("%s: start a training first", r.Name)
	}
	e, err := p.train.session.Next(ctx)
	if err != nil {
		return Reply{}, err
	}
	out := Epoch{Loss: &e.Loss}
	saved := len(e.Saved) > 0
	if saved {
		out.Learned = p.learned(e.Saved[0])
	}
	return p.train.reply(ctx, out, began, saved)
}

// trainBack sets the training back to an epoch that is kept, and forgets the later ones. It goes on with the
// settings of the request's Training, if there are some; the filter and the dimensions must stay. The reply
// has the embedding of the epoch.
func (p *Player) trainBack(ctx context.Context, r Request) (Reply, error) {
	began := time.Now()
	if p.train == nil {
		return Reply{}, fmt.Errorf("%s: start a training first", r.Name)
	}
	t := p.train
	want := struct {
		Epoch    int
		Training encoder.Options
	}{Training: t.settings}
	if err := arguments(r, &want); err != nil {
		return Reply{}, err
	}
	state, ok := t.states[want.Epoch]
	if !ok {
		return Reply{}, fmt.Errorf("epoch %d is not kept: want one from %d on", want.Epoch, t.earliest())
	}
	settings := onGraph(want.Training, t.input.Graph)
	if settings.Dims != t.settings.Dims || settings.Filter != t.settings.Filter {
		return Reply{}, fmt.Errorf("the filter and the dimensions stay as they are: start again to change them")
	}
	planned, err := settings.Plan(t.input.Graph)
	if err != nil {
		return Reply{}, err
	}
	session, err := planned.Start(ctx, t.input, state)
	if err != nil {
		return Reply{}, err
	}
	t.session.Close()
	t.session, t.settings = session, settings
	for epoch := range t.states {
		if epoch > want.Epoch {
			delete(t.states, epoch)
		}
	}
	return t.reply(ctx, Epoch{}, began, true)
}

// mostStates is how many epochs the page can go back.
const mostStates = 60

// reply returns e with all that the session knows, for a call that began at a time. It keeps the state of the
// epoch, so that the page can go back to it. If withRows is true, the reply's numbers are the embedding
// "rows", its "clusters" if there are some, and pairs to show.
func (t *trainer) reply(ctx context.Context, e Epoch, began time.Time, withRows bool) (Reply, error) {
	m := t.session.Member
	e.Epoch, e.Epochs, e.Done = len(m.Loss), t.settings.Epochs, t.session.Done
	e.LambdaMax, e.K = t.input.LambdaMax, t.input.Filter.K
	state, err := t.session.State()
	if err != nil {
		return Reply{}, err
	}
	t.states[e.Epoch] = state
	delete(t.states, e.Epoch-mostStates) // the oldest
	e.Earliest = t.earliest()
	numbers := map[string][]float32{}
	if withRows {
		if err := t.session.EmbedTo(ctx, t.z); err != nil {
			return Reply{}, err
		}
		numbers["rows"] = packed(t.z)
		if labels := t.session.Labels; labels != nil {
			numbers["clusters"] = float32s(metric.Match(t.input.Graph, labels))
		}
		if s := t.session.Selection; s != nil {
			if e.Selected, err = t.selected(ctx, s, m, numbers); err != nil {
				return Reply{}, err
			}
		}
	}
	e.Seconds = time.Since(began).Seconds()
	return Reply{e, numbers}, nil
}

// earliest returns the first epoch that the page can go back to.
func (t *trainer) earliest() int { return slices.Min(slices.Collect(maps.Keys(t.states))) }

// shownPairs is how many pairs of each kind the page draws, and shownBins how many bins of the histogram.
const (
	shownPairs = 150
	shownBins  = 50
)

// selected describes the selection s in the training of m. It adds to numbers, which the caller passes, the
// ends of some of its pairs, "positives" and "negatives".
func (t *trainer) selected(ctx context.Context, s *pairs.Selection, m encoder.Member, numbers map[string][]float32) (*Selected, error) {
	out := &Selected{
		Positives: s.Positives, Negatives: s.Negatives, PosThreshold: s.PosThreshold, NegThreshold: s.NegThreshold,
		Anchors: s.Anchors, Histogram: rebin(s.Histogram, shownBins),
	}
	o := t.settings.WithDefaults()
	update, updates := len(m.Loss)/o.UpdateEvery, o.Epochs/o.UpdateEvery // selections so far, and in all
	out.PosShare, out.NegShare = o.Thresholds.At(update, updates)
	count := min(shownPairs, len(s.I))
	i, j, err := s.DrawNegatives(ctx, shownPairs, t.rnd)
	if err != nil {
		return nil, err
	}
	numbers["positives"], out.PosSame = shown(t.input.Graph, s.I[:count], s.J[:count])
	numbers["negatives"], out.NegSame = shown(t.input.Graph, i, j)
	return out, nil
}

// shown returns, for pairs of nodes (i[k], j[k]), the ends of those whose nodes are different, two numbers for
// each pair. same is the share of pairs of the same class among those of known classes; nil if there are
// none of these.
func shown(g *graph.Graph, i, j []int32) (ends []float32, same *float64) {
	equal, known := 0, 0
	for k := range i {
		a, b := int(i[k]), int(j[k])
		if a == b {
			continue
		}
		ends = append(ends, float32(a), float32(b))
		if g.Labels == nil || g.Labels[a] == graph.Unknown || g.Labels[b] == graph.Unknown {
			continue
		}
		known++
		if g.Labels[a] == g.Labels[b] {
			equal++
		}
	}
	if known > 0 {
		share := float64(equal) / float64(known)
		same = &share
	}
	return ends, same
}

// rebin returns a histogram with fewer bins: each has the counts of some that follow one another.
func rebin(counts []int, bins int) []int {
	out := make([]int, bins)
	for i, c := range counts {
		out[i*bins/len(counts)] += c
	}
	return out
}

// learned describes the clusters that the training has chosen so far, after the epoch s, which was saved.
func (p *Player) learned(s encoder.Saved) *Learned {
	m := p.train.session.Member
	scores := metric.Score(p.g, p.train.session.Labels)
	return &Learned{
		Epoch: m.Epoch, DaviesBouldin: s.DaviesBouldin, Chosen: m.DaviesBouldin,
		ACC: scores.ACC, NMI: scores.NMI, ARI: scores.ARI, Modularity: scores.Modularity,
	}
}

// packed returns the entries of z without padding.
func packed(z blas32.General) []float32 {
	out := make([]float32, 0, z.Rows*z.Cols)
	for i := range z.Rows {
		out = append(out, z.Data[i*z.Stride:][:z.Cols]...)
	}
	return out
}
