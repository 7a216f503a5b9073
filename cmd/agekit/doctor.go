package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/internal/simd"
	"github.com/agekit/age/internal/system"
	"github.com/agekit/age/kernels"
)

type doctorCmd struct{ jsonFlag }

// troubleshooting is online: a program that was installed alone has no docs folder.
const troubleshooting = "https://github.com/agekit/age/blob/HEAD/docs/troubleshooting.md"

// The states of a finding.
const (
	fine    = "ok"
	note    = "note"
	missing = "missing"
)

// finding is one thing that the doctor looked at.
type finding struct {
	Name   string `json:"name"`
	State  string `json:"state"`            // fine, note or missing
	About  string `json:"about"`            // what was found
	Advice string `json:"advice,omitempty"` // what to do about it; "" for nothing
}

// either returns the finding good if ok is true, and otherwise bad.
func either(ok bool, good, bad finding) finding {
	if ok {
		return good
	}
	return bad
}

// print writes the finding to w as a line with three columns: its state, its name and what was found. If
// there is advice, it stands in a second line, below what was found.
func (f finding) print(w io.Writer) {
	const stateWidth, nameWidth = 8, 20
	fmt.Fprintf(w, "%-*s %-*s %s\n", stateWidth, f.State, nameWidth, f.Name, f.About)
	if f.Advice != "" {
		const indent = stateWidth + 1 + nameWidth // both columns and the space between them
		fmt.Fprintf(w, "%*s → %s\n", indent, "", f.Advice)
	}
}

func (c *doctorCmd) Run(rt *Runtime) error {
	root, _ := kernels.ProjectRoot(".") // outside the project: empty
	report, err := surveyBackends()
	if err != nil {
		return err
	}
	data, err := examineData(rt.Context)
	if err != nil {
		return err
	}
	all := slices.Concat(
		examineGo(rt.Context),
		[]finding{examineSIMD()},
		examineBackends(report),
		examineJupyter(rt.Context, root),
		examineKernels(root),
		data,
	)
	if err := rt.Context.Err(); err != nil {
		return err
	}
	if err := c.emit(rt, all, func(w io.Writer) {
		for _, f := range all {
			f.print(w)
		}
	}); err != nil {
		return err
	}
	lacking := 0
	for _, f := range all {
		if f.State == missing {
			lacking++
		}
	}
	if lacking > 0 {
		return fmt.Errorf("missing: %d of %d; see %s", lacking, len(all), troubleshooting)
	}
	return nil
}

// examineGo looks for what the cells of notebooks are built with: Go, and gcc for XLA.
func examineGo(ctx context.Context) []finding {
	out, err := system.ProgramOutput(ctx, "go", "env", "GOVERSION")
	if err != nil {
		return []finding{{"Go", missing, "no go command that works: " + err.Error(), "install Go 1.26 or newer; notebooks need it, this program does not"}}
	}
	_, err = exec.LookPath("gcc")
	return []finding{
		{"Go", fine, strings.TrimSpace(string(out)) + "; this program was built with " + runtime.Version(), ""},
		either(err == nil,
			finding{"C compiler", fine, "gcc, for XLA", ""},
			finding{"C compiler", note, "no gcc: XLA and the kernel agekit-xla can't be built", "install gcc, or stay with the kernel agekit"},
		),
	}
}

// examineSIMD says at which SIMD level the inner loops run. The factors in its advice were measured
// between GoMLX's step of training and the native one, and between loops without and with SIMD.
func examineSIMD() finding {
	level, levels := simd.Level(), simd.Levels()
	f := finding{"SIMD", fine, level, ""}
	if chosen := os.Getenv(simd.Variable); chosen != "" {
		f.About = fmt.Sprintf("%s, with %s=%s", level, simd.Variable, chosen)
	}
	switch {
	case simd.Err() != nil:
		f.State, f.Advice = note, simd.Err().Error()
	case len(levels) == 1:
		f.State, f.Advice = note, "this processor has no AVX2 or NEON: training is 4 to 20 times slower; use XLA: agekit backend install cpu"
	case level != levels[0]:
		f.State, f.Advice = note, fmt.Sprintf("this processor has %s: unset %s", levels[0], simd.Variable)
	}
	return f
}

// examineBackends says which backend auto chooses, and which backends of the report are ready.
func examineBackends(report backendReport) []finding {
	auto := finding{"backend auto", fine, report.Auto.Name + ": " + report.Auto.Reason, ""}
	if backend.HasGPU() && report.Auto.Name != backend.XLACUDA {
		auto.State, auto.Advice = note, "the GPU is faster; see backend xla:cuda"
	}
	found := []finding{auto}
	for _, b := range report.Backends {
		if b.Name == backend.XLACUDA && !backend.HasGPU() {
			continue // nothing is wrong without it
		}
		name := "backend " + b.Name
		found = append(found, either(b.Ready, finding{name, fine, "ready " + b.Plugin, ""}, finding{name, note, b.Problem, ""}))
	}
	return found
}

// examineJupyter looks for what runs notebooks: Python, and in the project's folder root Jupyter and its
// tools. root is "" outside of the project.
func examineJupyter(ctx context.Context, root string) []finding {
	_, err := system.ProgramOutput(ctx, "python3", "-I", "-c", "import venv, ensurepip")
	found := []finding{either(err == nil,
		finding{"Python", fine, "python3 with venv", ""},
		finding{"Python", missing, "no python3 with venv", "install Python 3.10 or newer with venv (on Debian: python3-venv)"},
	)}
	if root == "" {
		return append(found, finding{"project", note, "not in the project's folder: its Jupyter and tools were not looked for", "run agekit doctor there"})
	}
	for _, f := range []struct{ name, path, target string }{ // target is what make has to make
		{"Jupyter", kernels.PythonPath(root), "jupyter"},
		{"GoNB", filepath.Join(root, ".bin", "gonb"), "tools"},
		{"goimports", filepath.Join(root, ".bin", "goimports"), "tools"},
		{"gopls", filepath.Join(root, ".bin", "gopls"), "tools"}, // completes at Tab
	} {
		_, err := os.Stat(f.path)
		found = append(found, either(!errors.Is(err, os.ErrNotExist),
			finding{f.name, fine, f.path, ""},
			finding{f.name, missing, "not at " + f.path, "make " + f.target},
		))
	}
	return found
}

// examineKernels looks for the project's kernels where Jupyter does, and in the project's folder root,
// which is "" outside of the project.
func examineKernels(root string) []finding {
	folders := kernels.DataDirs()
	if root != "" && !slices.Contains(folders, root) {
		folders = append(folders, root)
	}
	var found []finding
	for _, k := range kernels.List(folders) {
		name := "kernel " + k.Name
		found = append(found, either(k.Problem == "", finding{name, fine, k.Dir, ""}, finding{name, missing, k.Problem, ""}))
	}
	if len(found) == 0 {
		found = []finding{{"kernels", missing, "none where Jupyter looks", "agekit kernel install, in the project's folder"}}
	}
	return found
}

// examineData returns a finding for each data set that consists of files: whether they are here and
// undamaged. Nothing is downloaded.
func examineData(ctx context.Context) (found []finding, err error) {
	for _, info := range dataset.List() {
		files, err := dataset.Status(ctx, info.Name, dataset.Options{Offline: true})
		if err != nil {
			return nil, err
		}
		if len(files) == 0 {
			continue // it is generated
		}
		f := finding{"data " + info.Name, fine, "all files found", ""}
		for _, file := range files {
			switch file.State {
			case dataset.Embedded:
				f.About = "inside the program"
			case dataset.Damaged:
				f.State, f.About = note, file.Problem
			case dataset.Missing:
				f.State, f.About, f.Advice = note, "not here", file.Problem
			}
		}
		found = append(found, f)
	}
	return found, nil
}

type versionCmd struct{ jsonFlag }

func (c *versionCmd) Run(rt *Runtime) error {
	v := system.ProgramVersion()
	return c.emit(rt, v, func(w io.Writer) { fmt.Fprintln(w, v) })
}
