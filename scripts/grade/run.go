package main

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/lab/exercise"
	"github.com/agekit/age/kernels"
	recorder "github.com/agekit/age/scripts/grade/recorder"
	"gonum.org/v1/gonum/mat"
)

// functions are the types of the answers that are functions.
var functions = map[string]reflect.Type{
	"1.3": reflect.TypeFor[func(*graph.Graph, []float64, float64, int) []float64](),
	"2.3": reflect.TypeFor[func(*graph.Graph) int](),
	"3.3": reflect.TypeFor[func(*mat.SymDense, int, int) [][]int](),
}

// values are the types of other answers, by their names.
var values = map[string]reflect.Type{
	"int": reflect.TypeFor[int](), "float64": reflect.TypeFor[float64](), "[]float64": reflect.TypeFor[[]float64](),
}

// verdict is that of a check of the exercise package, with the answer as text.
type verdict struct {
	exercise.Verdict
	value string // function if it is one; "" without an answer
	typed bool   // whether it may be the same on both graphs because somebody typed it
	graph string // that the cell gave to its check
}

// function stands for an answer that is a function.
const function = "a function"

// graphName returns how a verdict names a graph.
func graphName(g *graph.Graph) string { return recorder.Name(g) }

// run is what came of a program on one graph.
type run struct {
	verdicts map[string]verdict // the last of each exercise
	end      string             // how it ended, or why it did not run
	endless  bool
}

// grader builds and runs programs.
type grader struct {
	root, scratch string // the project's folder, and one for files
	goimports     string
	graphs        graphs
	limit         time.Duration // of a program
}

// newGrader returns a grader; close it.
func newGrader(seed uint64, limit time.Duration) (*grader, error) {
	gr := &grader{limit: limit}
	var err error
	if gr.root, err = kernels.ProjectRoot("."); err != nil {
		return nil, err
	}
	gr.goimports = filepath.Join(gr.root, ".bin", "goimports")
	if _, err := os.Stat(gr.goimports); err != nil {
		return nil, fmt.Errorf("no %s: run make walkthrough first", gr.goimports)
	}
	if gr.scratch, err = os.MkdirTemp("", "agekit-grade-"); err != nil {
		return nil, err
	}
	// Results that students' cells store are not read here.
	if err = os.Setenv("AGEKIT_STORE", filepath.Join(gr.scratch, "store")); err == nil {
		gr.graphs, err = chooseGraphs(seed)
	}
	if err != nil {
		gr.close()
		return nil, err
	}
	return gr, nil
}

// close removes the grader's files.
func (gr *grader) close() { os.RemoveAll(gr.scratch) }

// runAll builds the programs of a notebook as one, and runs each on both graphs.
func (gr *grader) runAll(programs []program) ([][2]run, error) {
	folder, err := os.MkdirTemp(gr.scratch, "notebook-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	broken, err := gr.build(folder, programs)
	if err != nil {
		return nil, err
	}
	runs := make([][2]run, len(programs))
	for i, p := range programs {
		for k := range gr.graphs {
			if why, ok := broken[p.folder()]; ok {
				runs[i][k].end = "does not compile: " + why
			} else if runs[i][k], err = gr.run(folder, p, k); err != nil {
				return nil, err
			}
			if runs[i][k].endless {
				break
			}
		}
	}
	return runs, nil
}

// build writes the file "cells" in the folder: a program that runs one of the programs by the name in
// $AGEKIT_CELL. It returns those that do not compile, by the names of their folders, with what the compiler
// says.
func (gr *grader) build(folder string, programs []program) (broken map[string]string, err error) {
	const here = "scripts/grade/cells" // where the packages are for the compiler; nothing is there
	replaced := map[string]string{}    // files by what the compiler reads in their place
	add := func(file, path string) { replaced[filepath.Join(gr.root, filepath.FromSlash(path))] = file }
	originals, err := filepath.Glob(filepath.Join(gr.root, "agekit", "lab", "exercise", "*.go"))
	if err != nil {
		return nil, err
	}
	for _, file := range originals {
		replaced[file] = ""
	}
	add(filepath.Join(gr.root, "scripts", "grade", "recorder", "recorder.go"), "agekit/lab/exercise/exercise.go")

	broken = map[string]string{}
	for _, p := range programs {
		file := filepath.Join(folder, p.folder()+".go")
		if err := os.WriteFile(file, []byte(p.source()), 0o666); err != nil {
			return nil, err
		}
		// As the kernel does: it adds imports of the standard library, and removes those that are not used.
		imports := exec.Command(gr.goimports, "-w", "-srcdir", filepath.Join(gr.root, "scripts", "grade"), file)
		if out, err := imports.CombinedOutput(); err != nil {
			broken[p.folder()] = compilerSays(string(out))
			continue
		}
		add(file, here+"/"+p.folder()+"/cell.go")
	}
	for range 2 { // again without those that do not compile
		var main strings.Builder
		main.WriteString("package main\n\nimport (\n\t\"os\"\n")
		var cases strings.Builder
		for _, p := range programs {
			if _, ok := broken[p.folder()]; !ok {
				fmt.Fprintf(&main, "\t%q\n", "github.com/agekit/age/"+here+"/"+p.folder())
				fmt.Fprintf(&cases, "\tcase %q:\n\t\t%s.%s()\n", p.folder(), p.folder(), entry)
			}
		}
		fmt.Fprintf(&main, ")\n\nfunc main() {\n\tswitch os.Getenv(\"AGEKIT_CELL\") {\n%s\t}\n}\n", &cases)
		file := filepath.Join(folder, "main.go")
		if err := os.WriteFile(file, []byte(main.String()), 0o666); err != nil {
			return nil, err
		}
		add(file, here+"/main.go")
		overlay, err := json.Marshal(map[string]any{"Replace": replaced})
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(folder, "overlay.json"), overlay, 0o666); err != nil {
			return nil, err
		}
		c := exec.Command("go", "build", "-overlay", filepath.Join(folder, "overlay.json"), "-tags=noxla", "-ldflags=-s",
			"-buildvcs=false", "-o", filepath.Join(folder, "cells"), "./"+here)
		c.Dir, c.Env = gr.root, append(os.Environ(), "CGO_ENABLED=0", "GOEXPERIMENT=simd", "GOPROXY=off", "GOFLAGS=")
		out, err := c.CombinedOutput()
		if err == nil {
			return broken, nil
		}
		found := packageErrors.FindAllStringSubmatch(string(out), -1)
		if len(found) == 0 || len(broken) == len(programs) {
			return nil, fmt.Errorf("go build: %w\n%s", err, out)
		}
		for _, m := range found {
			broken[m[1]] = compilerSays(m[2])
		}
	}
	return nil, errors.New("cells that compile alone do not compile together")
}

// packageErrors are what go build prints of one package: its name, and the errors.
var packageErrors = regexp.MustCompile(`(?m)^# \S*/(cell\d+)\n((?:[^#\n].*\n?)+)`)

// compilerSays returns the first error, without the paths of files that the student does not know.
func compilerSays(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return regexp.MustCompile(`^\S*?(cell\d+)(?:\.go)?:`).ReplaceAllString(line, "$1:")
}

// run runs a program on the k-th graph.
func (gr *grader) run(folder string, p program, k int) (run, error) {
	r := run{verdicts: map[string]verdict{}}
	home, err := os.MkdirTemp(folder, "home-")
	if err != nil {
		return r, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), gr.limit)
	defer cancel()
	c := exec.CommandContext(ctx, filepath.Join(folder, "cells"))
	c.Dir = home
	c.Env = []string{"AGEKIT_CELL=" + p.folder(), "AGEKIT_DATASET=" + gr.graphs[k].name, "HOME=" + home, "TMPDIR=" + home,
		"AGEKIT_STORE=" + filepath.Join(home, "store"), "AGEKIT_DATA=" + os.Getenv("AGEKIT_DATA")}
	c.WaitDelay = time.Second
	var errs tail
	c.Stderr = &errs
	callsIn, callsOut, err := os.Pipe() // what it reads, and what is written here
	if err != nil {
		return r, err
	}
	defer callsOut.Close()
	answersIn, answersOut, err := os.Pipe()
	if err != nil {
		return r, err
	}
	defer answersIn.Close()
	c.ExtraFiles = []*os.File{callsIn, answersOut}
	err = c.Start()
	callsIn.Close()
	answersOut.Close()
	if err != nil {
		return r, err
	}
	go func() { // a program of the program may hold the files open
		<-ctx.Done()
		answersIn.Close()
	}()
	s := student{gob.NewEncoder(callsOut), gob.NewDecoder(answersIn)}
	var unread error
	for {
		var a recorder.Answer
		if unread = s.answers.Decode(&a); unread != nil {
			break
		}
		r.verdicts[a.ID] = s.judge(a, gr.graphs[k].graph)
	}
	callsOut.Close() // ends a program that waits for a call
	answersIn.Close()
	err = c.Wait()
	switch said := errs.lastLine(); {
	case ctx.Err() != nil:
		r.endless = true
		r.end = fmt.Sprintf("has not ended after %v, and has not reached its check", gr.limit)
	case !errors.Is(unread, io.EOF): // then how it ends is a matter of chance
		r.end = "sent the grader what is no answer of a check"
	case err != nil && said != "":
		r.end = fmt.Sprintf("ended before its check: %s", said)
	default:
		r.end = "ended without reaching its check"
		if err != nil {
			r.end += " (" + err.Error() + ")"
		}
	}
	return r, nil
}

// student is a program that runs.
type student struct {
	calls   *gob.Encoder
	answers *gob.Decoder
}

// judge returns the verdict about an answer. If it is a function, the check calls it in the program.
func (s student) judge(a recorder.Answer, g *graph.Graph) verdict {
	v := verdict{value: a.Type, graph: a.Graph}
	isFunc := strings.HasPrefix(a.Type, "func(")
	if isFunc {
		v.value = function
	}
	switch want := functions[a.ID]; {
	case !slices.ContainsFunc(tasks, func(t task) bool { return t.id == a.ID }):
	case isFunc && want != nil && a.Type == want.String():
		f := reflect.MakeFunc(want, func(args []reflect.Value) []reflect.Value { return s.call(want, args) })
		v.Verdict = exercise.Judge(a.ID, g, f.Interface())
	case !isFunc && values[a.Type] != nil:
		answer := reflect.New(values[a.Type]).Elem()
		if err := recorder.Decode(a.Value, answer); err != nil {
			v.Message = "the answer could not be read: " + err.Error()
			break
		}
		v.value, v.typed = fmt.Sprint(answer.Interface()), !answer.IsZero()
		v.Verdict = exercise.Judge(a.ID, g, answer.Interface())
	case a.Type == "<nil>":
		v.Verdict = exercise.Judge(a.ID, g, nil)
	default:
		v.Message = "The answer is of type " + a.Type + "."
		if want != nil {
			v.Message += " Wanted: " + want.String() + "."
		}
	}
	if isFunc {
		_ = s.calls.Encode(recorder.Call{Done: true}) // a program that has ended does not need it
	}
	return v
}

// call calls the function in the program. It panics with what the function panics with, or if the program
// ends.
func (s student) call(f reflect.Type, args []reflect.Value) []reflect.Value {
	var call recorder.Call
	for _, a := range args {
		text, err := recorder.Encode(a)
		check(err)
		call.Args = append(call.Args, text)
	}
	var reply recorder.Reply
	if err := errors.Join(s.calls.Encode(call), s.answers.Decode(&reply)); err != nil {
		panic("the program ends")
	}
	if reply.Panic != "" {
		panic(reply.Panic)
	}
	if len(reply.Args) != len(args) || len(reply.Results) != f.NumOut() {
		panic("the program does not speak with the grader")
	}
	for i, text := range reply.Args { // what the function changed
		if args[i].Kind() == reflect.Slice {
			after := reflect.New(args[i].Type()).Elem()
			check(recorder.Decode(text, after))
			reflect.Copy(args[i], after)
		}
	}
	var results []reflect.Value
	for i, text := range reply.Results {
		result := reflect.New(f.Out(i)).Elem()
		check(recorder.Decode(text, result))
		results = append(results, result)
	}
	return results
}

// check panics with an error.
func check(err error) {
	if err != nil {
		panic(err)
	}
}

// tail keeps the end of what is written.
type tail struct{ bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	const most = 1 << 16
	t.Buffer.Write(p)
	if t.Len() > most {
		t.Next(t.Len() - most)
	}
	return len(p), nil
}

// place is a line that says only where in a program an error was.
var place = regexp.MustCompile(`^\s*\S+\.go:\d+|^\s*$`)

// lastLine returns the line that says why a program ended: that of a panic, or else the last one that is no
// place.
func (t *tail) lastLine() string {
	lines := strings.Split(t.String(), "\n")
	for _, line := range lines {
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			return line
		}
	}
	lines = slices.DeleteFunc(lines, place.MatchString)
	if len(lines) == 0 {
		return ""
	}
	return lines[len(lines)-1]
}
