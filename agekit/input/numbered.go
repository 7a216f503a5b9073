package input

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/files"
	"github.com/agekit/age/internal/limit"
)

func readEdges(ctx context.Context, f *os.File, g *graph.Graph) error {
	// An edge takes at least 4 bytes in the file ("0 1", line end) and 8 here.
	if err := limit.Memory(f.Name()+": edges", 2*float64(sizeOf(f))); err != nil {
		return err
	}
	n, _ := g.Features.Dims()
	u, v, w, err := parseEdges(ctx, f, f.Name(), n)
	if err != nil {
		return err
	}
	if len(u) == 0 {
		return named(f, errNoEdges)
	}
	g.ListedEdges = len(u)
	g.Adjacency, err = graph.Adjacency(n, u, v, w)
	return named(f, err)
}

// parseEdges reads lines "u v" or "u v weight" of a graph of n nodes.
func parseEdges(ctx context.Context, r io.Reader, name string, n int) (u, v []int32, w []float32, err error) {
	err = scanEdges(ctx, r, name, func(e *Edge) error {
		if last := max(e.Source.Number, e.Target.Number); last >= n {
			return End{Number: last}.outside(n)
		}
		u, v = append(u, int32(e.Source.Number)), append(v, int32(e.Target.Number))
		if e.Weighted {
			w = append(w, float32(e.Weight))
		}
		return nil
	})
	if err != nil {
		return nil, nil, nil, err
	}
	return u, v, w, nil
}

// scanEdges calls do with each line of a plain list. Errors, those of do too, name the line.
func scanEdges(ctx context.Context, r io.Reader, name string, do func(*Edge) error) error {
	l := files.NewLineReader(ctx, r, name)
	var e Edge
	for first := true; l.Next(); first = false {
		one, rest := files.CutField(l.Text())
		other, rest := files.CutField(rest)
		third, rest := files.CutField(rest)
		i, ok1 := files.ParseInt(one)
		j, ok2 := files.ParseInt(other)
		if !ok1 || !ok2 || len(rest) > 0 {
			return l.Errorf("%s, want u TAB v or u TAB v TAB weight, nodes from 0", limit.Quote(l.Text()))
		}
		weighted := len(third) > 0
		if !first && weighted != e.Weighted {
			return l.Errorf("%s, want a weight on all lines or on none", limit.Quote(l.Text()))
		}
		e = Edge{Source: End{Number: i}, Target: End{Number: j}, Weight: 1, Weighted: weighted}
		if weighted {
			w, err := files.ParseWeight(third)
			if err != nil {
				return l.Errorf("%w", err)
			}
			e.Weight = float64(w)
		}
		if err := do(&e); err != nil {
			return l.Errorf("%w", err)
		}
	}
	return l.Err()
}

// readLabels returns a reader of labels, which must not contain the separator of columns.
func readLabels(separator string) readFunc {
	return func(ctx context.Context, f *os.File, g *graph.Graph) (err error) {
		n, _ := g.Features.Dims()
		g.Labels, g.ClassNames, err = parseLabels(ctx, f, f.Name(), n, separator)
		g.Classes = len(g.ClassNames)
		return err
	}
}

// errCount ends an error about the number of labels.
var errCount = errors.New("one for each row of features")

// parseLabels reads the labels of n nodes, one per line, and numbers the classes in order:
// numeric if all labels are integers, otherwise lexical.
func parseLabels(ctx context.Context, r io.Reader, name string, n int, separator string) (labels []int, classNames []string, err error) {
	var words []string
	var ids []int
	numbers := true
	var notInteger error // about the first number that is not an integer
	l := files.NewLineReader(ctx, r, name)
	for l.Next() {
		if err := l.Blank(); err != nil {
			return nil, nil, err
		}
		if len(words) == n {
			return nil, nil, l.Errorf("more than %d labels: want no header, and %w", n, errCount)
		}
		if len(l.Text()) > limit.Label || bytes.Contains(l.Text(), []byte(separator)) {
			return nil, nil, l.Errorf("label %s: want one label per line, of at most %d bytes", limit.Quote(l.Text()), limit.Label)
		}
		word := string(l.Text())
		words = append(words, word)
		if id, err := strconv.Atoi(word); err == nil {
			ids = append(ids, id)
		} else if numbers = numbers && files.IsNumber(l.Text()); numbers && notInteger == nil {
			notInteger = l.Errorf("label %s: want integers or words", limit.Quote(word))
		}
	}
	if err := l.Err(); err != nil {
		return nil, nil, err
	}
	if len(words) < n {
		return nil, nil, fmt.Errorf("%s: %d labels%s, want %d, %w", name, len(words), l.Skipped(), n, errCount)
	}
	switch {
	case len(ids) == len(words):
		labels, classNames = graph.NumberClasses(ids)
	case numbers:
		return nil, nil, notInteger
	default:
		labels, classNames = graph.NumberClasses(words)
	}
	return labels, classNames, nil
}
