package dataset

import (
	"bytes"
	"encoding/binary"
)

// pickler writes pickles of protocol 2 as numpy and scipy do under Python 2. The single letters are
// the opcodes of the pickle's machine (pickletools in Python's library): J an int, U and T a short
// and a long string, c a global, ( and t around a tuple, R a call, b a state, . the end.
type pickler struct{ bytes.Buffer }

// newPickle begins a pickle with its protocol.
func newPickle() *pickler {
	p := &pickler{}
	p.WriteString("\x80\x02")
	return p
}

// end ends the pickle and returns it.
func (p *pickler) end() []byte {
	p.WriteByte('.')
	return p.Bytes()
}

func (p *pickler) int(v int) {
	p.WriteByte('J')
	p.Write(binary.LittleEndian.AppendUint32(nil, uint32(v)))
}

func (p *pickler) string(s string) {
	if len(s) < 256 {
		p.WriteByte('U')
		p.WriteByte(byte(len(s)))
	} else {
		p.WriteByte('T')
		p.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(s))))
	}
	p.WriteString(s)
}

func (p *pickler) global(module, name string) { p.WriteString("c" + module + "\n" + name + "\n") }

func (p *pickler) tuple(items func()) {
	p.WriteByte('(')
	items()
	p.WriteByte('t')
}

// array writes a numpy array of the given dtype, such as "i4", and shape. values is a slice of
// numbers of that type, which are written in little-endian order. See arrayOf for the array's state.
func (p *pickler) array(kind string, shape []int, values any) {
	p.global("numpy.core.multiarray", "_reconstruct")
	p.tuple(func() {
		p.global("numpy", "ndarray")
		p.tuple(func() { p.int(0) })
		p.string("b")
	})
	p.WriteByte('R')
	content, err := binary.Append(nil, binary.LittleEndian, values)
	if err != nil {
		panic(err)
	}
	p.tuple(func() { // the array's state
		p.int(1) // version
		p.tuple(func() {
			for _, size := range shape {
				p.int(size)
			}
		})
		p.global("numpy", "dtype")
		p.tuple(func() { p.string(kind); p.int(0); p.int(1) })
		p.WriteByte('R')
		p.tuple(func() { // the dtype's state
			p.int(3)             // version
			p.string("<")        // byte order
			p.WriteString("NNN") // None: no subarray, names or fields
			p.int(-1)            // size: the type's
			p.int(-1)            // alignment: the type's
			p.int(0)             // flags
		})
		p.WriteByte('b')
		p.WriteByte(0x89) // False: not in column-major order
		p.string(string(content))
	})
	p.WriteByte('b')
}

// pickleMatrix pickles a scipy.sparse.csr_matrix of float32 with the given arrays.
func pickleMatrix(rows, cols int, indptr, indices []int32, data []float32) []byte {
	p := newPickle()
	p.global("scipy.sparse.csr", "csr_matrix")
	p.WriteString(")\x81}(")
	p.string("format")
	p.string("csr")
	p.string("_shape")
	p.tuple(func() { p.int(rows); p.int(cols) })
	p.string("indptr")
	p.array("i4", []int{len(indptr)}, indptr)
	p.string("indices")
	p.array("i4", []int{len(indices)}, indices)
	p.string("data")
	p.array("f4", []int{len(data)}, data)
	p.WriteString("ub")
	return p.end()
}

// pickleOneHot pickles an array of one-hot labels: values has a row for each node, 1 in its class.
func pickleOneHot(rows, classes int, values []int32) []byte {
	p := newPickle()
	p.array("i4", []int{rows, classes}, values)
	return p.end()
}

// pickleGraph pickles a defaultdict(list) whose keys are the nodes 0, 1, …, and whose values are
// their lists of neighbors.
func pickleGraph(lists ...[]int) []byte {
	p := newPickle()
	p.global("collections", "defaultdict")
	p.tuple(func() { p.global("__builtin__", "list") })
	p.WriteString("R(")
	for i, list := range lists {
		p.int(i)
		p.WriteString("](")
		for _, j := range list {
			p.int(j)
		}
		p.WriteByte('e')
	}
	p.WriteByte('u')
	return p.end()
}
