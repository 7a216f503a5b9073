package dataset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/nlpodyssey/gopickle/pickle"
	py "github.com/nlpodyssey/gopickle/types"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/limit"
	"github.com/agekit/age/internal/numpy"
)

// Planetoid's files are Python 2 pickles of protocol 2. They are read in two
// steps: checkPickle walks the opcodes and rejects opcodes that such files do
// not use, globals other than the six they name, and operands that extend past
// the end of the file. Only then does the unpickler construct anything.

// operands maps the protocol 2 opcodes that numpy arrays, CSR matrices and
// dicts of lists need to the length of their operand in bytes. −1 stands for a
// 1-byte length followed by that many bytes, −4 for the same with a 4-byte
// length, and −2 for two lines of text.
var operands = map[byte]int{
	'(': 0, ')': 0, '.': 0, 'N': 0, 'R': 0, 'a': 0, 'b': 0, 'e': 0, 's': 0, 't': 0, 'u': 0, ']': 0, '}': 0,
	0x81: 0, 0x85: 0, 0x86: 0, 0x87: 0, 0x88: 0, 0x89: 0, // NEWOBJ, TUPLE1, TUPLE2, TUPLE3, NEWTRUE, NEWFALSE
	0x80: 1, 'K': 1, 'h': 1, 'q': 1, 'M': 2, 'J': 4, 'j': 4, 'r': 4, // PROTO, integers, memo
	'U': -1, 'T': -4, // SHORT_BINSTRING, BINSTRING
	'c': -2, // GLOBAL
}

// globals are the classes that a pickle may name, as "module name".
var globals = map[string]any{
	"numpy.core.multiarray _reconstruct": reconstruct{},
	"numpy ndarray":                      class("ndarray"),
	"numpy dtype":                        dtype{},
	"scipy.sparse.csr csr_matrix":        class("csr_matrix"),
	"collections defaultdict":            class("defaultdict"),
	"__builtin__ list":                   class("list"),
}

// checkPickle returns an error, with the byte offset, for the first item in
// data that a Planetoid pickle cannot contain.
func checkPickle(data []byte) error {
	for at := 0; at < len(data); {
		op := data[at]
		size, known := operands[op]
		if !known {
			return fmt.Errorf("byte %d: opcode 0x%02x, want one of a protocol 2 pickle of arrays or lists", at, op)
		}
		rest := data[at+1:]
		skip := size
		switch size {
		case -1:
			skip = 1
			if len(rest) >= 1 {
				skip = 1 + int(rest[0])
			}
		case -4:
			skip = 4
			if len(rest) >= 4 {
				skip = 4 + int(binary.LittleEndian.Uint32(rest))
			}
		case -2:
			module, more, ok1 := bytes.Cut(rest, []byte("\n"))
			name, _, ok2 := bytes.Cut(more, []byte("\n"))
			if !ok1 || !ok2 {
				return fmt.Errorf("byte %d: the file ends within a name", at)
			}
			global := string(module) + " " + string(name)
			if _, ok := globals[global]; !ok {
				return fmt.Errorf("byte %d: names the global %s, which no data set needs: refused", at, limit.Quote(string(module)+"."+string(name)))
			}
			skip = len(module) + len(name) + 2
		}
		if skip > len(rest) {
			return fmt.Errorf("byte %d: want %d more bytes, the file ends after %d", at, skip, len(rest))
		}
		if op == '.' {
			if len(rest) > 0 {
				return fmt.Errorf("byte %d: the pickle ends, %d bytes follow", at, len(rest))
			}
			return nil
		}
		at += 1 + skip
	}
	return fmt.Errorf("byte %d: the file ends before the pickle does", len(data))
}

// unpickle reads a pickle. Its error does not name the file.
func unpickle(data []byte) (v any, err error) {
	if err := checkPickle(data); err != nil {
		return nil, err
	}
	r := bytes.NewReader(data)
	damaged := func() error { return fmt.Errorf("damaged pickle, before byte %d", len(data)-r.Len()) }
	defer func() {
		// The unpickler indexes its stack without bounds checks.
		if recover() != nil {
			err = damaged()
		}
	}()
	u := pickle.NewUnpickler(r)
	u.FindClass = func(module, name string) (any, error) { return globals[module+" "+name], nil }
	v, err = u.Load()
	var own pickleError
	if errors.As(err, &own) {
		return nil, fmt.Errorf("%w: %w", damaged(), own)
	}
	if err != nil {
		return nil, damaged()
	}
	return v, nil
}

// class is a Python class that a pickle instantiates.
type class string

// Call returns the result of calling the class: for defaultdict, an empty
// dict.
func (c class) Call(args ...any) (any, error) {
	if c != "defaultdict" {
		return nil, pickleError("call of " + string(c))
	}
	return py.NewDict(), nil
}

// PyNew creates an instance without state.
func (c class) PyNew(...any) (any, error) {
	if c != "csr_matrix" {
		return nil, pickleError("new " + string(c))
	}
	return &csrPickle{}, nil
}

// csrPickle holds the attributes of scipy's csr_matrix.
type csrPickle struct{ attributes *py.Dict }

// PySetState stores the dict of attributes.
func (m *csrPickle) PySetState(state any) error {
	d, ok := state.(*py.Dict)
	if !ok {
		return pickleError("csr_matrix: state is " + typeName(state) + ", want a dict")
	}
	m.attributes = d
	return nil
}

// dtype is the type of an array's values: numpy's name such as "f4", and the byte
// order that its state adds.
type dtype struct{ name, order string }

// Call implements calls such as numpy.dtype("f4", 0, 1).
func (dtype) Call(args ...any) (any, error) {
	if len(args) > 0 {
		if name, ok := args[0].(string); ok {
			return &dtype{name: name}, nil
		}
	}
	return nil, pickleError("dtype: want a name such as \"f4\"")
}

// PySetState sets the byte order from (version, order, …).
func (d *dtype) PySetState(state any) error {
	if t, ok := state.(*py.Tuple); ok && t.Len() > 1 {
		if order, ok := t.Get(1).(string); ok {
			d.order = order
			return nil
		}
	}
	return pickleError("dtype: state without a byte order")
}

// reconstruct is numpy's function that creates an empty array.
type reconstruct struct{}

// Call returns the array; PySetState sets its shape and content.
func (reconstruct) Call(...any) (any, error) { return &arrayPickle{}, nil }

// arrayPickle is a numpy array. It is nil inside until its state is set.
type arrayPickle struct{ *numpy.Array }

// PySetState sets the array from (version, shape, dtype, fortran, content).
// Python 2 wrote the content as a string.
func (a *arrayPickle) PySetState(state any) (err error) {
	t, ok := state.(*py.Tuple)
	if !ok || t.Len() != 5 {
		return pickleError("ndarray: state is " + typeName(state) + ", want 5 values")
	}
	sizes, ok1 := t.Get(1).(*py.Tuple)
	kind, ok2 := t.Get(2).(*dtype)
	fortran, ok3 := t.Get(3).(bool)
	content, ok4 := t.Get(4).(string)
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return pickleError("ndarray: want shape, dtype, order and content")
	}
	var shape []int
	for _, size := range *sizes {
		n, ok := size.(int)
		if !ok {
			return pickleError("ndarray: size is " + typeName(size) + ", want int")
		}
		shape = append(shape, n)
	}
	if a.Array, err = numpy.FromBytes(kind.order+kind.name, shape, fortran, []byte(content)); err != nil {
		return pickleError(err.Error())
	}
	return nil
}

// pickleError is an error of this package's own types, which the unpickler
// returns among its own.
type pickleError string

func (e pickleError) Error() string { return string(e) }

// typeName returns Python's name of a value's type.
func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "None"
	case int:
		return "int"
	case bool:
		return "bool"
	case string:
		return "str"
	case *py.List:
		return "list"
	case *py.Tuple:
		return "tuple"
	case *py.Dict:
		return "dict"
	case *arrayPickle:
		return "ndarray"
	case *csrPickle:
		return "csr_matrix"
	}
	return "another object"
}

// readPickledMatrix reads a pickled scipy.sparse.csr_matrix.
func readPickledMatrix(data []byte) (*graph.CSR, error) {
	v, err := unpickle(data)
	if err != nil {
		return nil, err
	}
	m, ok := v.(*csrPickle)
	if !ok || m.attributes == nil {
		return nil, fmt.Errorf("holds %s, want a CSR matrix", typeName(v))
	}
	var shape []int64
	var indptr []int
	var indices []int32
	var values []float32
	for _, e := range *m.attributes {
		a, _ := e.Value.(*arrayPickle)
		switch key, _ := e.Key.(string); {
		case key == "_shape" || key == "shape":
			shape, err = pickledShape(e.Value)
		case a == nil || a.Array == nil: // format, flags
		case key == "indptr":
			indptr, err = numpy.Values[int](a.Array)
		case key == "indices":
			indices, err = numpy.Values[int32](a.Array)
		case key == "data":
			values, err = numpy.Values[float32](a.Array)
		}
		if err != nil {
			return nil, fmt.Errorf("CSR matrix, %q: %w", e.Key.(string), err)
		}
	}
	return graph.FromArrays(shape, indptr, indices, values)
}

func pickledShape(v any) ([]int64, error) {
	t, ok := v.(*py.Tuple)
	if !ok || t.Len() != 2 {
		return nil, fmt.Errorf("is %s, want two sizes", typeName(v))
	}
	rows, ok1 := t.Get(0).(int)
	cols, ok2 := t.Get(1).(int)
	if !ok1 || !ok2 {
		return nil, fmt.Errorf("is (%s, %s), want two sizes", typeName(t.Get(0)), typeName(t.Get(1)))
	}
	return []int64{int64(rows), int64(cols)}, nil
}

// readPickledOneHot reads a pickled array with one row of classes per node. It
// returns the column of the first maximum of each row and the number of
// classes.
func readPickledOneHot(data []byte) (labels []int, classes int, err error) {
	v, err := unpickle(data)
	if err != nil {
		return nil, 0, err
	}
	a, ok := v.(*arrayPickle)
	if !ok || a.Array == nil {
		return nil, 0, fmt.Errorf("holds %s, want an array", typeName(v))
	}
	nodes, classes, err := a.Matrix()
	if err != nil {
		return nil, 0, err
	}
	if a.Fortran {
		return nil, 0, errors.New("array in column-major order, want row-major")
	}
	values, err := numpy.Values[float32](a.Array)
	if err != nil {
		return nil, 0, err
	}
	labels = make([]int, nodes)
	for i := range labels {
		row := values[i*classes : (i+1)*classes]
		for c, x := range row {
			if x > row[labels[i]] {
				labels[i] = c
			}
		}
	}
	return labels, classes, nil
}

// readPickledGraph reads a pickled dict of lists of neighbors. It returns one
// pair (u, v) per list entry, in the file's order, and the number of keys.
func readPickledGraph(data []byte) (u, v []int32, nodes int, err error) {
	top, err := unpickle(data)
	if err != nil {
		return nil, nil, 0, err
	}
	d, ok := top.(*py.Dict)
	if !ok {
		return nil, nil, 0, fmt.Errorf("holds %s, want a dict of lists", typeName(top))
	}
	for _, e := range *d {
		i, ok1 := e.Key.(int)
		list, ok2 := e.Value.(*py.List)
		if !ok1 || !ok2 || i < 0 || i > math.MaxInt32 {
			return nil, nil, 0, fmt.Errorf("entry of %s and %s, want a node and a list", nodeText(e.Key), typeName(e.Value))
		}
		// Lists may be shared, so a small file could describe an enormous
		// number of edges.
		if len(u)+len(*list) > len(data) {
			return nil, nil, 0, fmt.Errorf("node %d: more neighbors than the file has bytes", i)
		}
		for _, x := range *list {
			j, ok := x.(int)
			if !ok || j < 0 || j > math.MaxInt32 {
				return nil, nil, 0, fmt.Errorf("node %d: neighbor %s, want a node", i, nodeText(x))
			}
			u, v = append(u, int32(i)), append(v, int32(j))
		}
	}
	return u, v, len(*d), nil
}

// nodeText returns the text to print for a value that should be a node: the
// number, or the type of anything else. Printing a list that contains itself
// would never end.
func nodeText(v any) string {
	if i, ok := v.(int); ok {
		return fmt.Sprint(i)
	}
	return typeName(v)
}
