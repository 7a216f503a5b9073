package play

import (
	"context"
	"fmt"

	"github.com/agekit/age/agekit/tsne"
	"github.com/agekit/age/internal/rng"
	"gonum.org/v1/gonum/blas/blas32"
)

// mapAsked asks for a t-SNE map of the rows in the request's numbers "rows". It starts from the places
// in "places", if there are any, such as those of the map before.
type mapAsked struct {
	Dims       int
	Iterations int // default 300, or 60 from places
	Sample     int // rows placed by gradient descent; default 1,000
}

// mapRows places the rows of the request on a map. The reply has their "places", x and y of each in turn.
func (p *Player) mapRows(ctx context.Context, r Request) (Reply, error) {
	a := mapAsked{Sample: 1000}
	if err := arguments(r, &a); err != nil {
		return Reply{}, err
	}
	rows := r.Numbers["rows"]
	if a.Dims < 1 || len(rows) == 0 || len(rows)%a.Dims != 0 {
		return Reply{}, fmt.Errorf("map: %d numbers: want rows of %d", len(rows), a.Dims)
	}
	n := len(rows) / a.Dims
	x := blas32.General{Rows: n, Cols: a.Dims, Stride: a.Dims, Data: rows}
	o := tsne.Options{Iterations: a.Iterations, Sample: a.Sample}
	if places := r.Numbers["places"]; len(places) > 0 {
		if len(places) != 2*n {
			return Reply{}, fmt.Errorf("map: %d numbers of places: want %d", len(places), 2*n)
		}
		o.Start = blas32.General{Rows: n, Cols: 2, Stride: 2, Data: places}
	}
	if o.Iterations == 0 {
		o.Iterations = 300
		if o.Start.Rows > 0 { // the map before is near the new one
			o.Iterations = 60
		}
	}
	y, err := tsne.Map(ctx, x, o, rng.New(1, rng.Only))
	if err != nil {
		return Reply{}, err
	}
	return Reply{nil, map[string][]float32{"places": y.Data}}, nil
}
