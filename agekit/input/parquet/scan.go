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
	"github.com/agekit/age/internal/files"
)

// scan reads a table of edges row by row: of its columns the two or three that are needed, and
// of these a batch of values at a time.
func scan(ctx context.Context, f *os.File, o input.TableOptions, find input.FindEdges, do func(*input.Edge) error) (_ *input.Table, err error) {
	defer damaged(f, &err)
	r, err := open(f)
	if err != nil {
		return nil, err
	}
	var names []string
	var columns []*column
	var leaves []int
	for k, b := range newBuilders(r.Schema()) {
		if b.unusable == nil && !b.list {
			names, columns, leaves = append(names, b.name), append(columns, &column{builder: b, leaf: k}), append(leaves, k)
		}
	}
	groups, sample := r.Metadata().RowGroups, [][]string{}
	if len(groups) > 0 && len(leaves) > 0 {
		if err := checkPages(ctx, f, groups[:1], leaves...); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
		err = eachRow(ctx, r.RowGroups()[0], columns, rowsAtATime, func(row int64) error {
			fields := make([]string, len(columns))
			for k, c := range columns {
				fields[k], _ = c.text()
			}
			sample = append(sample, fields)
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
	}
	source, target, weight, err := find(names, sample)
	if err != nil {
		return nil, err
	}
	used := []*column{columns[source], columns[target]}
	edge := input.Edge{Weight: 1, Weighted: weight >= 0}
	if edge.Weighted {
		if used = append(used, columns[weight]); used[2].number == nil {
			return nil, input.BadWeight("%s: column %s has words: want positive numbers", f.Name(), files.Quote(used[2].name))
		}
	}
	leaves = nil
	for _, c := range used {
		leaves = append(leaves, c.leaf)
	}
	if err := checkPages(ctx, f, groups, leaves...); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	before := int64(0) // rows of other groups
	for _, group := range r.RowGroups() {
		if err := eachRow(ctx, group, used, math.MaxInt64, func(row int64) (err error) {
			if row%rowsAtATime == 0 && o.Progress != nil {
				o.Progress(f.Name(), int64(float64(before+row)/float64(r.NumRows())*float64(r.Size())), r.Size())
			}
			if edge.Source, err = used[0].text(); err == nil {
				edge.Target, err = used[1].text()
			}
			if edge.Weighted {
				edge.Weight = used[2].asNumber(used[2].values[0])
			}
			if err == nil {
				err = do(&edge)
			}
			if err != nil {
				err = fmt.Errorf("row %d: %w", before+row+1, err)
			}
			return err
		}); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
		before += group.NumRows()
	}
	return &input.Table{Path: f.Name()}, nil
}

// eachRow calls do for each of the first rows of a group, after it has read the row's values in
// some columns.
func eachRow(ctx context.Context, group parquet.RowGroup, columns []*column, most int64, do func(row int64) error) error {
	for _, c := range columns {
		c.pages, c.page, c.batch = group.ColumnChunks()[c.leaf].Pages(), nil, nil
		defer c.pages.Close()
	}
	for row := range min(most, group.NumRows()) {
		if row%rowsAtATime == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for _, c := range columns {
			if err := c.next(); err != nil {
				return fmt.Errorf("column %s: damaged: %w", files.Quote(c.name), err)
			}
		}
		if err := do(row); err != nil {
			return err
		}
	}
	return nil
}

// column reads the values of a column of a row group.
type column struct {
	*builder
	leaf   int
	values []parquet.Value // of the row: one, or those of a list
	pages  parquet.Pages
	page   parquet.ValueReader // nil before the first
	buffer [rowsAtATime]parquet.Value
	batch  []parquet.Value // what is left of the buffer
}

// text returns the value of the row as the table that [read] gives has it, "" if it is missing.
func (c *column) text() (string, error) {
	v := c.values[0]
	if v.IsNull() {
		return "", nil
	}
	if c.number == nil {
		return c.word(v), nil
	}
	x := c.number(v)
	switch whole := int64(x); {
	case math.IsNaN(x):
		return "", nil
	case math.Abs(x) >= 1<<53:
		return "", fmt.Errorf("column %s: id %.0f: want integers below 2⁵³, or words", files.Quote(c.name), x)
	case float64(whole) == x:
		return strconv.FormatInt(whole, 10), nil
	}
	return strconv.FormatFloat(x, 'f', -1, 64), nil
}

// next reads the values of the next row.
func (c *column) next() error {
	c.values = c.values[:0]
	for {
		for len(c.batch) == 0 {
			switch err := c.fill(); {
			case err == io.EOF && len(c.values) > 0:
				return nil
			case err == io.EOF:
				return io.ErrUnexpectedEOF
			case err != nil:
				return err
			}
		}
		if len(c.values) > 0 && c.batch[0].RepetitionLevel() == 0 {
			return nil
		}
		c.values, c.batch = append(c.values, c.batch[0]), c.batch[1:]
		if !c.list {
			return nil
		}
	}
}

// fill reads more values of a page, or of the next.
func (c *column) fill() error {
	if c.page == nil {
		page, err := c.pages.ReadPage()
		if err != nil {
			return err
		}
		c.page = page.Values()
	}
	n, err := c.page.ReadValues(c.buffer[:])
	c.batch = c.buffer[:n]
	switch {
	case err == io.EOF:
		c.page = nil
	case err == nil && n == 0:
		return io.ErrNoProgress
	case err != nil:
		return err
	}
	return nil
}
