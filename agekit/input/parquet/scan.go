package parquet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/parquet-go/parquet-go"

	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/internal/limit"
)

// scan reads a table of edges row by row: of its columns the two or three that are needed,
// and of these a batch of values at a time.
func scan(ctx context.Context, f *os.File, o input.TableOptions, ends input.Ends, do func(*input.Edge) error) (err error) {
	defer func() {
		if r := recover(); r != nil { // the library panics on some damaged files
			err = fmt.Errorf("%s: damaged: %v", f.Name(), r)
		}
	}()
	r, err := open(f)
	if err != nil {
		return err
	}
	var names []string
	var leaves []int // of the names
	builders := newBuilders(r.Schema())
	for k, b := range builders {
		if b.unusable == nil && !b.list {
			names, leaves = append(names, b.name), append(leaves, k)
		}
	}
	source, target, weight, err := input.FindEdges(f.Name(), names, ends, func(k int) bool { return builders[leaves[k]].number != nil })
	if err != nil {
		return err
	}
	s := scanner{f: f, edge: input.Edge{Weight: 1, Weighted: weight >= 0}, do: do, progress: func(int64) {}}
	if o.Progress != nil {
		s.progress = func(rows int64) { o.Progress(f.Name(), rows, r.NumRows()) }
	}
	for _, k := range []int{source, target, weight} {
		if k < 0 {
			continue
		}
		b := builders[leaves[k]]
		s.columns = append(s.columns, &column{builder: b, leaf: leaves[k]})
		if len(s.columns) == 3 && b.number == nil {
			return input.BadWeight("%s: column %s has words: want positive numbers", f.Name(), limit.Quote(b.name))
		}
	}
	var used []int
	for _, c := range s.columns {
		used = append(used, c.leaf)
	}
	if err := checkPages(ctx, f, r.Metadata().RowGroups, used...); err != nil {
		return fmt.Errorf("%s: %w", f.Name(), err)
	}
	for _, group := range r.RowGroups() {
		if err := s.group(ctx, group); err != nil {
			return err
		}
	}
	return nil
}

// scanner reads the columns of a file beside each other.
type scanner struct {
	f        *os.File
	columns  []*column // source, target and, unless there is none, weight
	edge     input.Edge
	row      int64
	do       func(*input.Edge) error
	progress func(rows int64)
}

func (s *scanner) group(ctx context.Context, group parquet.RowGroup) error {
	for _, c := range s.columns {
		c.pages, c.values, c.batch = group.ColumnChunks()[c.leaf].Pages(), nil, nil
		defer c.pages.Close()
	}
	for left := group.NumRows(); left > 0; left-- {
		if s.row%rowsAtATime == 0 {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			s.progress(s.row)
		}
		s.row++
		for k, c := range s.columns {
			v, err := c.next()
			if err != nil {
				return fmt.Errorf("%s: row %d: column %s: damaged: %w", s.f.Name(), s.row, limit.Quote(c.name), err)
			}
			if err := s.set(k, c, v); err != nil {
				return fmt.Errorf("%s: row %d: column %s: %w", s.f.Name(), s.row, limit.Quote(c.name), err)
			}
		}
		if err := s.do(&s.edge); err != nil {
			return fmt.Errorf("%s: row %d: %w", s.f.Name(), s.row, err)
		}
	}
	return nil
}

// set sets what the column k of the edge says. Ids are those of the table that [read] gives.
func (s *scanner) set(k int, c *column, v parquet.Value) error {
	if k == 2 {
		w := math.NaN()
		if !v.IsNull() {
			w = c.number(v)
		}
		if s.edge.Weight = w; !(float32(w) > 0) || w > math.MaxFloat32 {
			return fmt.Errorf("weight %v: want a positive finite number", w)
		}
		return nil
	}
	end := []*input.End{&s.edge.Source, &s.edge.Target}[k]
	if v.IsNull() {
		return errNoID
	}
	if c.number == nil {
		var ok bool
		if end.Text, ok = input.CleanID(c.word(v)); !ok {
			return errNoID
		}
		return nil
	}
	x := c.number(v)
	if math.IsNaN(x) {
		return errNoID
	}
	if math.Abs(x) >= 1<<53 {
		return fmt.Errorf("id %.0f: want integers below 2⁵³, or words", x)
	}
	if end.Text, end.Number = "", int(x); float64(end.Number) != x || end.Number < 0 {
		column := input.NewNumbers("", []float64{x})
		end.Text, _ = column.ID(0)
	}
	return nil
}

var errNoID = errors.New("empty: want the id of a node")

// column reads the values of a column of a row group.
type column struct {
	*builder
	leaf   int
	pages  parquet.Pages
	values parquet.ValueReader // of the page; nil before the first
	buffer [rowsAtATime]parquet.Value
	batch  []parquet.Value // what is left of the buffer
}

func (c *column) next() (parquet.Value, error) {
	for len(c.batch) == 0 {
		if c.values == nil {
			page, err := c.pages.ReadPage()
			if err != nil {
				if err == io.EOF {
					err = io.ErrUnexpectedEOF
				}
				return parquet.Value{}, err
			}
			c.values = page.Values()
		}
		n, err := c.values.ReadValues(c.buffer[:])
		c.batch = c.buffer[:n]
		switch {
		case err == io.EOF:
			c.values = nil
		case err != nil:
			return parquet.Value{}, err
		case n == 0:
			return parquet.Value{}, io.ErrNoProgress
		}
	}
	v := c.batch[0]
	c.batch = c.batch[1:]
	return v, nil
}
