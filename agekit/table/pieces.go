package table

import (
	"iter"
	"slices"
)

// pieces is a list whose length is not known before its end. It is not copied while it grows, for
// which append needs twice its memory: a new piece has an eighth of what is there.
type pieces[T any] struct {
	full  [][]T
	last  []T
	count int // of the values in full
}

// len returns the number of values.
func (p *pieces[T]) len() int { return p.count + len(p.last) }

// add appends a value.
func (p *pieces[T]) add(value T) {
	p.reserve(1)
	p.last = append(p.last, value)
}

// reserve makes room for n values in the last piece.
func (p *pieces[T]) reserve(n int) {
	const smallest = 16
	if len(p.last)+n <= cap(p.last) {
		return
	}
	if len(p.last) > 0 {
		p.full = append(p.full, p.last)
		p.count += len(p.last)
	}
	p.last = make([]T, 0, max(n, smallest, p.count/8))
}

// all yields the values in order.
func (p *pieces[T]) all() iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, piece := range append(slices.Clip(p.full), p.last) {
			for _, value := range piece {
				if !yield(value) {
					return
				}
			}
		}
	}
}

// join returns all values as one slice, nil if there are none.
func (p *pieces[T]) join() []T {
	whole := slices.Concat(append(slices.Clip(p.full), p.last)...)
	*p = pieces[T]{full: [][]T{whole}, count: len(whole)} // the pieces are free before the next list is joined
	return whole
}
