package dataset

import (
	"bytes"
	"encoding/binary"
)

// pickler writes protocol 2 pickles as numpy and scipy do under Python 2.
type pickler struct{ bytes.Buffer }

func newPickle() *pickler {
	p := &pickler{}
	p.WriteString("\x80\x02")
	return p
}

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

// array writes a little-endian numpy array of the given type, such as "i4".
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
	p.tuple(func() {
		p.int(1)
		p.tuple(func() {
			for _, size := range shape {
				p.int(size)
			}
		})
		p.global("numpy", "dtype")
		p.tuple(func() { p.string(kind); p.int(0); p.int(1) })
		p.WriteByte('R')
		p.tuple(func() {
			p.int(3)
			p.string("<")
			p.WriteString("NNN")
			p.int(-1)
			p.int(-1)
			p.int(0)
		})
		p.WriteByte('b')
		p.WriteByte(0x89)
		p.string(string(content))
	})
	p.WriteByte('b')
}

// pickleMatrix pickles a scipy.sparse.csr_matrix.
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

// pickleOneHot pickles an array of one-hot labels.
func pickleOneHot(rows, classes int, values []int32) []byte {
	p := newPickle()
	p.array("i4", []int{rows, classes}, values)
	return p.end()
}

// pickleGraph pickles a defaultdict(list) with the keys 0, 1, …
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
