package engine

import (
	"context"
	"fmt"
	"io"

	"github.com/agekit/age/agekit/encoder/step"
	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/mapped"
	"github.com/agekit/age/internal/simd"
)

// Embedding names the files from which the rows of an embedding are computed: the blocks of
// columns of X̃, and the weights of the members.
type Embedding struct {
	Columns []string `json:"columns"`
	Weights string   `json:"weights"`
}

// weightsTask is what a file of weights says of itself.
type weightsTask struct {
	Members  int `json:"members"`
	Features int `json:"features"`
	Dims     int `json:"dims"`
}

// writeWeights writes the weights and biases of the members, one after the other, as a checked file.
func writeWeights(ctx context.Context, path string, members []step.Weights) error {
	first := members[0].W
	return atomicfile.Checked(path, weightsTask{len(members), first.Rows, first.Cols}, func(w io.Writer) error {
		for _, m := range members {
			if err := writeRows(ctx, w, m.W); err != nil {
				return err
			}
			if _, err := w.Write(mapped.Bytes(m.B)); err != nil {
				return err
			}
		}
		return nil
	})
}

// openedEmbedding is an embedding whose files are mapped.
type openedEmbedding struct {
	linalg.Source
	// Sum identifies its numbers.
	Sum     string
	columns *Columns
}

// Open maps the files of an embedding, and returns an error if they do not suit each other.
func (e Embedding) Open() (*openedEmbedding, error) {
	x, err := openColumns(e.Columns)
	if err != nil {
		return nil, err
	}
	var task weightsTask
	file, footer, err := open(e.Weights, &task)
	if err != nil {
		x.Close()
		return nil, err
	}
	defer file.Close()
	numbers := mapped.Numbers[float32](file.Bytes()[:footer.Bytes])
	size := (task.Features + 1) * task.Dims // numbers of a member
	_, f := x.Dims()
	isEmpty := task.Members < 1 || task.Dims < 1
	if isEmpty || task.Features != f || len(numbers) != task.Members*size {
		x.Close()
		return nil, fmt.Errorf("%s: %d members of %d×%d in %d numbers: want some for %d features", e.Weights, task.Members, task.Features, task.Dims, len(numbers), f)
	}
	members := make([]linalg.Source, task.Members)
	for k := range members {
		w := step.NewWeights(task.Features, task.Dims)
		copy(w.W.Data, numbers[k*size:])
		copy(w.B, numbers[k*size+len(w.W.Data):])
		members[k] = step.Embedding(x, w)
	}
	return &openedEmbedding{linalg.JoinedSource(members...), x.Sum + " " + footer.SHA256, x}, nil
}

// Close unmaps the files.
func (e *openedEmbedding) Close() { e.columns.Close() }

// Pass is a [linalg.Pass] over the rows of an embedding, in the form in which a stage's file has it. A
// task makes the pass over a range of the rows and writes float64 numbers: a part of the sum or, of a
// pass that computes something of each row, that.
type Pass struct {
	Embedding
	Kind   linalg.PassKind `json:"kind"`
	Unit   bool            `json:"unit,omitempty"`
	Groups int             `json:"groups,omitempty"`
	// The sizes of the matrices, whose numbers are in Inputs, one after the other, and
	// whether there are numbers of the rows after them.
	Matrix [2]int `json:"matrix"`
	Factor [2]int `json:"factor"`
	Of     bool   `json:"of"`
	Inputs string `json:"inputs,omitempty"`
}

// newPass returns the pass p over the rows of e in the form in which a stage's file has it. The numbers do
// not fit there: newPass writes those of p.Matrix, p.Factor and p.Of, in this order, to the file with the
// path inputs.
func newPass(e Embedding, p linalg.Pass, inputs string) (Pass, error) {
	out := Pass{
		Embedding: e, Kind: p.Kind, Unit: p.Unit, Groups: p.Groups, Inputs: inputs,
		Matrix: [2]int{p.Matrix.Rows, p.Matrix.Cols}, Factor: [2]int{p.Factor.Rows, p.Factor.Cols}, Of: p.Of != nil,
	}
	err := atomicfile.Checked(inputs, p.Kind, func(w io.Writer) error {
		for _, m := range []linalg.Matrix[float64]{p.Matrix, p.Factor} {
			for i := range m.Rows {
				if _, err := w.Write(mapped.Bytes(m.Row(i))); err != nil {
					return err
				}
			}
		}
		_, err := w.Write(mapped.Bytes(p.Of))
		return err
	})
	return out, err
}

// passTask is what the file of a range says of itself: all that decides about its bytes.
type passTask struct {
	Task      string          `json:"task"`
	Kind      linalg.PassKind `json:"kind"`
	Unit      bool            `json:"unit,omitempty"`
	Groups    int             `json:"groups,omitempty"`
	Embedding string          `json:"embedding"` // openedEmbedding.Sum
	Inputs    string          `json:"inputs,omitempty"`
	SIMD      string          `json:"simd"`
	From      int             `json:"from"`
	To        int             `json:"to"`
	Rows      int             `json:"rows"` // of the file
	Cols      int             `json:"cols"`
}

// opened is a pass whose files are mapped.
type opened struct {
	Pass
	pass   linalg.Pass      // the same with its inputs
	z      *openedEmbedding // the rows
	inputs string           // SHA-256 of the inputs
	file   *mapped.File     // the inputs
}

// open maps the files of the pass and checks that they suit each other.
func (p Pass) open() (*opened, error) {
	o := &opened{Pass: p}
	err := o.fill()
	if err != nil {
		o.close()
	}
	return o, err
}

// fill maps the files of o.Pass and sets the other fields of o. After an error, those that are mapped are
// set, too.
func (o *opened) fill() (err error) {
	p := o.Pass
	if o.z, err = p.Embedding.Open(); err != nil {
		return err
	}
	file, footer, err := open(p.Inputs, new(linalg.PassKind))
	if err != nil {
		return err
	}
	o.file, o.inputs = file, footer.SHA256
	n, d := o.z.Dims()
	numbers := mapped.Numbers[float64](file.Bytes()[:footer.Bytes])
	matrix, factor := p.Matrix[0]*p.Matrix[1], p.Factor[0]*p.Factor[1] // numbers of each
	ofRows := 0
	if p.Of {
		ofRows = n
	}
	if len(numbers)-matrix-factor != ofRows {
		return fmt.Errorf("%s: %d numbers: want matrices of %v and %v, and one for each of %d rows: %v", p.Inputs, len(numbers), p.Matrix, p.Factor, n, p.Of)
	}
	o.pass = linalg.Pass{
		Kind: p.Kind, Unit: p.Unit, Groups: p.Groups,
		Matrix: linalg.Matrix[float64]{Rows: p.Matrix[0], Cols: p.Matrix[1], Stride: p.Matrix[1], Data: numbers[:matrix]},
		Factor: linalg.Matrix[float64]{Rows: p.Factor[0], Cols: p.Factor[1], Stride: p.Factor[1], Data: numbers[matrix:][:factor]},
	}
	if p.Of {
		o.pass.Of = numbers[matrix+factor:]
	}
	if err := o.pass.Check(n, d); err != nil {
		return fmt.Errorf("%s: %w", p.Inputs, err)
	}
	return nil
}

// close unmaps the files that are mapped.
func (o *opened) close() {
	if o.z != nil {
		o.z.Close()
	}
	if o.file != nil {
		o.file.Close()
	}
}

// task returns what the file of the range with a number, from 0, says of itself.
func (o *opened) task(number int) passTask {
	n, d := o.z.Dims()
	grain, _ := linalg.PassRanges(n)
	t := passTask{
		Task: "pass", Kind: o.Kind, Unit: o.Unit, Groups: o.Groups, Embedding: o.z.Sum, Inputs: o.inputs, SIMD: simd.Level(),
		From: number * grain, To: min(n, (number+1)*grain),
	}
	t.Rows, t.Cols = o.pass.Size(d)
	if o.pass.PerRow() {
		t.Rows = t.To - t.From
	}
	return t
}

// run makes the pass over the range with a number and writes its file to the path out, unless that is
// there and whole: reused is true then.
func (o *opened) run(ctx context.Context, number int, out string) (reused bool, err error) {
	t := o.task(number)
	return write(ctx, out, t, func(w io.Writer) error {
		part := linalg.NewMatrix[float64](t.Rows, t.Cols)
		o.pass.Prepare()(o.z, part, t.From, t.To)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		_, err := w.Write(mapped.Bytes(part.Data))
		return err
	})
}

// eachPart calls use for each range of rows of the stage, a pass, in their order: with the number of the
// range's first row, and what the file of its task holds.
func (s *Stage) eachPart(use func(first int, part linalg.Matrix[float64])) error {
	o, err := s.Pass.open()
	if err != nil {
		return err
	}
	defer o.close()
	for number := range s.Tasks {
		if err := o.usePart(number, s.File(number), use); err != nil {
			return err
		}
	}
	return nil
}

// usePart calls use with the first row of the range with a number, and what the file at path holds. A
// file that says of itself that it is another task's is an error.
func (o *opened) usePart(number int, path string, use func(first int, part linalg.Matrix[float64])) error {
	var got passTask
	file, footer, err := open(path, &got)
	if err != nil {
		return err
	}
	defer file.Close()
	want := o.task(number)
	if got != want || footer.Bytes != 8*int64(want.Rows)*int64(want.Cols) {
		return fmt.Errorf("%s: %d bytes of %+v: want %+v", path, footer.Bytes, got, want)
	}
	numbers := mapped.Numbers[float64](file.Bytes()[:footer.Bytes])
	use(want.From, linalg.Matrix[float64]{Rows: want.Rows, Cols: want.Cols, Stride: want.Cols, Data: numbers})
	return nil
}
