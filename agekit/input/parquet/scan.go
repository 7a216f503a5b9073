package parquet

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/internal/limit"
)

// scan reads a table of edges row by row: of its columns the two or three that are needed,
// or, without weights, all that could have some; and of these a batch of values at a time.
func scan(ctx context.Context, f *os.File, o input.TableOptions, columns input.EdgeColumns, do func(*input.Edge) error) (info *input.EdgeInfo, err error) {
	defer damaged(f, &err)
	r, err := open(f)
	if err != nil {
		return nil, err
	}
	s := &scanner{f: f, do: do, progress: func(int64) {}}
	var names []string
	for k, b := range newBuilders(r.Schema()) {
		if b.unusable == nil && !b.list {
			names, s.columns = append(names, b.name), append(s.columns, &column{builder: b, leaf: k})
		}
	}
	if s.info, err = input.FindEdges(f.Name(), names, columns, nil); err != nil {
		return nil, err
	}
	s.weighted = s.info.Weight >= 0
	if s.weighted && s.columns[s.info.Weight].number == nil {
		return nil, input.BadWeight("%s: column %s has words: want positive numbers", f.Name(), s.info.Label(s.info.Weight))
	}
	if o.Progress != nil {
		info, err := f.Stat()
		if err != nil {
			return nil, err
		}
		s.progress = func(rows int64) {
			o.Progress(f.Name(), int64(float64(rows)/float64(max(1, r.NumRows()))*float64(info.Size())), info.Size())
		}
	}
	var used []int
	for k, c := range s.columns {
		needed := k == s.info.Source || k == s.info.Target || k == s.info.Weight
		c.positive = !needed && !s.weighted && c.number != nil
		if needed || c.positive {
			used = append(used, c.leaf)
		}
	}
	if err := checkPages(ctx, f, r.Metadata().RowGroups, used...); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	for _, group := range r.RowGroups() {
		if err := s.group(ctx, group); err != nil {
			return nil, err
		}
	}
	for k, c := range s.columns {
		if c.positive && s.row > 0 {
			s.info.Positive = append(s.info.Positive, s.info.Label(k))
		}
	}
	return s.info, nil
}

// scanner reads the columns of a file beside each other.
type scanner struct {
	f        *os.File
	info     *input.EdgeInfo
	weighted bool
	columns  []*column
	row      int64
	do       func(*input.Edge) error
	progress func(rows int64)
}

func (s *scanner) group(ctx context.Context, group parquet.RowGroup) error {
	for _, c := range s.columns {
		c.pages, c.values, c.batch = group.ColumnChunks()[c.leaf].Pages(), nil, nil
		defer c.pages.Close()
	}
	edge := input.Edge{Weight: 1, Weighted: s.weighted}
	for left := group.NumRows(); left > 0; left-- {
		if s.row%rowsAtATime == 0 {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			s.progress(s.row)
		}
		s.row++
		if err := s.read(&edge); err != nil {
			return fmt.Errorf("%s: row %d: %w", s.f.Name(), s.row, err)
		}
		if err := s.do(&edge); err != nil {
			return fmt.Errorf("%s: row %d: %w", s.f.Name(), s.row, err)
		}
	}
	return nil
}

// read reads the next row.
func (s *scanner) read(edge *input.Edge) error {
	if err := s.id(s.info.Source, &edge.Source); err != nil {
		return err
	}
	if err := s.id(s.info.Target, &edge.Target); err != nil {
		return err
	}
	if s.weighted {
		w, err := s.columns[s.info.Weight].next()
		if err != nil {
			return err
		}
		edge.Weight = s.columns[s.info.Weight].asNumber(w)
		return s.info.CheckWeight(edge.Weight)
	}
	for _, c := range s.columns {
		if !c.positive {
			continue
		}
		v, err := c.next()
		if err != nil {
			return err
		}
		c.positive = c.asNumber(v) > 0
	}
	return nil
}

// id reads the next id of a column, as the table that [read] gives has it.
func (s *scanner) id(k int, id *string) error {
	c := s.columns[k]
	v, err := c.next()
	switch {
	case err != nil:
		return err
	case v.IsNull():
		return s.info.NoID(k)
	case c.number == nil:
		word := input.NewWords("", []string{c.word(v)}) // as read has it
		var ok bool
		if *id, ok = word.ID(0); !ok {
			return s.info.NoID(k)
		}
		return nil
	}
	x := c.number(v)
	if math.IsNaN(x) {
		return s.info.NoID(k)
	}
	if math.Abs(x) >= 1<<53 {
		return fmt.Errorf("column %s: id %.0f: want integers below 2⁵³, or words", s.info.Label(k), x)
	}
	if whole := int64(x); float64(whole) == x {
		*id = strconv.FormatInt(whole, 10)
	} else {
		*id = strconv.FormatFloat(x, 'f', -1, 64)
	}
	return nil
}

// column reads the values of a column of a row group.
type column struct {
	*builder
	leaf     int
	positive bool // all numbers so far are, of one that could have the weights
	pages    parquet.Pages
	values   parquet.ValueReader // of the page; nil before the first
	buffer   [rowsAtATime]parquet.Value
	batch    []parquet.Value // what is left of the buffer
}

// next returns the next value.
func (c *column) next() (parquet.Value, error) {
	v, err := c.nextInPages()
	if err != nil {
		err = fmt.Errorf("column %s: damaged: %w", limit.Quote(c.name), err)
	}
	return v, err
}

func (c *column) nextInPages() (parquet.Value, error) {
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
