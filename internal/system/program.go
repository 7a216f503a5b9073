package system

// This part starts other programs, which end with this one, in folders of their own.

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Command returns a command that runs the program called name, of the PATH, for [RunProgram]. The program
// will run in the folder where it is: go and python3 read files of the folder that they start in, which
// otherwise may belong to anybody. Only absolute entries of the PATH count. When ctx ends, the program
// gets SIGKILL.
func Command(ctx context.Context, name string, args ...string) (*exec.Cmd, error) {
	path, err := exec.LookPath(name)
	if err != nil || !filepath.IsAbs(path) { // os/exec reports ErrDot unless GODEBUG says otherwise
		return nil, fmt.Errorf("no %s in the absolute folders of the PATH", name)
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir = filepath.Dir(path)
	cmd.WaitDelay = time.Second
	endWithThis(cmd, false) // by SIGTERM
	return cmd, nil
}

// RunProgram calls run, which starts a program and waits for it, and returns its error. On Linux, the system
// ends the program if this one is killed.
func RunProgram(run func() error) error {
	// Linux watches the thread that started the program, not the process.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return run()
}

// ProgramOutput runs a program of the PATH and returns what it prints.
func ProgramOutput(ctx context.Context, name string, args ...string) ([]byte, error) {
	cmd, err := Command(ctx, name, args...)
	if err != nil {
		return nil, err
	}
	endWithThis(cmd, true) // by SIGKILL
	var out []byte
	err = RunProgram(func() error { out, err = cmd.Output(); return err })
	return out, err
}

// ProgramAnswer returns what a program of the PATH prints that should answer at once. It returns "" if the
// program fails, since what it printed may be a message, or takes more than ten seconds.
func ProgramAnswer(name string, args ...string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out, err := ProgramOutput(ctx, name, args...)
	if err != nil {
		return ""
	}
	return string(out)
}

// LastLines returns at most the last n lines of what a program printed.
func LastLines(printed []byte, n int) string {
	lines := strings.Split(strings.TrimSpace(string(printed)), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
