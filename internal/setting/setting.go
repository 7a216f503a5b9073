// Package setting reads what the tags of a struct say of its fields, which are settings: their
// names, what their zero values mean, which values they take. Flags, checks, defaults, files
// with settings, documentation and settings of other languages follow from it.
//
// The tags of a field are
//
//	json:"batch_size"      its name in messages, records and Python
//	name:"batch"           its flag; by default the name with dashes
//	zero:"10000"           what the zero value means, as text: fields that are 0 are not given
//	words:"all=-1,auto=0"  words for numbers that no number may mean
//	range:"1.."            the numbers it takes: low..high, without a bound that is in parentheses:
//	                       (0..1]
//	values:"auto,exact"    the texts it takes
//	want:"1 or more"       what it takes, for messages; by default it follows from range and values
//	chosen:""              it is chosen from the data if no such setting is given
//	of:"AGE"               it is that of one method
//	key:"-"                it decides nothing of a result
//	kong:"-"               no flag sets it
//	embed:""               a struct whose fields are settings, as those of embedded structs are
package setting

import (
	"cmp"
	"encoding"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/agekit/age/internal/message"
)

// Setting is a field of a struct.
type Setting struct {
	Name message.Option
	// Flag is its flag, without dashes; "" if none sets it.
	Flag string
	// Zero is what the zero value means, as text.
	Zero string
	// Values are the texts that it takes, and Words those that stand for numbers; nil if there
	// are none.
	Values []string
	Words  []string
	// Chosen says that it is chosen from the data if no such setting is given, and Of names the
	// method that alone has it.
	Chosen bool
	Of     string
	Type   reflect.Type

	index   []int     // of the field in the struct, for reflect's FieldByIndex
	numbers []float64 // for which Words stand
	bounds  bounds
	want    string // what the setting takes, for messages
}

// Most is the largest value of an integer: the products of two settings, and of a setting with a
// time in nanoseconds, stay far below 2⁶³.
const Most = 1 << 30

// All returns the settings of the struct type t. Of two with the same name, the outer one counts.
func All(t reflect.Type) (all []Setting) {
	for _, f := range reflect.VisibleFields(t) {
		if _, embed := f.Tag.Lookup("embed"); embed {
			for _, s := range All(f.Type) {
				s.index = slices.Concat(f.Index, s.index) // from t on
				all = append(all, s)
			}
			continue
		}
		if s := Read(f.Tag.Lookup, f.Type); !f.Anonymous && f.IsExported() && s.Name != "" && s.Name != "-" {
			s.index = f.Index
			all = append(all, s)
		}
	}
	return all
}

// Read returns the setting that the tags of a field of type t describe. lookup returns the value of a
// tag, and whether the field has it.
func Read(lookup func(tag string) (string, bool), t reflect.Type) Setting {
	tag := func(name string) string { value, _ := lookup(name); return value }
	name, _, _ := strings.Cut(tag("json"), ",")
	s := Setting{Name: message.Option(name), Zero: tag("zero"), Of: tag("of"), Type: t}
	if tag("kong") != "-" {
		s.Flag = cmp.Or(tag("name"), strings.ReplaceAll(name, "_", "-"))
	}
	if values := tag("values"); values != "" {
		s.Values = strings.Split(values, ",")
	}
	for word := range strings.SplitSeq(tag("words"), ",") {
		if word, number, found := strings.Cut(word, "="); found {
			s.Words, s.numbers = append(s.Words, word), append(s.numbers, mustParse(number))
		}
	}
	_, s.Chosen = lookup("chosen")
	s.bounds = parseBounds(tag("range"), t.Kind() == reflect.Int)
	s.want = cmp.Or(tag("want"), s.bounds.want)
	if s.Values != nil {
		s.want = english.WordSeries(s.Values, "or")
	}
	return s
}

// Limited reports whether the tags say which values the setting takes. A type that parses its text
// itself says so by itself.
func (s Setting) Limited() bool {
	return s.want != "" && !reflect.PointerTo(s.Type).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// bounds are the least and the largest value of a number.
type bounds struct {
	low, high           float64
	aboveLow, belowHigh bool   // whether low and high are themselves out of bounds
	want                string // what they are, in words
}

// parseBounds parses the text of a tag range: "0..1" with both ends, "(0..1)" without them, "(0..1]"
// without the first, and "1.." without a largest number, which is [Most] for an integer. The empty
// text bounds nothing.
func parseBounds(text string, integer bool) bounds {
	b := bounds{low: math.Inf(-1), high: math.Inf(1)}
	if text == "" {
		return b
	}
	low, high, _ := strings.Cut(text, "..")
	b.aboveLow, b.belowHigh = strings.HasPrefix(low, "("), strings.HasSuffix(high, ")")
	low, high = strings.TrimPrefix(low, "("), strings.TrimRight(high, ")]")
	b.low = mustParse(low)
	switch {
	case high != "":
		b.high, b.want = mustParse(high), low+" to "+high
	case integer:
		b.high, b.want = Most, low+" or more"
	case b.aboveLow:
		b.want = "a number above " + low
	}
	return b
}

// mustParse parses a number of a tag. It panics at a text that is none.
func mustParse(text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(fmt.Errorf("setting: tag with %q: %w", text, err))
	}
	return x
}

// has reports whether a number is within the bounds.
func (b bounds) has(x float64) bool {
	isAbove := x > b.low || x == b.low && !b.aboveLow
	isBelow := x < b.high || x == b.high && !b.belowHigh
	return isAbove && isBelow
}

// Value returns the value of the setting in the struct that p points to; it can be set.
func (s Setting) Value(p any) reflect.Value { return reflect.ValueOf(p).Elem().FieldByIndex(s.index) }

// number returns v as a float64, with ok false if v is not a number.
func number(v reflect.Value) (x float64, ok bool) {
	switch {
	case v.CanInt():
		return float64(v.Int()), true
	case v.CanFloat():
		return v.Float(), true
	}
	return 0, false
}

// wrong returns the error for a value that the setting does not take.
func (s Setting) wrong(value any) error {
	return message.Errorf("%s is %v: want %s", s.Name, value, s.want)
}

// check returns an error for a value that the setting does not take.
func (s Setting) check(v reflect.Value) error {
	if v.Kind() == reflect.String && s.Values != nil && !slices.Contains(s.Values, v.String()) {
		return s.wrong(strconv.Quote(v.String()))
	}
	x, ok := number(v)
	if !ok || s.bounds.has(x) || slices.Contains(s.numbers, x) {
		return nil
	}
	if v.CanInt() && s.bounds.high == Most && x > Most {
		return message.Errorf("%s is %d: want at most %d", s.Name, v.Int(), Most)
	}
	return s.wrong(v)
}

// Parse sets v to the value that a text means: a word, a number or a text that the setting takes. The
// error says what the setting takes.
func (s Setting) Parse(text string, v reflect.Value) error {
	if i := slices.Index(s.Words, text); i >= 0 {
		text = strconv.FormatFloat(s.numbers[i], 'f', -1, 64)
	} else if err := s.checkNumber(text, v); s.Words != nil && err != nil {
		return err
	}
	switch {
	case v.CanInt():
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return s.wrong(text)
		}
		v.SetInt(n)
	case v.CanFloat():
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return s.wrong(text)
		}
		v.SetFloat(x)
	case v.Kind() == reflect.String:
		v.SetString(text)
	}
	return s.check(v)
}

// checkNumber returns an error unless a text is a number that the setting, with the value v, takes. It
// refuses a number that must be given by its word.
func (s Setting) checkNumber(text string, v reflect.Value) error {
	x, err := strconv.ParseFloat(text, 64)
	switch {
	case err == nil && s.bounds.has(x) && !slices.Contains(s.numbers, x):
		return nil
	case err == nil && v.CanInt() && s.bounds.high == Most && x > Most:
		return message.Errorf("%s is %s: want at most %d", s.Name, text, Most)
	}
	return s.wrong(text)
}

// Text returns what stands for the value v in a record: the word for a number that has one, the text
// of a type with String, or else the value itself. Of a pointer, it is that of what it leads to.
func (s Setting) Text(v reflect.Value) any {
	if x, ok := number(v); ok {
		if i := slices.Index(s.numbers, x); i >= 0 {
			return s.Words[i]
		}
	}
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	if text, ok := v.Interface().(fmt.Stringer); ok {
		return text.String()
	}
	return v.Interface()
}

// Fill sets the settings that are zero, in the struct that p points to, to what their zero value means.
func Fill(p any) {
	for _, s := range All(reflect.TypeOf(p).Elem()) {
		if v := s.Value(p); s.Zero != "" && v.IsZero() {
			if err := s.Parse(s.Zero, v); err != nil {
				panic(fmt.Errorf("setting: tag zero: %w", err))
			}
		}
	}
}

// Check returns an error that names the first setting, in the struct that p points to, with a value that
// it does not take. Settings that are zero were not given and pass.
func Check(p any) error {
	for _, s := range All(reflect.TypeOf(p).Elem()) {
		if v := s.Value(p); !v.IsZero() {
			if err := s.check(v); err != nil {
				return err
			}
		}
	}
	return nil
}

// Overlay sets those settings of dst that are given in src, which are those that are not zero there, to
// their values in src.
func Overlay[T any](dst, src *T) {
	for _, s := range All(reflect.TypeFor[T]()) {
		if v := s.Value(src); !v.IsZero() {
			s.Value(dst).Set(v)
		}
	}
}

// Given returns the settings that are given in the struct that p points to: those that are not zero.
func Given(p any) (given []Setting) {
	for _, s := range All(reflect.TypeOf(p).Elem()) {
		if !s.Value(p).IsZero() {
			given = append(given, s)
		}
	}
	return given
}
