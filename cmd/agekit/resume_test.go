//go:build linux

package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/internal/testutil"
)

// command returns the command line agekit ARGS as a process of its own, with this test's environment.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self := testutil.Value(os.Executable()).OrFatal(t)
	c := exec.CommandContext(t.Context(), self, args...)
	c.Env = append(os.Environ(), asProgram+"=1")
	return c
}

// stopAt runs a command until it prints a line with this beginning on standard error, and then sends it the
// signal. It returns all that the command printed there, and the error with which it ended.
func stopAt(t *testing.T, c *exec.Cmd, beginning string, signal os.Signal) (printed string, end error) {
	t.Helper()
	stderr := testutil.Value(c.StderrPipe()).OrFatal(t)
	testutil.NoError(t, c.Start())
	lines := bufio.NewReader(stderr)
	for {
		text, err := lines.ReadString('\n')
		printed += text
		if err != nil {
			t.Fatalf("%v; it ended (%v) without the line %q:\n%s", err, c.Wait(), beginning, printed)
		}
		if strings.HasPrefix(text, beginning) {
			break
		}
	}
	testutil.NoError(t, c.Process.Signal(signal))
	rest, _ := io.ReadAll(lines)
	return printed + string(rest), c.Wait()
}

// resumedAfter returns the epoch after which a run resumed, by what it printed, or −1 if it did not.
func resumedAfter(printed string) int {
	found := regexp.MustCompile(`resumed after epoch (\d+) of`).FindStringSubmatch(printed)
	if found == nil {
		return -1
	}
	epoch, _ := strconv.Atoi(found[1])
	return epoch
}

// sameOutput checks that the run in the folder got wrote all its files, and that those that do not depend on
// time have the bytes of the run in the folder want.
func sameOutput(t *testing.T, got, want string) {
	t.Helper()
	for _, file := range []string{"embeddings.npy", "labels.txt", "model.npz", "nodes.csv"} {
		if !bytes.Equal(read(t, filepath.Join(got, file)), read(t, filepath.Join(want, file))) {
			t.Errorf("%s differs from that of an uninterrupted run", file)
		}
	}
	if files := listing(t, got); len(files) != 7 {
		t.Errorf("%d files in the output folder, want 7", len(files))
	}
}

// TestKilledTwice kills a run twice, in the middle and right after it has resumed, and then lets it finish.
// A killed run leaves no output. The last one resumes no earlier than the second did, and its files have
// the bytes of an uninterrupted run. The long test does it with Cora.
func TestKilledTwice(t *testing.T) {
	isolate(t)
	name := planted
	if testutil.IsLong() {
		name = "cora"
	}
	args := strings.Fields("fit --verbose --dataset " + name + " --epochs 9 --update 3 --dims 32 --pos-start 0.004 --layers 2 --backend native --checkpoint-every 1ns --no-map --out")
	want, got := t.TempDir(), t.TempDir()
	undisturbed := testutil.Value(command(t, append(args, want, "--json")...).Output()).OrFatal(t)
	if testutil.IsLong() {
		r := decoded[run.Record](t, string(undisturbed))
		if r.Dataset != "cora" || r.N != 2708 || r.Edges != 5278 || r.Features != 1433 {
			t.Errorf("report %s, want that of Cora", undisturbed)
		}
		const lambdaMax = 1.48263057244 // by numpy
		if !near(r.LambdaMax, lambdaMax, 1e-9) {
			t.Errorf("λmax %v, want %v", r.LambdaMax, lambdaMax)
		}
	}
	args = append(args, got)
	secondResumed := -1 // the epoch after which the second run resumed
	// Epoch 3 is judged beside the next ones: its line may come with epoch 4.
	for _, beginning := range []string{"epoch ", "resumed after"} {
		printed, end := stopAt(t, command(t, args...), beginning, syscall.SIGKILL)
		var exit *exec.ExitError
		if !errors.As(end, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
			t.Fatalf("it ended with %v before it was killed at %q:\n%s", end, beginning, printed)
		}
		if files := listing(t, got); files != nil {
			t.Errorf("killed at %q, it left %.500q", beginning, files)
		}
		secondResumed = resumedAfter(printed)
	}
	out, err := command(t, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// The first run printed what epoch 3 is worth, so epoch 2 at least was saved.
	earliest := max(2, secondResumed)
	if epoch := resumedAfter(string(out)); epoch < earliest {
		t.Errorf("the last run resumed after epoch %d, want %d or later:\n%s", epoch, earliest, out)
	}
	if log := string(read(t, filepath.Join(got, "log.txt"))); !strings.Contains(log, "resumed after epoch") {
		t.Errorf("log %s", log)
	}
	sameOutput(t, got, want)
}

// TestInterrupted: Ctrl-C (SIGINT) and SIGTERM end a run with exit code 1. It prints no result and leaves no
// file. The message says that the same command resumes the run, and the second run, which is the same
// command, does.
func TestInterrupted(t *testing.T) {
	isolate(t)
	out := t.TempDir()
	args := append(strings.Fields("fit --verbose --dataset "+planted+" --epochs 1000000 --update 2 --dims 32 --backend native --checkpoint-every 1ns --json --out"), out)
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		c := command(t, args...)
		var stdout bytes.Buffer
		c.Stdout = &stdout
		// A million epochs take hours: that it ends means that it stopped.
		printed, end := stopAt(t, c, "epoch ", signal)
		if c.ProcessState.ExitCode() != 1 || stdout.Len() > 0 {
			t.Errorf("%v: %v, exit %d, printed %s", signal, end, c.ProcessState.ExitCode(), stdout.String())
		}
		if !regexp.MustCompile(`\nagekit: stopped; run it again to resume after epoch \d+ of 1000000`).MatchString(printed) {
			t.Errorf("%v: printed %s", signal, printed)
		}
		if isSecond := signal == syscall.SIGTERM; isSecond && resumedAfter(printed) < 1 {
			t.Errorf("the same command started over: %s", printed)
		}
		if files := listing(t, out); files != nil {
			t.Errorf("%v left %.500q", signal, files)
		}
	}
}

// TestFullDisk: a run that cannot write one of its files, since it is larger than the disk has room for,
// fails, names the file, and leaves the folder of --out as it was: with the files of an earlier run, or
// missing. A limit on the size of a file stands in for a full disk. In one case only the embeddings are too
// large, in the other only the model, so that in at least one of the cases other files are written first.
func TestFullDisk(t *testing.T) {
	isolate(t)
	for _, test := range []struct{ dataset, limit, tooLarge string }{ // limit in bytes, the file's name
		{planted, "20000", "embeddings.npy"},
		{strings.Replace(planted, "f=100", "f=400", 1), "45000", "model.npz"},
	} {
		args := strings.Fields("fit --dataset " + test.dataset + quick + " --json --out")
		out, fresh := t.TempDir(), filepath.Join(t.TempDir(), "fresh")
		succeeds(t, append(args, out)...)
		before := listing(t, out)
		for folder, want := range map[string][]string{out: before, fresh: nil} {
			c := command(t, append(args, folder, "--seed", "2")...)
			c.Env = append(c.Env, "AGEKIT_TEST_LARGEST_FILE="+test.limit)
			var stdout, stderr bytes.Buffer
			c.Stdout, c.Stderr = &stdout, &stderr
			if err := c.Run(); err == nil || c.ProcessState.ExitCode() != 1 || stdout.Len() > 0 {
				t.Errorf("%v, printed %s", err, stdout.String())
			}
			for _, want := range []string{"agekit: --out: write " + folder, test.tooLarge, "file too large"} {
				if !strings.Contains(stderr.String(), want) {
					t.Errorf("no %q in the error %s", want, &stderr)
				}
			}
			if after := listing(t, folder); !slices.Equal(after, want) {
				t.Errorf("%s: %d files now, %d before, or different ones", test.tooLarge, len(after), len(want))
			}
		}
	}
}

// TestReadOnlyOutput: a folder of --out that cannot be written, or not be made, for want of permission is an
// error that names it, before the training begins. No file is written.
func TestReadOnlyOutput(t *testing.T) {
	isolate(t)
	out := t.TempDir()
	for d := out; strings.HasPrefix(d, os.TempDir()) && d != os.TempDir(); d = filepath.Dir(d) {
		testutil.NoError(t, os.Chmod(d, 0o555)) // others than the owner, too, may go through it to out
		defer os.Chmod(d, 0o755)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if os.Geteuid() == 0 {
			// Root may write everywhere. On Linux, the user that
			// files are opened as belongs to the thread; this
			// thread is never unlocked and so ends with the
			// goroutine.
			runtime.LockOSThread()
			const nobody = 65534
			if err := syscall.Setfsuid(nobody); err != nil {
				t.Error(err)
				return
			}
		}
		for _, folder := range []string{out, filepath.Join(out, "below")} {
			code, stdout, stderr := age(t, append(strings.Fields("fit --dataset "+planted+quick), "--out", folder)...)
			if code != 1 || stdout != "" || strings.Contains(stderr, "epoch") {
				t.Errorf("--out %s: exit %d, printed %s%s", folder, code, stdout, stderr)
			}
			for _, want := range []string{"agekit: --out: ", folder, "permission denied"} {
				if !strings.Contains(stderr, want) {
					t.Errorf("--out %s: no %q in %s", folder, want, stderr)
				}
			}
		}
	}()
	<-done
	if files := listing(t, out); files != nil {
		t.Errorf("there are files: %v", files)
	}
}

// TestXLAWithoutPlugin: without a plugin, --backend xla:cpu is a usage error that says how to install
// one, and no output is made. It needs a separate process, since plugins are searched for in the
// places that the environment named at the start.
func TestXLAWithoutPlugin(t *testing.T) {
	isolate(t)
	out := filepath.Join(t.TempDir(), "out")
	c := command(t, "fit", "--dataset", planted, "--backend", "xla:cpu", "--out", out)
	printed, err := c.CombinedOutput()
	want := regexp.MustCompile("^agekit: --backend: backend xla:cpu: (no plugin found: install it with `agekit backend install cpu`|this program was built without XLA)")
	if c.ProcessState.ExitCode() != 2 || !want.Match(printed) {
		t.Errorf("%v, printed %s", err, printed)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("an output folder was created")
	}
}
