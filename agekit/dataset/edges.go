package dataset

import (
	"context"
	"io"
	"math"
	"strconv"
)

// readEdges reads lines "u v" or "u v weight" of a graph of n nodes. w is nil
// if the lines have no weights.
func readEdges(ctx context.Context, r io.Reader, name string, n int) (u, v []int32, w []float32, err error) {
	l := newLineReader(ctx, r, name)
	for l.next() {
		first, rest := cutField(l.text)
		second, rest := cutField(rest)
		third, rest := cutField(rest)
		i, ok1 := parseInt(first)
		j, ok2 := parseInt(second)
		if !ok1 || !ok2 || len(rest) > 0 {
			return nil, nil, nil, l.errorf("%q, want u TAB v or u TAB v TAB weight, nodes from 0", l.text)
		}
		if max(i, j) >= n {
			return nil, nil, nil, l.errorf("node %d, want 0 to %d", max(i, j), n-1)
		}
		if len(u) > 0 && (w != nil) != (len(third) > 0) {
			return nil, nil, nil, l.errorf("%q, want a weight on all lines or on none", l.text)
		}
		if len(third) > 0 {
			x, err := strconv.ParseFloat(string(third), 32)
			if err != nil || !(float32(x) > 0) || math.IsInf(x, 1) {
				return nil, nil, nil, l.errorf("weight %q, want a positive finite number", third)
			}
			w = append(w, float32(x))
		}
		u, v = append(u, int32(i)), append(v, int32(j))
	}
	return u, v, w, l.err()
}
