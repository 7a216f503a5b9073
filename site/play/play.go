package play

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
)

// Request is what a page asks for.
type Request struct {
	Name    string               // of one of the actions
	Args    json.RawMessage      // arguments
	Numbers map[string][]float32 // long lists of numbers, by name
}

// Reply answers a request.
type Reply struct {
	Value   any                  // which becomes JSON
	Numbers map[string][]float32 // long lists of numbers, by name
}

// Player answers the requests of one page. It is not safe for concurrent use.
type Player struct {
	data   *input.Data  // what the page's graph was read from; nil before the first one is opened
	g      *graph.Graph // the page's graph, that of data
	train  *trainer     // the training of g; nil if none was started
	filter *filtering   // of g; nil if it was not started
}

// action answers the requests of one name.
type action func(p *Player, ctx context.Context, r Request) (Reply, error)

var actions = map[string]action{
	"open":         (*Player).open,
	"train.start":  (*Player).trainStart,
	"train.next":   (*Player).trainNext,
	"train.back":   (*Player).trainBack,
	"train.table":  (*Player).trainTable,
	"map":          (*Player).mapRows,
	"filter.start": (*Player).filterStart,
	"filter.apply": (*Player).filterApply,
	"method":       (*Player).method,
	"planted":      (*Player).planted,
	"predict":      (*Player).predict,
}

// Call answers a request. The error is for the page's user.
func (p *Player) Call(ctx context.Context, r Request) (Reply, error) {
	answer, ok := actions[r.Name]
	if !ok {
		return Reply{}, fmt.Errorf("unknown request %q: want one of %s", r.Name, strings.Join(slices.Sorted(maps.Keys(actions)), ", "))
	}
	return answer(p, ctx, r)
}

// arguments reads a request's arguments into dst, a pointer to a struct with the defaults. An argument that is
// no field of the struct is an error.
func arguments(r Request, dst any) error {
	if len(r.Args) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(r.Args))
	d.DisallowUnknownFields()
	if err := d.Decode(dst); err != nil {
		return fmt.Errorf("%s: %w", r.Name, err)
	}
	return nil
}

// needsGraph returns an error for a request that comes before the page has a graph.
func (p *Player) needsGraph(r Request) error {
	if p.g == nil {
		return fmt.Errorf("%s: open a graph first", r.Name)
	}
	return nil
}

// float32s returns numbers as a page's typed array holds them. Whole numbers up to 2²⁴ stay exact.
func float32s[T int | int32 | float64](values []T) []float32 {
	out := make([]float32, len(values))
	for i, v := range values {
		out[i] = float32(v)
	}
	return out
}
