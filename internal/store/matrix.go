package store

import (
	"encoding/binary"
	"fmt"

	"gonum.org/v1/gonum/blas/blas32"
)

// Matrix is a dense matrix that is stored as raw numbers, without the padding between
// rows.
type Matrix struct{ blas32.General }

// MarshalBinary returns rows, columns, stride (8 bytes each) and the numbers, little endian.
func (m Matrix) MarshalBinary() ([]byte, error) {
	b := make([]byte, 0, 24+4*m.Rows*m.Cols)
	for _, v := range []int{m.Rows, m.Cols, m.Stride} {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	for i := range m.Rows {
		b, _ = binary.Append(b, binary.LittleEndian, m.Data[i*m.Stride:i*m.Stride+m.Cols]) // numbers have a fixed size
	}
	return b, nil
}

// UnmarshalBinary reads what MarshalBinary wrote; the padding becomes zero.
func (m *Matrix) UnmarshalBinary(b []byte) error {
	if len(b) < 24 {
		return fmt.Errorf("matrix of %d bytes: want at least 24", len(b))
	}
	rows, cols, stride := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b[16:])
	b = b[24:]
	const most = 1 << 31
	if rows > most || cols > most || stride < cols || stride > cols+1024 || rows*cols != uint64(len(b)/4) || len(b)%4 != 0 ||
		rows*(stride-cols) > uint64(64*len(b)+1<<20) { // padding is not in b: a few bytes must not allocate gigabytes
		return fmt.Errorf("matrix of %d×%d with stride %d does not fit %d bytes of numbers", rows, cols, stride, len(b))
	}
	m.General = blas32.General{Rows: int(rows), Cols: int(cols), Stride: int(stride), Data: make([]float32, rows*stride)}
	if cols == 0 { // of any number of rows
		return nil
	}
	for i := range m.Rows {
		n, _ := binary.Decode(b, binary.LittleEndian, m.Data[i*m.Stride:i*m.Stride+m.Cols]) // as many as there are
		b = b[n:]
	}
	return nil
}
