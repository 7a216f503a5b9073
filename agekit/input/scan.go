package input

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agekit/age/internal/limit"
)

// Edge is a row of a table of edges, as [Format].Scan reads it.
type Edge struct {
	Source, Target End
	Weight         float64 // 1 without weights
	Weighted       bool    // the same for all rows
}

// End is the id of a node: Text or, if that is empty, the digits of Number.
type End struct {
	Text   string
	Number int
}

// String returns the id.
func (e End) String() string {
	if e.Text != "" {
		return e.Text
	}
	return strconv.Itoa(e.Number)
}

// outside returns the error about an id that is none of n nodes that are numbered from 0.
func (e End) outside(n int) error {
	text := e.String()
	if e.Text != "" {
		text = limit.Quote(e.Text)
	}
	return fmt.Errorf("node %s, want 0 to %d: nodes are numbered from 0, one for each row of features", text, n-1)
}

// number returns the node with the id among nodes that are numbered from 0, as a table of
// numbers has it: 7 is one, 07 is none.
func (e End) number(n int) (node int, ok bool) {
	if e.Text == "" {
		return e.Number, e.Number >= 0 && e.Number < n
	}
	if len(e.Text) > 10 || e.Text[0] == '0' && e.Text != "0" {
		return 0, false
	}
	for k := range len(e.Text) {
		c := e.Text[k]
		if c < '0' || c > '9' {
			return 0, false
		}
		node = 10*node + int(c-'0')
	}
	return node, node < n
}

// FindEdges returns the indices of the columns of edges' ends and weights, −1 if there are no
// weights, of a table that is read row by row. An unnamed third column has the weights if
// number says that its first value is a number.
func FindEdges(path string, names []string, c Ends, number func(column int) bool) (source, target, weight int, err error) {
	t := &Table{Path: path, Columns: make([]Column, len(names))}
	for k, name := range names {
		if t.Columns[k].Name = name; number(k) {
			t.Columns[k].Numbers = []float64{}
		}
	}
	return t.findEdges(c)
}

// scanSeparated reads a table of edges row by row. Its ids are those of [readSeparated].
func scanSeparated(ctx context.Context, f *os.File, o TableOptions, ends Ends, do func(*Edge) error) error {
	style, err := sniff(f, o)
	if err != nil {
		return named(f, err)
	}
	r := &csvReader{name: f.Name(), style: style, columns: make([]csvColumn, len(style.names))}
	var first []string
	stop := errors.New("one row is enough")
	if err := r.each(ctx, f, func(record []string, _ int) error {
		first = append(first, record...)
		return stop
	}); err != nil && !errors.Is(err, stop) {
		return err
	}
	source, target, weight, err := FindEdges(f.Name(), style.names, ends, func(k int) bool {
		if k >= len(first) {
			return false
		}
		_, _, ok := style.number(strings.TrimSpace(first[k]))
		return ok
	})
	if err != nil {
		return err
	}
	if o.Progress != nil {
		r.progress = func(at int64) { o.Progress(f.Name(), at, sizeOf(f)) }
	}
	e := Edge{Weight: 1, Weighted: weight >= 0}
	from, to := idReader{column: source}, idReader{column: target}
	return r.each(ctx, f, func(record []string, _ int) (err error) {
		if e.Source.Text, err = from.read(record); err != nil {
			return err
		}
		if e.Target.Text, err = to.read(record); err != nil {
			return err
		}
		if weight >= 0 {
			w, _, ok := style.number(strings.TrimSpace(record[weight]))
			if e.Weight = w; !ok || !goodWeight(w) {
				return errorAt(weight, "%w", BadWeight("weight %s: want a positive finite number", limit.Quote(record[weight])))
			}
		}
		return do(&e)
	})
}

// CleanID returns a field as the id of a node, as [Column.AddWord] takes it, and false if it
// is missing.
func CleanID(field string) (id string, ok bool) {
	id, _ = printable(strings.TrimSpace(field))
	return id, !isMissing(id)
}

// idReader reads the ids in a column as [Column.ID] gives them.
type idReader struct {
	column int
	begun  bool
	point  bool // all are integers with .0, which they lose
}

func (r *idReader) read(record []string) (string, error) {
	text, ok := CleanID(record[r.column])
	if !ok {
		return "", errorAt(r.column, "empty: want the id of a node")
	}
	if !utf8.ValidString(text) {
		return "", errorAt(r.column, "%s: want UTF-8", limit.Quote(text))
	}
	point := isInteger(text)
	if !r.begun {
		r.begun, r.point = true, point
	}
	if point != r.point {
		return "", errorAt(r.column, "id %s: want all ids of the column with .0, or none", limit.Quote(text))
	}
	if point {
		text = strings.TrimSuffix(text, ".0")
	}
	return text, nil
}

// scanList reads a plain list of numbered nodes.
func scanList(ctx context.Context, f *os.File, o TableOptions, do func(*Edge) error) error {
	var r io.Reader = f
	if size := sizeOf(f); o.Progress != nil {
		r = &counted{r: f, tell: func(read int64) { o.Progress(f.Name(), read, size) }}
	}
	return scanEdges(ctx, r, f.Name(), do)
}

// counted tells how much has been read.
type counted struct {
	r    io.Reader
	read int64
	tell func(read int64)
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.read += int64(n)
	c.tell(c.read)
	return n, err
}

// errorAt returns an error about a column; the reader adds the file and the row.
func errorAt(column int, format string, args ...any) error {
	return fmt.Errorf("column %d: %w", column+1, fmt.Errorf(format, args...))
}

func goodWeight(w float64) bool { return float32(w) > 0 && w <= math.MaxFloat32 }
