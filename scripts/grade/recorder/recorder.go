// Package exercise stands in for agekit/lab/exercise in the programs that scripts/grade builds of a
// student's cells. Its [Check] judges nothing: it sends the answer to the grader, which is another process
// and has the right one. So nothing that a cell prints, declares or ends decides anything.
package exercise

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"os"
	"reflect"
	"sync"

	"github.com/agekit/age/agekit/graph"
	"gonum.org/v1/gonum/mat"
)

// Answer is what a cell gives to Check.
type Answer struct {
	ID    string // of the exercise
	Graph string // the name and the number of nodes of the graph, for messages
	Type  string // of the answer, as %T prints it
	Value []byte // of an answer that is no function, as [Encode] writes it; nil if it cannot
}

// Call asks the program to call the function that is the answer, or, with Done, to go on.
type Call struct {
	Args [][]byte
	Done bool
}

// Reply is what the function did: its results, its arguments afterwards, and the value of a panic.
type Reply struct {
	Results, Args [][]byte
	Panic         string
}

// Verdict is that of agekit/lab/exercise. It says nothing here, so that no loop over answers can ask it.
type Verdict struct {
	Right   bool
	Message string
}

// MustBeRight does nothing.
func (Verdict) MustBeRight() {}

// Files that the program inherits: the grader's calls and the program's answers.
const callsFile, answersFile = 3, 4

var (
	once    sync.Once
	mutex   sync.Mutex // held during a check
	calls   *gob.Decoder
	answers *gob.Encoder
)

// Check sends the answer to the grader, and calls it as often as the grader asks if it is a function.
func Check(id string, g *graph.Graph, answer any) Verdict {
	once.Do(func() {
		calls = gob.NewDecoder(os.NewFile(callsFile, "calls"))
		answers = gob.NewEncoder(os.NewFile(answersFile, "answers"))
	})
	mutex.Lock()
	defer mutex.Unlock()
	value := reflect.ValueOf(answer)
	if value.Kind() == reflect.Func && value.IsNil() {
		answer, value = nil, reflect.Value{}
	}
	a := Answer{ID: id, Type: fmt.Sprintf("%T", answer), Graph: Name(g)}
	isFunc := value.Kind() == reflect.Func
	if value.IsValid() && !isFunc {
		a.Value, _ = Encode(value)
	}
	must(answers.Encode(a))
	for isFunc {
		var call Call
		must(calls.Decode(&call))
		if call.Done {
			break
		}
		must(answers.Encode(do(value, call)))
	}
	return Verdict{}
}

// Name returns the name and the number of nodes of a graph.
func Name(g *graph.Graph) string {
	if g == nil {
		return "no graph"
	}
	return fmt.Sprintf("%s of %d nodes", g.Name, g.N())
}

// do calls f.
func do(f reflect.Value, call Call) (r Reply) {
	defer func() {
		if p := recover(); p != nil {
			r = Reply{Panic: fmt.Sprint(p)}
		}
	}()
	var args []reflect.Value
	for i, text := range call.Args {
		args = append(args, reflect.New(f.Type().In(i)).Elem())
		must(Decode(text, args[i]))
	}
	results := f.Call(args)
	for _, list := range []struct {
		values []reflect.Value
		texts  *[][]byte
	}{{results, &r.Results}, {args, &r.Args}} {
		for _, v := range list.values {
			text, err := Encode(v)
			must(err)
			*list.texts = append(*list.texts, text)
		}
	}
	return r
}

// symmetric is a *mat.SymDense as it is sent.
type symmetric struct {
	N    int
	Data []float64 // n×n
}

// Encode returns a value as bytes, for [Decode].
func Encode(v reflect.Value) ([]byte, error) {
	if s, ok := v.Interface().(*mat.SymDense); ok {
		v = reflect.ValueOf(symmetric{s.SymmetricDim(), mat.DenseCopyOf(s).RawMatrix().Data})
	}
	var text bytes.Buffer
	err := gob.NewEncoder(&text).EncodeValue(v)
	return text.Bytes(), err
}

// Decode sets v to what Encode wrote of a value of its type.
func Decode(text []byte, v reflect.Value) error {
	decoder := gob.NewDecoder(bytes.NewReader(text))
	if _, ok := v.Interface().(*mat.SymDense); ok {
		var s symmetric
		if err := decoder.Decode(&s); err != nil {
			return err
		}
		if s.N < 1 || len(s.Data) != s.N*s.N {
			return fmt.Errorf("a symmetric matrix of %d rows has %d entries", s.N, len(s.Data))
		}
		v.Set(reflect.ValueOf(mat.NewSymDense(s.N, s.Data)))
		return nil
	}
	return decoder.DecodeValue(v)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
