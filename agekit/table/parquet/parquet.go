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
	"strconv"
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

// read is [table.Format].Read of Parquet. Integers, floats and decimals become numbers; but a column with
// integers of 2⁵³ or more, which a float64 may change, becomes words, since they are ids. Dates, times,
// booleans and text become words, as pandas writes them to text, so that features are the same. Lists of
// numbers that are equally long in all rows, such as sentence embeddings, become one column for each place;
// a row without a list is a gap in each. Lists of words become words as JSON writes the lists. Columns of
// other types are left out, with a warning. The options are not used: the file says itself what its
// columns are.
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
	whole  func(parquet.Value) string  // reads a value of a column of integers with all its digits; nil for other types
	list   bool                        // each row has a list of values

	numbers []float64    // the values of all rows, if they are numbers
	width   int          // how many values the first row with some has: 1, or the length of its list
	before  int          // how many rows without a list came before that row
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
		b.whole = wholeReader(leaf.Node.Type())
		switch {
		case len(path) > 1 && !b.list:
			b.name = strings.Join(path, ".")
			b.unusable = fmt.Errorf("part of a group of columns: %w", errType)
		case leaf.MaxRepetitionLevel > 0 && !b.list:
			b.unusable = fmt.Errorf("any number of values in a row: %w", errType)
		case b.number == nil && b.word == nil:
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
	isMissing := values[0].IsNull() && len(values) == 1 // also a list without values
	switch {
	case b.unusable != nil:
	case b.number == nil && isMissing:
		b.words.AddWord("")
	case b.number == nil && b.list:
		b.words.AddWord(b.listed(values))
	case b.number == nil:
		b.addWord(values[0])
	case b.list && isMissing:
		b.addGaps(1)
	case b.list && b.width > 0 && len(values) != b.width:
		b.unusable = fmt.Errorf("row %d: a list of %d numbers: want %d, as in the first row", len(b.numbers)/b.width+1, len(values), b.width)
	default:
		b.addNumbers(values)
	}
}

// addGaps appends rows without a list, or counts them while the length of the lists is not known.
func (b *builder) addGaps(rows int) {
	if b.width == 0 {
		b.before += rows
		return
	}
	for range rows * b.width {
		b.numbers = append(b.numbers, math.NaN())
	}
}

// addNumbers appends a row of numbers. An integer that a float64 may change makes words of a column of
// integers, and a column of lists unusable.
func (b *builder) addNumbers(values []parquet.Value) {
	if b.width == 0 {
		b.width = len(values)
		b.addGaps(b.before)
	}
	for _, v := range values {
		x := b.asNumber(v)
		isTooLarge := b.whole != nil && math.Abs(x) >= 1<<53
		switch {
		case isTooLarge && b.list:
			b.unusable = fmt.Errorf("row %d: %.0f in a list: want integers below 2⁵³", len(b.numbers)/b.width+1, x)
			return
		case isTooLarge:
			b.makeWords()
			b.words.AddWord(b.word(v))
			return
		}
		b.numbers = append(b.numbers, x)
	}
}

// makeWords makes words of the integers so far, with all their digits.
func (b *builder) makeWords() {
	for _, x := range b.numbers {
		word := ""
		if !math.IsNaN(x) {
			word = strconv.FormatInt(int64(x), 10)
		}
		b.words.AddWord(word)
	}
	b.number, b.word, b.numbers = nil, b.whole, nil
}

// listed returns a list of words as JSON writes it. Missing words are left out.
func (b *builder) listed(values []parquet.Value) string {
	words := []string{}
	for _, v := range values {
		if !v.IsNull() {
			words = append(words, b.sharedWord(v))
		}
	}
	return table.WordList(words)
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
	if b.width == 0 { // no row has a list
		b.width = 1
		b.addGaps(b.before)
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

// wholeReader returns the function that reads an integer of a type with all its digits, or nil if the values
// of the type are no integers.
func wholeReader(t parquet.Type) func(parquet.Value) string {
	signed := true
	if logical := t.LogicalType(); logical != nil {
		switch l := logical.Value.(type) {
		case *format.IntType:
			signed = l.IsSigned
		case *format.DecimalType:
			switch kind := t.Kind(); {
			case l.Scale != 0:
				return nil
			case kind == parquet.ByteArray || kind == parquet.FixedLenByteArray:
				return func(v parquet.Value) string { return bigInteger(v.ByteArray()).String() }
			}
		}
	}
	switch kind := t.Kind(); {
	case kind == parquet.Int32 && signed:
		return func(v parquet.Value) string { return strconv.FormatInt(int64(v.Int32()), 10) }
	case kind == parquet.Int32:
		return func(v parquet.Value) string { return strconv.FormatUint(uint64(v.Uint32()), 10) }
	case kind == parquet.Int64 && signed:
		return func(v parquet.Value) string { return strconv.FormatInt(v.Int64(), 10) }
	case kind == parquet.Int64:
		return func(v parquet.Value) string { return strconv.FormatUint(v.Uint64(), 10) }
	}
	return nil
}

const secondsPerDay = 24 * 60 * 60

// timestamp returns a time after the beginning of 1970, in UTC, as pandas writes it to text.
func timestamp(seconds, nanoseconds int64) string {
	return time.Unix(seconds, nanoseconds).UTC().Format("2006-01-02 15:04:05.999999999")
}

// bigEndian returns the integer whose bytes are b ([bigInteger]) as the nearest float64.
func bigEndian(b []byte) float64 {
	v, _ := new(big.Float).SetInt(bigInteger(b)).Float64()
	return v
}

// bigInteger returns the integer whose bytes are b, in two's complement and with the highest byte first.
func bigInteger(b []byte) *big.Int {
	n := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return n
}
