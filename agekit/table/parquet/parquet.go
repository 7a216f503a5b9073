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

// rowsAtATime is how many rows are decoded at a time.
const rowsAtATime = 1 << 10

// read is [table.Format].Read of Parquet. Integers, floats and decimals become numbers. Dates, times,
// booleans and text become words, as pandas writes them to text, so that features are the same. Lists of
// numbers that are equally long in all rows, such as sentence embeddings, become one column for each place.
// Columns of other types are left out, with a warning. The options are not used: the file says itself
// what its columns are.
func read(ctx context.Context, f *table.File, _ table.Options) (t *table.Table, err error) {
	defer damaged(f, &err)
	r, err := open(f)
	if err != nil {
		return nil, err
	}
	// The memory for the decompressed pages, and 8 bytes for each value, of which a page may have millions
	// in a few bytes. The footer gives both the size of a group and those of its columns.
	bytes := 0.
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
	texts := newTexts(f.Size())
	for _, b := range newBuilders(r.Schema()) {
		for _, group := range r.RowGroups() {
			if b.unusable != nil {
				break
			}
			add := func(_ int64, row [][]parquet.Value) error {
				if err := texts.add(row[0]); err != nil {
					return err
				}
				b.add(row[0]) // the values of the only column
				return nil
			}
			if err := eachRow(ctx, group, []*builder{b}, allRows, add); err != nil {
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

// damaged turns a panic to an error about f in *err: the library panics on some damaged files. Defer it.
func damaged(f *table.File, err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%s: damaged: %v", f.Name(), r)
	}
}

// open reads the footer of a file, and returns the file as the library knows it.
func open(f *table.File) (*parquet.File, error) {
	var r *parquet.File
	err := checkFooter(f, f.Size())
	if err == nil {
		r, err = parquet.OpenFile(f, f.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: not a Parquet file, or a truncated one: %w", f.Name(), err)
	}
	return r, f.Error(checkRows(r.Metadata(), f.Size()))
}

// checkFooter guards the library against the footer of a damaged file f with a size in bytes. It returns
// an error if the footer claims more bytes than the file has, since the library would allocate them; and it
// panics, for [damaged], if decoding the footer would not end ([ending]).
func checkFooter(f io.ReaderAt, size int64) error {
	// The file ends with the footer, the footer's length in 4 bytes and the mark PAR1.
	var tail [8]byte
	if _, err := f.ReadAt(tail[:], max(0, size-int64(len(tail)))); err != nil {
		return err
	}
	length := int64(binary.LittleEndian.Uint32(tail[:]))
	if length > size {
		return fmt.Errorf("a footer of %d bytes in a file of %d", length, size)
	}
	start := size - int64(len(tail)) - length
	var footer format.FileMetaData
	// An error of decoding is left to the library, which decodes the footer again and says what is wrong.
	_ = decode(bufio.NewReader(&ending{Reader: io.NewSectionReader(f, start, length)}), &footer)
	return nil
}

// builder reads the values of a column, as numbers or as words, and collects them.
type builder struct {
	name   string
	leaf   int                         // the index of the column in the file
	number func(parquet.Value) float64 // reads a value of a column of numbers; nil for other types
	word   func(parquet.Value) string  // reads a value of a column of words; nil for other types
	list   bool                        // each row has a list of values

	numbers []float64    // the values of all rows, if they are numbers
	width   int          // how many values the first row has: 1, or the length of its list
	words   table.Column // the values, if they are words

	unusable error // why the column is left out

	shared shared // the long texts of the batch of rows that is read
}

// newBuilders returns a builder for each leaf of a schema, which is a column with values. A builder whose
// column cannot be read is marked as unusable.
func newBuilders(s *parquet.Schema) []*builder {
	var all []*builder
	for k, path := range s.Columns() {
		b := &builder{name: path[0], leaf: k, shared: shared{}}
		leaf, _ := s.Lookup(path...)
		b.list = len(path) == 3 && isList(s, path[0]) // the path of a list's values is NAME, list, element
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

// isList reports whether the field of a schema with a name, which must exist, is a list.
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

// errType ends the error about a column of another type.
var errType = errors.New("want numbers, words, booleans, dates or lists of numbers")

// add appends a row, which has one value, or those of a list. A row that does not fit makes the column
// unusable.
func (b *builder) add(values []parquet.Value) {
	if b.width == 0 {
		b.width = len(values)
	}
	switch {
	case b.unusable != nil:
	case b.number == nil && values[0].IsNull():
		b.words.AddWord("")
	case b.number == nil:
		b.addWord(values[0])
	case b.list && (len(values) != b.width || values[0].IsNull()):
		b.unusable = fmt.Errorf("row %d: a list of %d numbers: want %d, as in the first row", len(b.numbers)/b.width+1, len(values), b.width)
	default:
		for _, v := range values {
			x := b.asNumber(v)
			isInteger := v.Kind() == parquet.Int64 || v.Kind() == parquet.Int32
			if isInteger && math.Abs(x) >= 1<<53 { // a float64 may be another integer
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

// columns returns the columns of all rows that were added: one, or one for each place in the lists.
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

// reader returns the function that reads a value of a type as a number, or the one that reads it as a word.
// The other one is nil, and both are for a type that cannot be read. The logical type, if there is one,
// says what the values mean; otherwise the physical type does.
func reader(t parquet.Type) (number func(parquet.Value) float64, word func(parquet.Value) string) {
	scale := 1. // by which a decimal, which is stored as an integer, is divided
	signed, decimal := true, false
	if logical := t.LogicalType(); logical != nil {
		switch l := logical.Value.(type) {
		case *format.DecimalType:
			scale, decimal = math.Pow10(int(l.Scale)), true
		case *format.DateType:
			return nil, func(v parquet.Value) string { // days since 1970
				return time.Unix(secondsPerDay*int64(v.Int32()), 0).UTC().Format(time.DateOnly)
			}
		case *format.TimestampType:
			perSecond := int64(time.Second / l.Unit.Value.Duration())
			return nil, func(v parquet.Value) string {
				seconds, rest := v.Int64()/perSecond, v.Int64()%perSecond // since 1970
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
	case parquet.Int96: // a time: nanoseconds, of 64 bits, in a Julian day, of 32 bits
		word = func(v parquet.Value) string {
			const epoch = 2440588 // the Julian day of 1 January 1970
			parts := v.Int96()
			nanoseconds, day := int64(parts[1])<<32|int64(parts[0]), int64(parts[2])
			return timestamp(secondsPerDay*(day-epoch), nanoseconds)
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

const secondsPerDay = 24 * 60 * 60

// timestamp returns a time after the beginning of 1970, in UTC, as pandas writes it to text.
func timestamp(seconds, nanoseconds int64) string {
	return time.Unix(seconds, nanoseconds).UTC().Format("2006-01-02 15:04:05.999999999")
}

// bigEndian returns the integer whose bytes are b, in two's complement and with the highest byte first.
func bigEndian(b []byte) float64 {
	n := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	v, _ := new(big.Float).SetInt(n).Float64()
	return v
}
