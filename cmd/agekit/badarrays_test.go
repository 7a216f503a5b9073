package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
)

const (
	ofNPY = "fit --edges e.tsv --features x.npy " + for2
	ofNPZ = "fit --edges e.tsv --features x.npz " + for2
	whole = "fit --dataset ./w.npz " + for2
)

// x makes x.npy of an array; xHead of a header of version 1.0.
func x(descr, shape string, data []byte) badFiles { return of("x.npy", raw(array(descr, shape, data))) }

func xHead(header string, data []byte) badFiles { return of("x.npy", raw(npy(1, header, data))) }

// badArrays are wrong .npy files.
var badArrays = []bad{
	{"npy empty", of("x.npy", text("")), "", ofNPY, 1, "x.npy: not a .npy array"},
	{"npy of text", of("x.npy", text("1,2,3\n")), "", ofNPY, 1, "x.npy: not a .npy array"},
	{"npy magic only", of("x.npy", text("\x93NUMPY")), "", ofNPY, 1, "x.npy: "},
	{"npy header cut", of("x.npy", raw(array("<f4", "(6, 3)", nil)[:40])), "", ofNPY, 1, "x.npy: … header"},
	{"npy header of 64 kB", of("x.npy", raw(npy(1, strings.Repeat(" ", 65000), nil))), "", ofNPY, 1, "x.npy: … header"},
	{"npy header of 4 GB", of("x.npy", text("\x93NUMPY\x02\x00\xff\xff\xff\xff{}")), "", ofNPY, 1, "x.npy: … header … bytes"},
	{"npy header of 70 kB", of("x.npy", raw(npy(2, "{'descr': '<f4', 'fortran_order': False, 'shape': (6, 3), }"+strings.Repeat(" ", 70000), make([]byte, 72)))), "", ofNPY, 1, "x.npy: header of 70068 bytes: want at most 65536"},
	{"npy header empty", xHead("", make([]byte, 72)), "", ofNPY, 1, "x.npy: … header"},
	{"npy header nested", xHead(strings.Repeat("{", 500), make([]byte, 72)), "", ofNPY, 1, "x.npy: … header"},
	{"npy header open", xHead("{'descr': '<f4', 'fortran_order': False, 'shape': (6, 3", make([]byte, 72)), "", ofNPY, 1, "x.npy: … header"},
	{"npy header without shape", xHead("{'descr': '<f4', 'fortran_order': False, }", make([]byte, 72)), "", ofNPY, 1, "x.npy: damaged header"},
	{"npy header without type", xHead("{'fortran_order': False, 'shape': (6, 3), }", make([]byte, 72)), "", ofNPY, 1, "x.npy: damaged header"},
	{"npy order in words", xHead("{'descr': '<f4', 'fortran_order': Perhaps, 'shape': (6, 3), }", make([]byte, 72)), "", ofNPY, 1, "x.npy: … fortran_order"},
	{"npy version 4", of("x.npy", raw(append([]byte("\x93NUMPY\x04\x00"), array("<f4", "(6, 3)", make([]byte, 72))[8:]...))), "", ofNPY, 1, "x.npy: … version"},
	{"npy version 0", of("x.npy", raw(append([]byte("\x93NUMPY\x00\x00"), array("<f4", "(6, 3)", make([]byte, 72))[8:]...))), "", ofNPY, 1, "x.npy: … version"},
	{"npy of float16, too short", x("<f2", "(6, 3)", make([]byte, 35)), "", ofNPY, 1, "x.npy: … float16: want 36"},
	{"npy of long doubles", x("<f16", "(6, 3)", make([]byte, 288)), "", ofNPY, 1, `x.npy: … want`},
	{"npy of complex", x("<c8", "(6, 3)", make([]byte, 144)), "", ofNPY, 1, `x.npy: … want`},
	{"npy of objects", x("|O", "(6, 3)", []byte("cos\nsystem\n(S'touch ran'\ntR.")), "", ofNPY, 1, `x.npy: … want`},
	{"npy of strings", x("<U4", "(6, 3)", make([]byte, 288)), "", ofNPY, 1, `x.npy: … want`},
	{"npy of bytes", x("|S1", "(6, 3)", make([]byte, 18)), "", ofNPY, 1, `x.npy: … want`},
	{"npy of dates", x("<M8[ns]", "(6, 3)", make([]byte, 144)), "", ofNPY, 1, `x.npy: … want`},
	{"npy of records", xHead("{'descr': [('a', '<f4'), ('b', '<i4')], 'fortran_order': False, 'shape': (6,), }", make([]byte, 48)), "", ofNPY, 1, "x.npy: … want numbers"},
	{"npy of nothing", x("", "(6, 3)", make([]byte, 72)), "", ofNPY, 1, `x.npy: … want`},
	{"npy of an unknown type", x("<x4", "(6, 3)", make([]byte, 72)), "", ofNPY, 1, `x.npy: … want`},
	{"npy of floats of 3 bytes", x("<f3", "(6, 3)", make([]byte, 54)), "", ofNPY, 1, `x.npy: … want`},
	{"npy of 0 dimensions", x("<f4", "()", make([]byte, 4)), "", ofNPY, 1, "x.npy: … shape … want rows × columns"},
	{"npy of 1 dimension", x("<f4", "(6,)", make([]byte, 24)), "", ofNPY, 1, "x.npy: … shape (6,): want rows × columns"},
	{"npy of 3 dimensions", x("<f4", "(6, 3, 1)", make([]byte, 72)), "", ofNPY, 1, "x.npy: … shape … want rows × columns"},
	{"npy without rows", x("<f4", "(0, 3)", nil), "", ofNPY, 1, "x.npy: no rows: want one per node"},
	{"npy without columns", x("<f4", "(6, 0)", nil), "", ofNPY, 1, "x.npy: … shape … 6 … 0"},
	{"npy of negative shape", x("<f4", "(-6, -3)", make([]byte, 72)), "", ofNPY, 1, "x.npy: … shape"},
	{"npy shape in words", x("<f4", "(six, 3)", make([]byte, 72)), "", ofNPY, 1, "x.npy: … shape"},
	{"npy shape 2³²×2³²", x("<f4", "(4294967296, 4294967296)", nil), "", ofNPY, 1, "x.npy: … shape … want"},
	{"npy shape 2⁶²×4", x("<f4", "(4611686018427387904, 4)", make([]byte, 72)), "", ofNPY, 1, "x.npy: … shape … want"},
	{"npy shape 2⁶⁴", x("<f4", "(18446744073709551616, 3)", make([]byte, 72)), "", ofNPY, 1, "x.npy: … shape"},
	{"npy 2²⁴ + 1 columns", of("x.npy", sparse(array("|b1", "(1, 16777217)", nil), 1<<24+1)), "", ofNPY, 1, "x.npy: … 16777217 … want … 16777216"},
	{"npy too short", x("<f4", "(6, 3)", make([]byte, 71)), "", ofNPY, 1, "x.npy: … shape"},
	{"npy too long", x("<f4", "(6, 3)", make([]byte, 73)), "", ofNPY, 1, "x.npy: … shape"},
	{"npy too short, large", of("x.npy", sparse(array("<f4", "(6, 4000000)", nil), 90<<20)), "", ofNPY, 1, "x.npy: … shape"},
	{"npy of zeros", of("x.npy", sparse(array("|i1", "(300, 100000)", nil), 3e7)), littleMemory, ofNPY, 1, "x.npy: all features are 0: want another number"},
	{"npy NaN", x("<f4", "(1, 2)", floats(1, float32(math.NaN()))), "", ofNPY, 1, "x.npy: row 0, column 1 (from 0): … NaN, want a finite number"},
	{"npy infinite", x("<f4", "(1, 2)", floats(float32(math.Inf(1)), 1)), "", ofNPY, 1, "x.npy: row 0, column 0 (from 0): … Inf, want"},
	{"npy above float32", x("<f8", "(1, 1)", binary.LittleEndian.AppendUint64(nil, math.Float64bits(1e300))), "", ofNPY, 1, "x.npy: row 0, column 0 (from 0): … 1e+300: want at most 3.4"},
	{"npy of fewer nodes", x("<f4", "(3, 1)", floats(1, 2, 3)), "", ofNPY, 1, `e.tsv:4: node "3", want 0 to 2`},
	{"npy features all zero", x("<f4", "(6, 3)", make([]byte, 72)), "", ofNPY, 1, "x.npy: all features are 0: want another number"},
}

// sparse makes a file that ends with so many zeros, which take no space.
func sparse(head []byte, zeros int64) maker {
	return func(path string) error {
		return errors.Join(os.WriteFile(path, head, 0o644), os.Truncate(path, int64(len(head))+zeros))
	}
}

// z makes x.npz of scipy's arrays with changes, and w of a whole graph.
func z(by arrays) badFiles { return of("x.npz", saved.changed(by)) }

func w(by arrays) badFiles { return of("w.npz", graphArrays.changed(by)) }

// cut makes the first part of a file, and edited a file that is changed
// afterwards.
func cut(m maker, share float64) maker {
	return edited(m, func(data []byte) []byte { return data[:int(share*float64(len(data)))] })
}

func edited(m maker, edit func([]byte) []byte) maker {
	return func(path string) error {
		if err := m(path); err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(path, edit(data), 0o644)
	}
}

// replaced changes all occurrences of some bytes.
func replaced(m maker, from, to string) maker {
	return edited(m, func(data []byte) []byte { return bytes.ReplaceAll(data, []byte(from), []byte(to)) })
}

// many returns members that do not belong to an archive.
func many(n int) (all []member) {
	one := vector(1)
	for k := range n {
		all = append(all, member{fmt.Sprintf("a%d.npy", k), one, 0})
	}
	return all
}

// zeros is an array of int8 zeros, which packs to a thousandth.
func zeros(name, shape string, count int64) member {
	return member{name + ".npy", array("|i1", shape, nil), count}
}

// badArchives are wrong .npz files of features.
var badArchives = []bad{
	{"npz empty", of("x.npz", text("")), "", ofNPZ, 1, "x.npz: not an .npz archive"},
	{"npz of text", of("x.npz", text("PK\x03\x04")), "", ofNPZ, 1, "x.npz: not an .npz archive"},
	{"npz half", of("x.npz", cut(saved.changed(nil), 0.5)), "", ofNPZ, 1, "x.npz: not an .npz archive"},
	{"npz all but its end", of("x.npz", cut(saved.changed(nil), 0.99)), "", ofNPZ, 1, "x.npz: not an .npz archive"},
	{"npz without members", of("x.npz", archive()), "", ofNPZ, 1, "x.npz: has no array format: want an archive of scipy.sparse.save_npz"},
	{"npz of another array", of("x.npz", archive(member{"arr_0.npy", vector(1), 0})), "", ofNPZ, 1, "x.npz: has no array format: want"},
	{"npz member damaged", of("x.npz", edited(saved.changed(nil), func(d []byte) []byte { d[60] ^= 0xff; return d })), "", ofNPZ, 1, "x.npz: array"},
	{"npz checksum wrong", of("x.npz", edited(saved.changed(nil), func(d []byte) []byte { d[bytes.Index(d, []byte("PK\x07\x08"))+4] ^= 1; return d })), "", ofNPZ, 1, "x.npz: array"},
	{"npz method unknown", of("x.npz", replaced(saved.changed(nil), "\x08\x00\x08\x00", "\x08\x00\x63\x00")), "", ofNPZ, 1, "x.npz: array … compress"},
	{"npz member twice", of("x.npz", archive(member{"data.npy", vector(1), 0}, member{"data.npy", vector(2), 0})), "", ofNPZ, 1, "x.npz: array … data … twice"},
	{"npz member twice, with and without .npy", of("x.npz", archive(member{"data.npy", vector(1), 0}, member{"data", vector(2), 0})), "", ofNPZ, 1, "x.npz: array … data … twice"},
	{"npz of 1,025 members", of("x.npz", archive(many(1025)...)), "", ofNPZ, 1, "x.npz: … 1025 … want at most 1024"},
	{"npz bomb", of("x.npz", saved.changed(nil, zeros("data", "(1000000000,)", 1e9))), "", ofNPZ, 1, "x.npz: … want"},
	{"npz bomb, 2 GB", of("x.npz", archive(zeros("a", "(1000000000,)", 1e9), zeros("b", "(1000000000,)", 1e9))), "", ofNPZ, 1, "x.npz: … unpacks to more than"},
	{"npz without data", z(arrays{"data": nil}), "", ofNPZ, 1, "x.npz: has no array data"},
	{"npz without shape", z(arrays{"shape": nil}), "", ofNPZ, 1, "x.npz: has no array shape"},
	{"npz without indptr", z(arrays{"indptr": nil}), "", ofNPZ, 1, "x.npz: has no array indptr"},
	{"npz CSC", z(arrays{"format": array("|S3", "()", []byte("csc"))}), "", ofNPZ, 1, "x.npz: array format: … convert it with tocsr()"},
	{"npz format of 100 MB", of("x.npz", saved.changed(nil, zeros("format", "(100000000,)", 1e8))), "", ofNPZ, 1, "x.npz: array format: "},
	{"npz data NaN", z(arrays{"data": array("<f4", "(8,)", floats(1, 1, 1, 1, 1, 1, 1, float32(math.NaN())))}), "", ofNPZ, 1, "x.npz: array data: row 5, column 2 (from 0): … NaN, want"},
	{"npz data float16, NaN", z(arrays{"data": array("<f2", "(8,)", bytes.Repeat([]byte{0, 0x7e}, 8))}), "", ofNPZ, 1, "x.npz: array data: row 0, column 0 (from 0): … NaN, want"},
	{"npz data objects", z(arrays{"data": array("|O", "(8,)", []byte("(S'x'\nR."))}), "", ofNPZ, 1, `x.npz: array data: … want`},
	{"npz data of text", z(arrays{"data": []byte("1,1,1,1")}), "", ofNPZ, 1, "x.npz: array data: not a .npy array"},
	{"npz data too few", z(arrays{"data": array("<f4", "(7,)", make([]byte, 28))}), "", ofNPZ, 1, "x.npz: … 7 values, want 8"},
	{"npz data shape lies", z(arrays{"data": array("<f4", "(1000000000,)", make([]byte, 32))}), "", ofNPZ, 1, "x.npz: array data: "},
	{"npz indices too many", z(arrays{"indices": vector(0, 0, 1, 0, 2, 1, 2, 2, 2)}), "", ofNPZ, 1, "x.npz: array indices: 9 values, want 8"},
	{"npz indices out of range", z(arrays{"indices": vector(0, 0, 1, 0, 2, 1, 2, 3)}), "", ofNPZ, 1, "x.npz: … row 5: column 3, want 0 to 2"},
	{"npz indices negative", z(arrays{"indices": vector(0, 0, 1, 0, 2, 1, 2, -1)}), "", ofNPZ, 1, "x.npz: … row 5: column -1, want 0 to 2"},
	{"npz indices 2³²", z(arrays{"indices": vector(0, 0, 1, 0, 2, 1, 2, 1<<32)}), "", ofNPZ, 1, "x.npz: array indices: value 7 (from 0): … 4294967296: want"},
	{"npz indices unsigned 2⁶⁴−1", z(arrays{"indices": array("<u8", "(8,)", longs(0, 0, 1, 0, 2, 1, 2, -1))}), "", ofNPZ, 1, "x.npz: array indices: value 7 (from 0): … 18446744073709551615: want"},
	{"npz indices fractions", z(arrays{"indices": array("<f4", "(8,)", floats(0, 0, 1, 0, 2, 1, 2, 2))}), "", ofNPZ, 1, "x.npz: array indices: … want integers"},
	{"npz indptr falls", z(arrays{"indptr": vector(0, 3, 1, 4, 5, 7, 8)}), "", ofNPZ, 1, "x.npz: … row"},
	{"npz indptr negative", z(arrays{"indptr": vector(0, -1, 3, 4, 5, 7, 8)}), "", ofNPZ, 1, "x.npz: … row"},
	{"npz indptr beyond", z(arrays{"indptr": vector(0, 1, 3, 4, 5, 7, 9)}), "", ofNPZ, 1, "x.npz: "},
	{"npz indptr from 1", z(arrays{"indptr": vector(1, 1, 3, 4, 5, 7, 8)}), "", ofNPZ, 1, "x.npz: "},
	{"npz indptr 2⁶³−1", z(arrays{"indptr": vector(0, 1, 3, 4, 5, 7, math.MaxInt64)}), "", ofNPZ, 1, "x.npz: "},
	{"npz rows lie", z(arrays{"shape": vector(7, 3)}), "", ofNPZ, 1, "x.npz: array indptr: … 7 … 8"},
	{"npz rows 2⁴⁰", z(arrays{"shape": vector(1<<40, 3)}), "", ofNPZ, 1, "x.npz: … 1099511627776 … want"},
	{"npz rows negative", z(arrays{"shape": vector(-6, 3)}), "", ofNPZ, 1, "x.npz: … -6"},
	{"npz columns 0", z(arrays{"shape": vector(6, 0)}), "", ofNPZ, 1, "x.npz: "},
	{"npz columns 2²⁴ + 1", z(arrays{"shape": vector(6, 1<<24+1)}), "", ofNPZ, 1, "x.npz: … 16777217 … want … 16777216"},
	{"npz columns 2⁶²", z(arrays{"shape": vector(6, 1<<62)}), "", ofNPZ, 1, "x.npz: … 4611686018427387904 … want"},
	{"npz shape of 3", z(arrays{"shape": vector(6, 3, 1)}), "", ofNPZ, 1, "x.npz: … shape"},
	{"npz 2²⁴ columns in 2 kB", of("x.npz", saved.changed(arrays{"shape": vector(6, 1<<24)})), "", ofNPZ + " --dims 500", 2, "16777216 features and dims 500 … memory, want at most the 500 MB"},
	{"npz features all zero", z(arrays{"data": array("<f4", "(0,)", nil), "indices": vector(), "indptr": vector(0, 0, 0, 0, 0, 0, 0)}), "", ofNPZ, 1, "x.npz: … all features are 0: want another number"},
}

// badGraphs are wrong .npz files of whole graphs.
var badGraphs = []bad{
	{"graph half", of("w.npz", cut(graphArrays.changed(nil), 0.5)), "", whole, 1, "w.npz: not an .npz archive"},
	{"graph of features", of("w.npz", saved.changed(nil)), "", whole, 1, "w.npz: has no array adj_"},
	{"graph without edges", w(arrays{"adj_data": nil}), "", whole, 1, "w.npz: has no array adj_data"},
	{"graph without features", w(arrays{"attr_matrix": nil}), "", whole, 1, "w.npz: has no array attr_"},
	{"graph of another type", of("w.net", text("graph")), "", "fit --dataset ./w.net", 1, `w.net: graph of type ".net", want .gexf or .gml or .graphml or .json or .npz`},
	{"graph of another type, with a label", of("w.net", text("graph")), "", "fit --dataset ./w.net --label club", 1, `w.net: graph of type ".net", want .gexf or .gml`},
	{"GML without a graph", of("w.gml", text("graph []")), "", "fit --dataset ./w.gml", 1, "w.gml: no nodes: want a graph"},
	{"graph without a type", of("w", text("graph")), "", "fit --dataset ./w", 1, "w"},
	{"graph not there", nil, "", "fit --dataset ./none.npz", 1, "none.npz: no such file"},
	{"graph not square", w(arrays{"adj_shape": vector(6, 7)}), "", whole, 1, "w.npz: … 6×7 matrix, want a square one"},
	{"graph edge out of range", w(arrays{"adj_indices": vector(1, 2, 0, 2, 0, 1, 3, 2, 4, 5, 3, 5, 3, 6)}), "", whole, 1, "w.npz: … row 5: column 6, want 0 to 5"},
	{"graph weight 0", w(arrays{"adj_data": array("<f4", "(14,)", make([]byte, 56))}), "", whole, 1, "w.npz: array adj_data: … want"},
	{"graph weight NaN", w(arrays{"adj_data": array("<f4", "(14,)", floats(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, float32(math.NaN())))}), "", whole, 1, "w.npz: array adj_data: … NaN … want"},
	{"graph weight negative", w(arrays{"adj_data": array("<f4", "(14,)", floats(-1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1))}), "", whole, 1, "w.npz: array adj_data: … -1 … want"},
	{"graph too few features", w(arrays{"attr_matrix": array("<f4", "(5, 3)", bytes.Repeat(floats(1), 15))}), "", whole, 1, "w.npz: … 5"},
	{"graph too many features", w(arrays{"attr_matrix": array("<f4", "(7, 3)", bytes.Repeat(floats(1), 21))}), "", whole, 1, "w.npz: … 7"},
	{"graph features NaN", w(arrays{"attr_matrix": array("<f4", "(6, 1)", floats(1, 1, 1, 1, 1, float32(math.NaN())))}), "", whole, 1, "w.npz: … NaN … want"},
	{"graph features of 3 dimensions", w(arrays{"attr_matrix": array("<f4", "(6, 3, 1)", make([]byte, 72))}), "", whole, 1, "w.npz: array attr_matrix: … want rows × columns"},
	{"graph features float16, infinite", w(arrays{"attr_matrix": array("<f2", "(6, 3)", bytes.Repeat([]byte{0, 0x7c}, 18))}), "", whole, 1, "w.npz: array attr_matrix: row 0, column 0 (from 0): … Inf, want"},
	{"graph features all zero", w(arrays{"attr_matrix": array("<f4", "(6, 3)", make([]byte, 72))}), "", whole, 1, "w.npz: … all features are 0: want another number"},
	{"graph features of a bomb", of("w.npz", graphArrays.changed(nil, zeros("attr_matrix", "(1000, 60000)", 6e7))), littleMemory, whole, 1, "w.npz: … want"},
	{"graph labels of a bomb", of("w.npz", graphArrays.changed(nil, zeros("labels", "(300000000,)", 3e8))), "", whole, 1, "w.npz: … labels"},
	{"graph too few labels", w(arrays{"labels": vector(0, 1)}), "", whole, 1, "w.npz: … 2 labels … 6"},
	{"graph too many labels", w(arrays{"labels": vector(0, 1, 0, 1, 0, 1, 0)}), "", whole, 1, "w.npz: … 7 labels … 6"},
	{"graph labels fractions", w(arrays{"labels": array("<f4", "(6,)", make([]byte, 24))}), "", whole, 1, "w.npz: array labels: … want integers"},
	{"graph labels objects", w(arrays{"labels": array("|O", "(6,)", []byte("(R."))}), "", whole, 1, `w.npz: array labels: … want`},
	{"graph half, spectrum", of("w.npz", cut(graphArrays.changed(nil), 0.5)), "", "spectrum --dataset ./w.npz", 1, "w.npz: not an .npz archive"},
	{"graph weight 0, spectrum", w(arrays{"adj_data": array("<f4", "(14,)", make([]byte, 56))}), "", "spectrum --dataset ./w.npz", 1, "w.npz: array adj_data"},
	{"graph without nodes", of("w.npz", arrays{"adj_data": vector(), "adj_indices": vector(), "adj_indptr": vector(0), "adj_shape": vector(0, 0), "attr_matrix": array("<f4", "(0, 3)", nil)}.changed(nil)), "", whole, 1, "w.npz: "},
}
