package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/mapped"
	"gonum.org/v1/gonum/blas/blas32"
)

// Columns are the rows of X̃ in files of [Smooth], each with a block of the columns. They
// are a [linalg.Source].
type Columns struct {
	// Sum identifies the numbers: the SHA-256 of what the files say of themselves.
	Sum    string
	n, f   int
	blocks []columnBlock
}

// columnBlock has the columns [first, end) of all rows, in the file of a task.
type columnBlock struct {
	first, end int
	file       *mapped.File
	numbers    []float32
}

// openColumns maps the files at paths, which hold consecutive blocks of columns. Only their sizes and
// footers are checked: a block with damaged numbers is found when its task is done again.
func openColumns(paths []string) (c *Columns, err error) {
	c = &Columns{}
	defer func() {
		if err != nil {
			c.Close()
			c = nil
		}
	}()
	sum := sha256.New()
	for _, path := range paths {
		var task smoothTask
		file, footer, err := open(path, &task)
		if err != nil {
			return c, err
		}
		c.blocks = append(c.blocks, columnBlock{task.From, task.To, file, mapped.Numbers[float32](file.Bytes()[:footer.Bytes])})
		if c.n == 0 {
			c.n = task.Rows
		}
		isNext := task.From == c.f && task.Rows == c.n
		if !isNext || footer.Bytes != 4*int64(task.Rows)*int64(task.To-task.From) {
			return c, fmt.Errorf("%s: columns %d to %d of %d rows in %d bytes: want those from %d on of %d rows", path, task.From, task.To, task.Rows, footer.Bytes, c.f, c.n)
		}
		c.f = task.To
		sum.Write(footer.About)
		sum.Write([]byte(footer.SHA256))
	}
	c.Sum = hex.EncodeToString(sum.Sum(nil))
	return c, nil
}

// Close unmaps the files: no row may be used afterward.
func (c *Columns) Close() {
	for _, b := range c.blocks {
		b.file.Close()
	}
}

// Dims implements [linalg.Source].
func (c *Columns) Dims() (n, cols int) { return c.n, c.f }

// Block implements [linalg.Source]: it copies rows [lo, hi) to the buffer, with zeros as padding.
func (c *Columns) Block(buffer []float32, lo, hi int) blas32.General {
	x := linalg.Shape(hi-lo, c.f)
	x.Data = buffer[:x.Rows*x.Stride]
	for _, b := range c.blocks {
		width := b.end - b.first
		for i := range x.Rows {
			copy(x.Data[i*x.Stride+b.first:], b.numbers[(lo+i)*width:][:width])
		}
	}
	for i := range x.Rows {
		clear(x.Data[i*x.Stride+c.f:][:x.Stride-c.f])
	}
	return x
}
