package input

import (
	"fmt"
	"math"
	"strings"

	"github.com/agekit/age/internal/option"
)

// entryKey orders the entries of the adjacency matrix by row and column, and keeps those of
// an edge u–v apart from those of v–u, which are backward.
func entryKey(row, column int, backward bool) uint64 {
	key := uint64(row)<<32 | uint64(column)<<1
	if backward {
		key++
	}
	return key
}

// entries merges edges, which come in the order of [entryKey], to the entries of the
// adjacency matrix: between two nodes the weights of each direction are added up, and the
// larger sum counts.
type entries struct {
	path string // of the edges, for errors
	put  func(row, column int, weight float32) error
	// largest says that the largest weight counts, not the sum, as in a plain list.
	largest bool

	row, column int
	count       [2]int     // of the edges of each direction
	weight      [2]float64 // of each direction
	edgeCounts
}

// edgeCounts counts what a user may want to know.
type edgeCounts struct{ repeated, both, differ int }

// add adds an edge.
func (e *entries) add(key uint64, weight float64) error {
	row, column, direction := int(key>>32), int(uint32(key)>>1), key&1
	if row != e.row || column != e.column {
		if err := e.end(); err != nil {
			return err
		}
		e.row, e.column = row, column
	}
	e.count[direction]++
	if e.largest {
		e.weight[direction] = max(e.weight[direction], weight)
	} else {
		e.weight[direction] += weight
	}
	return nil
}

// end ends an entry. Call it after the last edge.
func (e *entries) end() error {
	if e.count[0]+e.count[1] == 0 {
		return nil
	}
	if e.row < e.column { // else it is counted at the other end
		e.repeated += max(0, e.count[0]-1) + max(0, e.count[1]-1)
		if e.count[0] > 0 && e.count[1] > 0 {
			e.both++
			if e.weight[0] != e.weight[1] {
				e.differ++
			}
		}
	}
	sum := max(e.weight[0], e.weight[1])
	if math.IsInf(float64(float32(sum)), 1) {
		return fmt.Errorf("%s: the weights of the edges between nodes %d and %d add up to %v: want at most %v", e.path, e.row, e.column, sum, float32(math.MaxFloat32))
	}
	e.count, e.weight = [2]int{}, [2]float64{}
	return e.put(e.row, e.column, float32(sum))
}

// describeTable says where the weights are, and what became of directions and loops.
func (s *Said) describeTable(path string, info *edgeInfo, loops int) {
	if info.weight >= 0 {
		s.note("%s: column %s has the weights", path, info.labels[info.weight])
	} else if len(info.positive) > 0 {
		m := option.Sprintf("%s: no weights: column %s has positive numbers", path, strings.Join(info.positive, ", "))
		s.Warnings = append(s.Warnings, m.Advise("%s uses them", edgeWeight, info.positive[0]))
	}
	if info.directed {
		s.warn("%s: the edges are directed: their direction is dropped", path)
	}
	if loops > 0 {
		s.note("%s: %d loops dropped: a node is no neighbor of itself", path, loops)
	}
}

// describeCounts says what became of repeated edges and of those in both directions.
func (s *Said) describeCounts(path string, counts edgeCounts) {
	if counts.repeated > 0 {
		s.note("%s: %d lines repeat an edge: its weights are added", path, counts.repeated)
	}
	switch {
	case counts.differ > 0:
		s.warn("%s: %d edges are there in both directions, %d of them with different weights: each counts once, with the larger weight", path, counts.both, counts.differ)
	case counts.both > 0:
		s.note("%s: %d edges are there in both directions: each counts once", path, counts.both)
	}
}
