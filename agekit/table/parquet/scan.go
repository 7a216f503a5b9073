package parquet

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/message"
)

// scan is [table.Format].Scan of Parquet. It reads only the columns that are chosen, and of these a batch of
// rows at a time. The sample for choose is the first rows of the first group.
func scan(ctx context.Context, f *table.File, o table.Options, choose table.Choose, do func(*table.Row) error) (_ *table.Table, err error) {
	defer damaged(f, &err)
	r, err := open(f)
	if err != nil {
		return nil, err
	}
	head := table.Head{Header: true}
	var columns []*builder // those of head
	var leaves []int       // their indices in the file
	kinds := kindsOf(r.Schema())
	for _, b := range newBuilders(r.Schema()) {
		if b.unusable == nil && !b.list || b.hasMembers(kinds[b.leaf]) {
			head.Names, head.Numbers = append(head.Names, b.name), append(head.Numbers, b.number != nil && !b.list)
			columns, leaves = append(columns, b), append(leaves, b.leaf)
		}
	}
	groups := r.Metadata().RowGroups
	sampled := newTexts(f.Size())
	if len(groups) > 0 && len(leaves) > 0 {
		if err := checkPages(ctx, f, groups[:1], leaves...); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
		err = eachRow(ctx, r.RowGroups()[0], columns, rowsAtATime, func(_ int64, row [][]parquet.Value) error {
			if err := sampled.count(columns, row); err != nil {
				return err
			}
			fields := make([]string, len(columns))
			for k, c := range columns {
				fields[k], _ = c.cell(row[k])
			}
			head.Sample = append(head.Sample, fields)
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
	}
	chosen, err := choose(head)
	if err != nil {
		return nil, err
	}
	var used []*builder // the columns of words, and after them the column of a number, if any
	for _, k := range chosen.Words {
		used = append(used, columns[k])
	}
	words := len(used)
	if chosen.Number >= 0 {
		used = append(used, columns[chosen.Number])
	}
	leaves = nil
	for _, c := range used {
		leaves = append(leaves, c.leaf)
	}
	if err := checkPages(ctx, f, groups, leaves...); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	texts := newTexts(f.Size())
	report := o.Progress.Reading(f.Name())
	before := int64(0) // how many rows the groups before have
	fields := table.Row{Words: make([]string, words), Number: math.NaN()}
	for _, group := range r.RowGroups() {
		if err := eachRow(ctx, group, used, allRows, func(k int64, row [][]parquet.Value) (err error) {
			if k%rowsAtATime == 0 {
				share := float64(before+k) / float64(r.NumRows())
				report(int64(share*float64(r.Size())), r.Size())
			}
			err = texts.count(used, row)
			for j := 0; j < words && err == nil; j++ {
				fields.Words[j], err = used[j].cell(row[j])
			}
			if words < len(used) {
				fields.Number = used[words].asNumber(row[words][0])
			}
			if err == nil {
				err = do(&fields)
			}
			if err != nil {
				err = fmt.Errorf("row %d: %w", before+k+1, err)
			}
			return err
		}); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
		before += group.NumRows()
	}
	return &table.Table{Path: f.Name()}, nil
}

// allRows is more rows than a group has.
const allRows = math.MaxInt64

// eachRow calls do for each of the first rows of a group, most at most. It passes the index k of the row in
// the group, and the row's values: row[j] are those in columns[j], one, or those of a list. They are
// overwritten after do returns.
func eachRow(ctx context.Context, group parquet.RowGroup, columns []*builder, most int64, do func(k int64, row [][]parquet.Value) error) error {
	var chunks []parquet.ColumnChunk
	for _, c := range columns {
		chunks = append(chunks, group.ColumnChunks()[c.leaf])
	}
	reader := parquet.NewColumnChunkRowReader(chunks)
	defer reader.Close()
	var rows [rowsAtATime]parquet.Row
	row := make([][]parquet.Value, 0, len(columns))
	for k := int64(0); k < min(most, group.NumRows()); {
		n, err := reader.ReadRows(rows[:])
		if n == 0 || ctx.Err() != nil {
			return cmp.Or(ctx.Err(), fmt.Errorf("damaged: %w", cmp.Or(err, io.ErrNoProgress)))
		}
		for _, c := range columns { // the texts of the last batch may not be in memory any more
			clear(c.shared)
		}
		for _, values := range rows[:min(int64(n), most-k, group.NumRows()-k)] {
			// Values are those of all columns, one after the other: from start to end is one column.
			row = row[:0]
			for start, end := 0, 1; start < len(values); end++ {
				if end == len(values) || values[end].Column() != values[start].Column() {
					row, start = append(row, values[start:end]), end
				}
			}
			if len(row) < len(columns) {
				return fmt.Errorf("damaged: %w", io.ErrUnexpectedEOF)
			}
			if err := do(k, row); err != nil {
				return err
			}
			k++
		}
	}
	return nil
}

// text returns a value as the cell of a table that [read] gives, "" if it is missing. Integers have all
// their digits. A whole number of another type that a float64 may have changed is an error.
func (b *builder) text(v parquet.Value) (string, error) {
	if v.IsNull() {
		return "", nil
	}
	if b.number == nil {
		return b.sharedWord(v), nil
	}
	x := b.number(v)
	switch whole := int64(x); {
	case math.IsNaN(x):
		return "", nil
	case math.Abs(x) >= 1<<53 && b.whole != nil:
		return b.whole(v), nil
	case math.Abs(x) >= 1<<53:
		return "", fmt.Errorf("column %s: id %.0f: want integers below 2⁵³, or words", message.Quote(b.name), x)
	case float64(whole) == x:
		return strconv.FormatInt(whole, 10), nil
	}
	return strconv.FormatFloat(x, 'f', -1, 64), nil
}
