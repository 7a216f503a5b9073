package dataset

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/nlpodyssey/gopickle/pickle"
	py "github.com/nlpodyssey/gopickle/types"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/npy"
)

// unpickle reads a pickle of Python 2, data, and calls read with its value. Only content that
// matches its pin gets here, so read may assume the types of the value and its parts. If a type is
// another, which is a mistake of this package, read panics, and unpickle returns that as an error.
func unpickle(data []byte, read func(v any) error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("unexpected pickle: %v", r)
		}
	}()
	u := pickle.NewUnpickler(bytes.NewReader(data))
	u.FindClass = func(_, name string) (any, error) { return class(name), nil }
	v, err := u.Load()
	if err != nil {
		return err
	}
	return read(v)
}

// class is a Python class or function that a pickle names. None is ever run.
type class string

// Call makes an instance of the class, as gopickle asks: a dict for defaultdict, and an object for
// any other class.
func (c class) Call(args ...any) (any, error) {
	if c == "defaultdict" {
		return py.NewDict(), nil
	}
	return &object{args: args}, nil
}

// PyNew makes an instance as Call does, where a pickle calls the class's __new__.
func (c class) PyNew(args ...any) (any, error) { return c.Call(args...) }

// object is an instance of a class.
type object struct {
	args  []any // of its constructor
	state any   // what its __setstate__ gets
}

// PySetState keeps the state.
func (o *object) PySetState(state any) error {
	o.state = state
	return nil
}

// arrayOf returns the values and the shape of the numpy array v, an object of unpickle. The state of
// a numpy array is (version, shape, dtype, whether in column-major order, content). A dtype is an
// object with an argument such as "f4" and the state (version, byte order, …).
func arrayOf[T npy.Number](v any) (values []T, shape []int, err error) {
	state := *v.(*object).state.(*py.Tuple)
	for _, size := range *state[1].(*py.Tuple) {
		shape = append(shape, size.(int))
	}
	dtype := state[2].(*object)
	order := (*dtype.state.(*py.Tuple))[1].(string)
	a, err := npy.FromBytes(order+dtype.args[0].(string), shape, state[3].(bool), []byte(state[4].(string)))
	if err != nil {
		return nil, nil, err
	}
	values, err = npy.Values[T](a)
	return values, shape, err
}

// readPickledMatrix reads a pickled scipy.sparse.csr_matrix: a dict of its attributes.
func readPickledMatrix(data []byte) (m *graph.CSR, err error) {
	err = unpickle(data, func(v any) error {
		attributes := v.(*object).state.(*py.Dict)
		indptr, _, err1 := arrayOf[int](attributes.MustGet("indptr"))
		indices, _, err2 := arrayOf[int32](attributes.MustGet("indices"))
		values, _, err3 := arrayOf[float32](attributes.MustGet("data"))
		if err := cmp.Or(err1, err2, err3); err != nil {
			return err
		}
		shape := *attributes.MustGet("_shape").(*py.Tuple)
		m, err = graph.FromArrays([]int64{int64(shape[0].(int)), int64(shape[1].(int))}, indptr, indices, values)
		return err
	})
	return m, err
}

// readPickledOneHot reads a pickled array with one row per node and one column per class, whose
// entries are 1 in the column of the node's class and 0 elsewhere. It returns the class of each
// node and the number of classes. In a row of zeros, the class is 0.
func readPickledOneHot(data []byte) (labels []int, classes int, err error) {
	err = unpickle(data, func(v any) error {
		values, shape, err := arrayOf[float32](v)
		if err != nil {
			return err
		}
		classes = shape[1]
		for row := range slices.Chunk(values, classes) {
			labels = append(labels, slices.Index(row, slices.Max(row)))
		}
		return nil
	})
	return labels, classes, err
}

// readPickledGraph reads a pickled dict that has a list of neighbors for each node. It returns a
// pair u[e], v[e] for each entry of a list, the node and its neighbor, in the file's order, and
// the number of nodes.
func readPickledGraph(data []byte) (u, v []int32, nodes int, err error) {
	err = unpickle(data, func(top any) error {
		for _, e := range *top.(*py.Dict) {
			for _, neighbor := range *e.Value.(*py.List) {
				u, v = append(u, int32(e.Key.(int))), append(v, int32(neighbor.(int)))
			}
			nodes++
		}
		return nil
	})
	return u, v, nodes, err
}
