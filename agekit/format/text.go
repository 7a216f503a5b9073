package format

import (
	"context"
	"io"
	"math"
	"os"
	"strconv"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/lines"
)

func init() {
	Register(Format{Extensions: []string{".edges", ".edgelist"}, Edges: readEdges})
	// Pipes have no extension.
	Register(Format{Extensions: []string{"", ".tsv", ".txt"}, Edges: readEdges, Labels: readLabels})
}

func readEdges(ctx context.Context, f *os.File, g *graph.Graph) error {
	n, _ := g.Features.Dims()
	u, v, w, err := parseEdges(ctx, f, f.Name(), n)
	if err != nil {
		return err
	}
	g.ListedEdges = len(u)
	g.Adjacency, err = graph.Adjacency(n, u, v, w)
	return err
}

// parseEdges reads lines "u v" or "u v weight" of a graph of n nodes. w is nil
// if the lines have no weights.
func parseEdges(ctx context.Context, r io.Reader, name string, n int) (u, v []int32, w []float32, err error) {
	l := lines.NewReader(ctx, r, name)
	for l.Next() {
		first, rest := lines.CutField(l.Text())
		second, rest := lines.CutField(rest)
		third, rest := lines.CutField(rest)
		i, ok1 := lines.ParseInt(first)
		j, ok2 := lines.ParseInt(second)
		if !ok1 || !ok2 || len(rest) > 0 {
			return nil, nil, nil, l.Errorf("%q, want u TAB v or u TAB v TAB weight, nodes from 0", l.Text())
		}
		if max(i, j) >= n {
			return nil, nil, nil, l.Errorf("node %d, want 0 to %d", max(i, j), n-1)
		}
		if len(u) > 0 && (w != nil) != (len(third) > 0) {
			return nil, nil, nil, l.Errorf("%q, want a weight on all lines or on none", l.Text())
		}
		if len(third) > 0 {
			x, err := strconv.ParseFloat(string(third), 32)
			if err != nil || !(float32(x) > 0) || math.IsInf(x, 1) {
				return nil, nil, nil, l.Errorf("weight %q, want a positive finite number", third)
			}
			w = append(w, float32(x))
		}
		u, v = append(u, int32(i)), append(v, int32(j))
	}
	return u, v, w, l.Err()
}

func readLabels(ctx context.Context, f *os.File, g *graph.Graph) (err error) {
	g.Labels, g.ClassNames, err = parseLabels(ctx, f, f.Name())
	g.Classes = len(g.ClassNames)
	return err
}

// parseLabels reads one label per line, and numbers the classes in increasing
// order: numeric if all labels are integers, otherwise lexical.
func parseLabels(ctx context.Context, r io.Reader, name string) (labels []int, classNames []string, err error) {
	var words []string
	var ids []int
	l := lines.NewReader(ctx, r, name)
	for l.Next() {
		word := string(l.Text())
		words = append(words, word)
		if id, err := strconv.Atoi(word); err == nil {
			ids = append(ids, id)
		}
	}
	if err := l.Err(); err != nil {
		return nil, nil, err
	}
	if len(ids) == len(words) {
		labels, classNames = graph.NumberClasses(ids)
	} else {
		labels, classNames = graph.NumberClasses(words)
	}
	return labels, classNames, nil
}
