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
