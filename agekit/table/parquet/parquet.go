// Package parquet adds Apache Parquet to the tables that package input reads and writes: a
// blank import registers files that end in .parquet. It is a package of its own because
// parquet-go adds 8 MB to a program. (Arrow's own library, arrow-go, adds 38.)
package parquet

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
	"github.com/x448/float16"

	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/system"
)

func init() {
	table.Register(table.Format{Extensions: []string{".parquet"}, Read: read, Scan: scan, Write: write})
}

// rowsAtATime is the number of rows that are decoded at a time.
const rowsAtATime = 1 << 10

// read reads a Parquet file. Integers, floats and decimals become numbers; dates, times,
// booleans and text words as pandas writes them to text, so that features are the same. A
// list of as many numbers in all rows, such as a sentence embedding, becomes a column for
// each. A warning tells of other types.
func read(ctx context.Context, f *table.File, _ table.Options) (t *table.Table, err error) {
	defer damaged(f, &err)
	r, err := open(f)
	if err != nil {
		return nil, err
	}
	bytes := 0. // of the pages, and of the values, of which a page may have millions in a few bytes
	for _, g := range r.Metadata().RowGroups {
		uncompressed := 0.
		for _, c := range g.Columns {
			uncompressed += float64(c.MetaData.TotalUncompressedSize)
			bytes += 8 * max(float64(c.MetaData.NumValues), float64(g.NumRows))
		}
		bytes += max(uncompressed, float64(g.TotalByteSize))
	}
	if err := system.CheckMemory(f.Name()+": table", bytes); err != nil {
		return nil, err
	}
	if err := checkPages(ctx, f, r.Metadata().RowGroups); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	t = &table.Table{Path: f.Name()}
	t.Rows = int(r.NumRows())
	for _, b := range newBuilders(r.Schema()) {
		for _, group := range r.RowGroups() {
			if b.unusable != nil {
				break
			}
			if err := eachRow(ctx, group, []*builder{b}, math.MaxInt64, func(_ int64, row [][]parquet.Value) error { b.add(row[0]); return nil }); err != nil {
				return nil, fmt.Errorf("%s: column %s: %w", f.Name(), message.Quote(b.name), err)
			}
		}
		if b.unusable != nil {
			t.Warnings = append(t.Warnings, message.Sprintf("column %s left out: %v", message.Quote(b.name), b.unusable))
			continue
		}
		t.Columns = append(t.Columns, b.columns()...)
	}
	return t, nil
}

// damaged makes an error of a panic: the library panics on some damaged files.
func damaged(f *table.File, err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%s: damaged: %v", f.Name(), r)
	}
}

// open reads the footer.
func open(f *table.File) (*parquet.File, error) {
	var r *parquet.File
	err := checkFooter(f, f.Size())
	if err == nil {
		r, err = parquet.OpenFile(f, f.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: not a Parquet file, or a truncated one: %w", f.Name(), err)
	}
	return r, nil
}

// checkFooter returns an error if the length of the footer, which the library allocates, is
// beyond the file's size, and panics if decoding it would not end ([ending]).
func checkFooter(f io.ReaderAt, size int64) error {
	var end [8]byte // the length and a mark
	if _, err := f.ReadAt(end[:], max(0, size-8)); err != nil {
		return err
	}
	length := int64(binary.LittleEndian.Uint32(end[:]))
	if length > size {
		return fmt.Errorf("a footer of %d bytes in a file of %d", length, size)
	}
	var footer format.FileMetaData
	_ = decode(bufio.NewReader(&ending{Reader: io.NewSectionReader(f, size-8-length, length)}), &footer) // the library says what is wrong
	return nil
}

// builder collects the values of a column.
type builder struct {
	name   string
	leaf   int                         // its place among the columns
	number func(parquet.Value) float64 // nil for words
	word   func(parquet.Value) string
	list   bool

	numbers []float64
	width   int // of the first row's list, or 1
	words   table.Column

	unusable error // why the column is left out
}

// newBuilders returns a builder for each leaf of a schema.
func newBuilders(s *parquet.Schema) []*builder {
	var all []*builder
	for k, path := range s.Columns() {
		b := &builder{name: path[0], leaf: k}
		leaf, _ := s.Lookup(path...)
		b.list = len(path) == 3 && isList(s, path[0])
		b.number, b.word = reader(leaf.Node.Type())
		switch {
		case len(path) > 1 && !b.list:
			b.name = strings.Join(path, ".")
			b.unusable = fmt.Errorf("part of a group of columns: %w", errType)
		case leaf.MaxRepetitionLevel > 0 && !b.list:
			b.unusable = fmt.Errorf("any number of values in a row: %w", errType)
		case b.number == nil && (b.word == nil || b.list):
			b.unusable = fmt.Errorf("values of type %s: %w", leaf.Node.Type(), errType)
		}
		all = append(all, b)
	}
	return all
}

// isList reports whether the column with a name is a list.
func isList(s *parquet.Schema, name string) bool {
	fields := s.Fields()
	k := slices.IndexFunc(fields, func(f parquet.Field) bool { return f.Name() == name })
	t := fields[k].Type().LogicalType()
	if t == nil {
		return false
	}
	_, list := t.Value.(*format.ListType)
	return list
}

var errType = errors.New("want numbers, words, booleans, dates or lists of numbers")

// add appends the value in a row, or the values of a list.
func (b *builder) add(values []parquet.Value) {
	if b.width == 0 {
		b.width = len(values)
	}
	switch {
	case b.unusable != nil:
	case b.number == nil && values[0].IsNull():
		b.words.AddWord("")
	case b.number == nil:
		b.words.AddWord(b.word(values[0]))
	case b.list && (len(values) != b.width || values[0].IsNull()):
		b.unusable = fmt.Errorf("row %d: a list of %d numbers: want %d, as in the first row", len(b.numbers)/b.width+1, len(values), b.width)
	default:
		for _, v := range values {
			x := b.asNumber(v)
			if integer := v.Kind() == parquet.Int64 || v.Kind() == parquet.Int32; integer && math.Abs(x) >= 1<<53 {
				b.unusable = fmt.Errorf("row %d: %.0f: want integers below 2⁵³, or words if they are ids", len(b.numbers)+1, x)
			}
			b.numbers = append(b.numbers, x)
		}
	}
}

// asNumber returns a value as a number, NaN if it is missing.
func (b *builder) asNumber(v parquet.Value) float64 {
	if v.IsNull() {
		return math.NaN()
	}
	return b.number(v)
}

// columns returns the finished columns: one, or one for each place in a list.
func (b *builder) columns() []table.Column {
	if b.number == nil {
		b.words.Name = b.name
		return []table.Column{b.words}
	}
	if !b.list {
		return []table.Column{{Name: b.name, Numbers: b.numbers}}
	}
	all := make([]table.Column, b.width)
	for k := range all {
		all[k] = table.Column{Name: fmt.Sprintf("%s %d", b.name, k+1), Numbers: make([]float64, 0, len(b.numbers)/b.width)}
		for list := range slices.Chunk(b.numbers, b.width) {
			all[k].Numbers = append(all[k].Numbers, list[k])
		}
	}
	return all
}

// reader returns the function that reads a value of a type as a number or a word, if it is.
func reader(t parquet.Type) (number func(parquet.Value) float64, word func(parquet.Value) string) {
	scale, signed, decimal := 1., true, false
	if logical := t.LogicalType(); logical != nil {
		switch l := logical.Value.(type) {
		case *format.DecimalType:
			scale, decimal = math.Pow10(int(l.Scale)), true
		case *format.DateType:
			return nil, func(v parquet.Value) string { return time.Unix(86400*int64(v.Int32()), 0).UTC().Format(time.DateOnly) }
		case *format.TimestampType:
			perSecond := int64(time.Second / l.Unit.Value.Duration())
			return nil, func(v parquet.Value) string {
				seconds, rest := v.Int64()/perSecond, v.Int64()%perSecond
				return timestamp(seconds, rest*int64(time.Second)/perSecond)
			}
		case *format.IntType:
			signed = l.IsSigned
		case *format.Float16Type:
			return func(v parquet.Value) float64 {
				return float64(float16.Frombits(binary.LittleEndian.Uint16(v.ByteArray())).Float32())
			}, nil
		case *format.StringType, *format.EnumType, *format.JsonType:
			return nil, func(v parquet.Value) string { return string(v.ByteArray()) }
		}
	}
	switch t.Kind() {
	case parquet.Boolean:
		word = func(v parquet.Value) string { return map[bool]string{true: "True", false: "False"}[v.Boolean()] }
	case parquet.Int32:
		number = func(v parquet.Value) float64 { return float64(v.Int32()) / scale }
		if !signed {
			number = func(v parquet.Value) float64 { return float64(v.Uint32()) }
		}
	case parquet.Int64:
		number = func(v parquet.Value) float64 { return float64(v.Int64()) / scale }
		if !signed {
			number = func(v parquet.Value) float64 { return float64(v.Uint64()) }
		}
	case parquet.Int96: // a time: nanoseconds of a Julian day
		word = func(v parquet.Value) string {
			const epoch = 2440588 // the Julian day of 1970
			parts := v.Int96()
			return timestamp(86400*(int64(parts[2])-epoch), int64(parts[1])<<32|int64(parts[0]))
		}
	case parquet.Float:
		number = func(v parquet.Value) float64 { return float64(v.Float()) }
	case parquet.Double:
		number = parquet.Value.Double
	case parquet.ByteArray, parquet.FixedLenByteArray:
		if decimal {
			number = func(v parquet.Value) float64 { return bigEndian(v.ByteArray()) / scale }
		}
	}
	return number, word
}

func timestamp(seconds, nanoseconds int64) string {
	return time.Unix(seconds, nanoseconds).UTC().Format("2006-01-02 15:04:05.999999999")
}

// bigEndian returns the number in two's complement of which the first byte is the highest.
func bigEndian(b []byte) float64 {
	n := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	v, _ := new(big.Float).SetInt(n).Float64()
	return v
}
