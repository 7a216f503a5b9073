//go:build unix

// Package scripts tests the Makefile and the shell scripts.
package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agekit/age/internal/testutil"
)

// hostile is the name of a folder that does harm where a path is not quoted: in make and in the shell, which
// would run a command that makes the file "made", and in lists that spaces separate.
const hostile = `a b $(touch made) $(shell touch made) ' "c`

// stub stands for any program that make calls. It writes its name and arguments as a line to the file $CALLS,
// makes the files that the program would make, and fails if JUPYTER_PATH is not $WANT_JUPYTER_PATH.
const stub = `#!/bin/sh
echo "$(basename "$0") $*" >> "$CALLS"
case "$(basename "$0") $*" in
go\ build*.bin/plain/*) ln -sf "$STUBS/agekit" .bin/plain/agekit ;;
go\ build*/agekit*) ln -sf "$STUBS/agekit" .bin/agekit ;;
go\ install*) [ "$GOBIN" = "$PROJECT/.bin" ] || { echo "GOBIN is $GOBIN"; exit 1; }; ln -sf "$STUBS/tool" "$GOBIN/staticcheck"; ln -sf "$STUBS/tool" "$GOBIN/gonb" ;;
go\ build*thirdparty*) ln -sf "$STUBS/thirdparty" ../../.bin/thirdparty ;;
go\ build*asm*) ln -sf "$STUBS/asm" ../../.bin/asm ;;
asm*) printf x > kernels_amd64.s; printf x > kernels_amd64.go ;;
python3*venv*) for dir; do :; done; mkdir -p "$dir/bin"; ln -sf "$STUBS/python3" "$dir/bin/python" ;;
esac
[ "$JUPYTER_PATH" = "$WANT_JUPYTER_PATH" ] || { echo "JUPYTER_PATH is $JUPYTER_PATH"; exit 1; }
`

// TestHostilePath runs targets of the Makefile in a folder with the hostile name, with stubs for the programs
// that they call. Each of these is called, with the right folders, and Python always isolated (-I). The name
// runs nowhere as a command: no file "made" is there in the end.
func TestHostilePath(t *testing.T) {
	for _, tool := range []string{"make", "bash"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	work := t.TempDir()
	project, stubs, calls := filepath.Join(work, hostile), filepath.Join(work, "stubs"), filepath.Join(work, "calls")
	for _, name := range []string{"go", "gofmt", "git", "python3", "agekit", "asm", "thirdparty", "tool"} {
		write(t, filepath.Join(stubs, name), stub)
	}
	write(t, filepath.Join(project, "Makefile"), read(t, "../Makefile"))
	testutil.NoError(t, os.CopyFS(filepath.Join(project, "scripts"), os.DirFS(".")))
	testutil.NoError(t, os.Chmod(filepath.Join(project, "scripts/jupyter.sh"), 0o755))
	// The files on which the targets depend; their texts do not matter to stubs.
	for _, file := range []string{"tools/go.mod", "tools/go.sum", "tools/lint/go.mod", "tools/lint/go.sum", "tools/asm/main.go", "tools/release/go.mod", "tools/release/thirdparty/main.go", "THIRD_PARTY.md"} {
		write(t, filepath.Join(project, file), "")
	}
	for _, file := range []string{"kernels_amd64.s", "kernels_amd64.go"} {
		write(t, filepath.Join(project, "internal/simd", file), "x")
	}

	cmd := exec.Command("make", "build", "tools", "jupyter", "warm", "lint", "asm", "walkthrough", "lab", "golden")
	cmd.Dir = project
	// What stubs need, and variables of a user that could lead make or the scripts elsewhere.
	cmd.Env = append(os.Environ(), "PATH="+stubs+":"+os.Getenv("PATH"), "STUBS="+stubs, "CALLS="+calls, "PROJECT="+project, "PWD="+project,
		"JUPYTER_PATH=/other $(shell touch made)", "WANT_JUPYTER_PATH="+project+":/other $(shell touch made)",
		"MAKEFLAGS=", "CDPATH="+work, "PYTHON=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	filepath.WalkDir(work, func(path string, d os.DirEntry, _ error) error {
		if d.Name() == "made" {
			t.Errorf("the folder's name ran as a command: %s", path)
		}
		return nil
	})
	called := read(t, calls)
	for _, want := range []string{"go build -buildvcs=", "go install tool", "go install ./gonb", "gonb -go_work=", "agekit walkthrough", "staticcheck ./...", "asm -out", "python -I -m jupyterlab", "python -I -m nbformat.sign"} {
		if !strings.Contains(called, want) {
			t.Errorf("%q was not called: %s", want, called)
		}
	}
	for line := range strings.Lines(called) {
		if strings.HasPrefix(line, "python") && !strings.Contains(line, " -I ") {
			t.Errorf("Python is not isolated: %s", line)
		}
	}
}
