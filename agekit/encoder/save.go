package encoder

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/npy"
	"github.com/agekit/age/internal/readfile"
)

// The arrays of an encoder file: the weights W, f×d, and b, 1×d, with the member's
// number appended if there are several; the filter's k and t; the features' unit, 1 if
// absent; the feature names, if any, as UTF-8 with one name per line; and, instead of
// weights, the number of features of an encoder that is not trained.
const (
	arrayW, arrayB = "W", "b"
	arrayK, arrayT = "k", "t"
	arrayUnit      = "unit"
	arrayNames     = "feature_names"
	arrayUntrained = "untrained"
)

// Save writes the encoder atomically to a file in NumPy's .npz format, as arrays W, b,
// k, t and unit; with several members, the weights are W1, b1, W2, b2, …, and without
// training there is an array untrained instead. [Load] reads it.
func (e *Encoder) Save(path string) error {
	arrays, err := e.Arrays()
	if err != nil {
		return err
	}
	return atomicfile.Write(path, func(w io.Writer) error { return npy.WriteArchive(w, arrays...) })
}

// Arrays returns the arrays of [Encoder.Save], for files that hold more.
func (e *Encoder) Arrays() ([]npy.NamedArray, error) {
	var arrays []npy.NamedArray
	for k, member := range e.Weights {
		number := ""
		if len(e.Weights) > 1 {
			number = strconv.Itoa(k + 1)
		}
		arrays = append(arrays, npy.NamedArray{Name: arrayW + number, Value: member.W}, npy.NamedArray{Name: arrayB + number, Value: member.Bias()})
	}
	arrays = append(arrays, npy.NamedArray{Name: arrayK, Value: []float64{e.Filter.K}}, npy.NamedArray{Name: arrayT, Value: []int64{int64(e.Filter.Layers)}},
		npy.NamedArray{Name: arrayUnit, Value: []float64{cmp.Or(e.Unit, 1)}})
	if len(e.Weights) == 0 {
		arrays = append(arrays, npy.NamedArray{Name: arrayUntrained, Value: []int64{int64(e.Features)}})
	}
	if e.FeatureNames != nil {
		for j, name := range e.FeatureNames {
			if strings.Contains(name, "\n") {
				return nil, fmt.Errorf("the name of feature %d is %q: want a name without line breaks", j, name)
			}
		}
		arrays = append(arrays, npy.NamedArray{Name: arrayNames, Value: []uint8(strings.Join(e.FeatureNames, "\n"))})
	}
	return arrays, nil
}

// ModelPrefix begins the names of arrays that belong to the model around the encoder
// (package model). [Load] leaves them alone.
const ModelPrefix = "model_"

// Load reads an encoder written by [Encoder.Save] from a regular file. Errors name the
// file and what is wrong with it, such as an array that Save does not write, except
// names that begin with [ModelPrefix].
func Load(path string) (*Encoder, error) {
	f, size, err := readfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var e *Encoder
	archive, err := npy.OpenArchive(f, size)
	if err == nil {
		e, err = FromArchive(archive)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return e, nil
}

// FromArchive reads an encoder from an archive, as [Load] does from a file.
func FromArchive(archive *npy.Archive) (*Encoder, error) {
	e := &Encoder{}
	layers, features := int64(0), int64(0)
	// All are read; the first error counts.
	err := cmp.Or(number(archive, arrayK, &e.Filter.K), number(archive, arrayT, &layers), number(archive, arrayUnit, &e.Unit))
	known := []string{arrayK, arrayT, arrayUnit, arrayNames} // the names that the file may have
	var members []string                                     // the numbers in the members' names
	if archive.Has(arrayUntrained) {
		known = append(known, arrayUntrained)
		err = cmp.Or(err, number(archive, arrayUntrained, &features))
	} else if archive.Has(arrayW) {
		members = []string{""} // a single member has no number
	} else {
		for k := 1; archive.Has(arrayW + strconv.Itoa(k)); k++ {
			members = append(members, strconv.Itoa(k))
		}
	}
	e.Filter.Layers, e.Features = int(layers), int(features)
	for _, member := range members {
		known = append(known, arrayW+member, arrayB+member)
		if err == nil {
			err = e.readMember(archive, member)
		}
	}
	if err == nil && archive.Has(arrayNames) {
		var names string
		names, err = archive.Text(arrayNames)
		e.FeatureNames = strings.Split(names, "\n")
	}
	if err := cmp.Or(err, e.validate()); err != nil {
		return nil, err
	}
	// Another array, such as one beyond a gap, changes what the encoder computes.
	for _, name := range archive.Names() {
		if !slices.Contains(known, name) && !strings.HasPrefix(name, ModelPrefix) {
			return nil, fmt.Errorf("array %s: want only %s", message.Quote(name), strings.Join(known, ", "))
		}
	}
	return e, nil
}

// number reads the array with that name, which must have one number, into dst.
func number[T float64 | int64](archive *npy.Archive, name string, dst *T) error {
	values, err := npy.ArchiveValues[T](archive, name, -1)
	if err == nil && len(values) != 1 {
		err = fmt.Errorf("array %s has %d numbers: want 1", name, len(values))
	}
	if err != nil {
		return err
	}
	*dst = values[0]
	return nil
}

// readMember appends the weights of the member with that number, "" for a single one, to e.Weights,
// and sets e.Features to their rows.
func (e *Encoder) readMember(archive *npy.Archive, number string) error {
	w, err := archive.Matrix(arrayW + number)
	if err != nil {
		return err
	}
	b, err := archive.Matrix(arrayB + number)
	if err != nil {
		return err
	}
	if b.Rows != 1 {
		return fmt.Errorf("array %s has %d rows: want 1", arrayB+number, b.Rows)
	}
	e.Weights = append(e.Weights, Weights{W: w, B: b.Data[:b.Cols]})
	e.Features = e.Weights[0].W.Rows
	return nil
}
