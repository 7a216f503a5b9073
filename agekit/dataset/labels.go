package dataset

import (
	"context"
	"io"
	"slices"
	"strconv"
)

// readLabels reads a class a line, and numbers the classes in increasing
// order: of numbers if all are integers, else of words.
func readLabels(ctx context.Context, r io.Reader, name string) (labels []int, classNames []string, err error) {
	var words []string
	var ids []int
	l := newLineReader(ctx, r, name)
	for l.next() {
		words = append(words, string(l.text))
		if id, err := strconv.Atoi(words[len(words)-1]); err == nil {
			ids = append(ids, id)
		}
	}
	if err := l.err(); err != nil {
		return nil, nil, err
	}
	if len(ids) == len(words) {
		labels, classNames = numberClasses(ids)
		return labels, classNames, nil
	}
	classNames = slices.Compact(slices.Sorted(slices.Values(words)))
	labels = make([]int, len(words))
	for i, word := range words {
		labels[i], _ = slices.BinarySearch(classNames, word)
	}
	return labels, classNames, nil
}
