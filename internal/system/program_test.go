//go:build unix

package system

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain lets the test binary act as a program that waits for another one ([TestEndsWithThis]): with
// PROGRAM_TEST_SLEEP, it starts one that prints its process id and sleeps.
func TestMain(m *testing.M) {
	if os.Getenv("PROGRAM_TEST_SLEEP") != "" {
		cmd, err := Command(context.Background(), "sh", "-c", "echo $$; exec sleep 600")
		if err != nil {
			panic(err)
		}
		cmd.Stdout = os.Stdout
		fmt.Println(RunProgram(cmd.Run))
		return
	}
	os.Exit(m.Run())
}

// script writes an executable to the folder dir that prints its own path and the folder in which it runs.
func script(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\necho \"$0\"\npwd -P\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// TestProgramOutput: a program does not run if the PATH has its folder in a form that is not absolute only:
// as "." or an empty entry, both the current folder, or as a relative path. A program of an absolute folder of
// the PATH runs, in that folder.
func TestProgramOutput(t *testing.T) {
	current, bin := t.TempDir(), t.TempDir()
	const relative = "relative" // a folder in the current one
	if err := os.Mkdir(filepath.Join(current, relative), 0o700); err != nil {
		t.Fatal(err)
	}
	script(t, current, "agekit-test-tool")
	script(t, filepath.Join(current, relative), "agekit-test-tool")
	t.Chdir(current)
	for _, path := range []string{"", ".", ":" + bin, relative} { // bin is still empty
		t.Setenv("PATH", path)
		if out, err := ProgramOutput(t.Context(), "agekit-test-tool"); err == nil {
			t.Errorf("with PATH=%s it ran: %s", path, out)
		}
	}
	script(t, bin, "agekit-test-tool")
	t.Setenv("PATH", bin+":/usr/bin:/bin")
	out, err := ProgramOutput(t.Context(), "agekit-test-tool")
	realBin, _ := filepath.EvalSymlinks(bin) // as pwd -P prints it
	if want := filepath.Join(bin, "agekit-test-tool") + "\n" + realBin + "\n"; err != nil || string(out) != want {
		t.Errorf("%q, %v, want %q", out, err, want)
	}
}

// TestEndsWithThis: a program that was started ends when the process that waits for it is killed.
func TestEndsWithThis(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ends a program with the one that started it")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	parent := exec.Command(self)
	parent.Env = append(os.Environ(), "PROGRAM_TEST_SLEEP=1")
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	parent.Wait()
	for alive(child) { // the test's own time limit ends this
		time.Sleep(10 * time.Millisecond)
	}
}

// alive reports whether a process runs; one that has ended and that nobody has waited for, a zombie, does
// not.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(stat), ") Z ")
}
