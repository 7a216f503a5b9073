package store

import (
	"encoding/binary"
	"fmt"

	"gonum.org/v1/gonum/blas/blas32"
)

// Matrix is a dense matrix that is stored as raw numbers, without the padding between
// rows.
type Matrix struct{ blas32.General }

// headerBytes is the size of what precedes the numbers: rows, columns and stride.
const headerBytes = 3 * 8

// MarshalBinary returns rows, columns, stride (8 bytes each) and the numbers, little endian.
func (m Matrix) MarshalBinary() ([]byte, error) {
	b := make([]byte, 0, headerBytes+4*m.Rows*m.Cols)
	for _, v := range []int{m.Rows, m.Cols, m.Stride} {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	for i := range m.Rows {
		b, _ = binary.Append(b, binary.LittleEndian, m.Data[i*m.Stride:i*m.Stride+m.Cols]) // numbers have a fixed size
	}
	return b, nil
}

// UnmarshalBinary sets m to the matrix that MarshalBinary wrote; the padding becomes zero. Sizes that
// do not fit the bytes of b are an error.
func (m *Matrix) UnmarshalBinary(b []byte) error {
	if len(b) < headerBytes {
		return fmt.Errorf("matrix of %d bytes: want at least %d", len(b), headerBytes)
	}
	rows, cols, stride := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b[16:])
	b = b[headerBytes:]
	const most = 1 << 31 // rows or columns: their product does not overflow
	isOfSize := rows <= most && cols <= most && rows*cols == uint64(len(b)/4) && len(b)%4 == 0
	isOfStride := stride >= cols && stride <= cols+1024
	// Padding is not in b, so a few bytes could ask for gigabytes of it.
	if !isOfSize || !isOfStride || rows*(stride-cols) > uint64(64*len(b)+1<<20) {
		return fmt.Errorf("matrix of %d×%d with stride %d does not fit %d bytes of numbers", rows, cols, stride, len(b))
	}
	m.General = blas32.General{Rows: int(rows), Cols: int(cols), Stride: int(stride), Data: make([]float32, rows*stride)}
	if cols == 0 { // without numbers, rows is not checked by the length of b, and may be billions
		return nil
	}
	for i := range m.Rows {
		n, _ := binary.Decode(b, binary.LittleEndian, m.Data[i*m.Stride:i*m.Stride+m.Cols]) // b has enough
		b = b[n:]
	}
	return nil
}
