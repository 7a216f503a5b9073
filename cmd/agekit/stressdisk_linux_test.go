package main

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/agekit/age/internal/testutil"
)

// disk makes the folder at path and mounts an empty file system there, with a size such as 64k, until the
// test ends. Without root's rights, it skips the test.
func disk(t *testing.T, path, size string) {
	t.Helper()
	testutil.NoError(t, os.MkdirAll(path, 0o755))
	if err := syscall.Mount("none", path, "tmpfs", 0, "mode=755,size="+size); err != nil {
		t.Skipf("mount: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(path, syscall.MNT_DETACH) })
}

// remount changes the flags and the options, such as size=64m, of the file system at path. It tries again
// while that is busy: a file system cannot become read-only while a file is being written.
func remount(t *testing.T, path string, flags uintptr, options string) {
	t.Helper()
	err := error(syscall.EBUSY)
	for try := 0; err == syscall.EBUSY && try < 1000; try++ {
		err = syscall.Mount("none", path, "tmpfs", flags|syscall.MS_REMOUNT, options)
	}
	testutil.NoError(t, err)
}

// TestFullOutput: if standard output is a full device, every command that prints a result fails and says so.
// A training keeps its checkpoint, so that the same command, run again, only prints.
func TestFullOutput(t *testing.T) {
	const tiny = "--dataset planted:n=60,f=24,classes=3,words=4"
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { full.Close() }) // after the parallel tests
	for _, args := range []string{
		"--help", "--version", "version", "fit --help", "data list", "data list --json", "data verify cora", "backend list",
		"kernel list", "kernel remove", "doctor", "spectrum " + tiny, "fit --epochs 2 --update 1 --dims 8 --backend native --out out " + tiny,
		"reproduce table1 --datasets planted:n=60 --out out",
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			c := p.command(t.Context(), strings.Fields(args)...)
			c.Stdout = full
			e := finish(t, t.Context(), c)
			if e.code != 1 || !strings.Contains(e.errorLine(), "no space left on device") {
				t.Errorf("exit %d\n%s", e.code, e.stderr)
			}
			if strings.HasPrefix(args, "fit --epochs") {
				again := p.run(t, strings.Fields(args)...).succeed(t)
				if !strings.Contains(again.stderr, "resumed after epoch 2 of 2") {
					t.Errorf("the checkpoint was lost:\n%s", again.stderr)
				}
			}
		})
	}
}

// TestTinyDisk: a disk that is too small for the result of a job is an error that says so. A training leaves
// no file on it. With more space, the same command gives the result of an undisturbed run; a training then
// resumes from its checkpoint.
func TestTinyDisk(t *testing.T) {
	knowResults(t)
	address := serveSlowly(t)
	for _, j := range jobs() {
		if j.name == "best" && !testutil.IsLong() {
			continue // writes what "fit" writes, in the same way
		}
		folder, size := "cwd/out", "16k" // of the disk, less than the result needs
		switch j.name {
		case "fetch":
			folder, size = "cache/agekit/data", "300k"
		case "install":
			folder, size = "cache/agekit/plugins", "4k"
		}
		trains := j.name == "fit" || j.name == "best"
		t.Run(j.name, func(t *testing.T) {
			p := newStressPlace(t, address)
			dir := filepath.Join(p.dir, folder)
			disk(t, dir, size)
			e := p.run(t, j.args...)
			if e.code != 1 || !regexp.MustCompile("o space left on device|I/O error").MatchString(e.stderr+e.stdout) {
				t.Errorf("exit %d\n%s%s", e.code, e.stdout, e.stderr)
			}
			if files := names(t, dir); trains && files != nil {
				t.Errorf("left behind: %q", files)
			}
			remount(t, dir, 0, "size=64m")
			again := p.run(t, j.args...).succeed(t)
			if j.result(t, p) != j.alone {
				t.Errorf("another result:\n%s", again.stderr)
			}
			if trains && !strings.Contains(again.stderr, "resumed after epoch") {
				t.Errorf("the checkpoint was lost:\n%s", again.stderr)
			}
			checkLeft(t, p, []*job{j})
		})
	}
}

// TestFullWorkers: with --engine local, a disk that gets full in the middle of a stage is one error, with the
// stage, the task and the file that could not be written. Once there is space, the same command does not
// repeat the task that was done, and writes the files of a run without a full disk, byte for byte.
func TestFullWorkers(t *testing.T) {
	p, files := newPlace(t), ownFiles(t, plantedGraph(t))
	build := []string{"graph", "build", "big", "--edges", filepath.Join(files, "edges.tsv"), "--features", filepath.Join(files, "x.csv")}
	fit := []string{
		"fit", "--dataset", "big", "--clusters", "4", "--epochs", "3", "--dims", "16", "--sample", "60", "--no-auto", "--no-views", "--no-map", "--verbose",
		"--engine", "local", "--workers", "1", "--work", "work", "--out",
	}
	p.run(t, build...).succeed(t)
	p.run(t, append(fit, "whole")...).succeed(t)
	dir := p.path("cwd", "work")
	disk(t, dir, "100k") // room for one of the blocks of columns
	e := p.run(t, append(fit, "out")...)
	if e.code != 1 {
		t.Errorf("exit %d, want 1", e.code)
	}
	for _, want := range []string{"stage smooth, task 1: ", "/stages/01-smooth/part-00001: ", "no space left on device"} {
		if !strings.Contains(e.errorLine(), want) {
			t.Errorf("no %q in the error\n%s", want, e.stderr)
		}
	}
	remount(t, dir, 0, "size=64m")
	again := p.run(t, append(fit, "out")...).succeed(t)
	if want := regexp.MustCompile(`stage smooth: 2 tasks .*, 1 of them were done before`); !want.MatchString(again.stderr) {
		t.Errorf("want a line %q in\n%s", want, again.stderr)
	}
	for _, file := range []string{"embeddings.npy", "labels.txt", "model.npz"} {
		if !bytes.Equal(read(t, p.path("cwd", "out", file)), read(t, p.path("cwd", "whole", file))) {
			t.Errorf("%s has other bytes than without a full disk", file)
		}
	}
}

// TestStoreLost: a run whose store is full, or becomes read-only or a file during the run, goes on without
// checkpoints, and a line says so. The exit code is 0, and the result is that of an undisturbed run.
func TestStoreLost(t *testing.T) {
	knowResults(t)
	for _, j := range jobs()[:3] { // those that have checkpoints
		t.Run(j.name, func(t *testing.T) {
			for name, lose := range map[string]func(t *testing.T, store string){
				"full":      func(t *testing.T, store string) {},
				"read-only": func(t *testing.T, store string) { remount(t, store, syscall.MS_RDONLY, "") },
				"a file": func(t *testing.T, store string) {
					testutil.NoError(t, syscall.Unmount(store, syscall.MNT_DETACH))
					testutil.NoError(t, os.Rename(store, store+".old"))
					testutil.NoError(t, content("no folder")(store))
				},
			} {
				if name != "full" && j.name != "fit" && !testutil.IsLong() {
					continue // one command shows when a store is lost, every one that it goes on without
				}
				t.Run(name, func(t *testing.T) {
					p := newPlace(t)
					size := "64m"
					if name == "full" {
						size = "8k"
					}
					disk(t, p.path("store"), size)
					printed, code := loseStore(t, p, j, func() { lose(t, p.path("store")) })
					if code != 0 || j.result(t, p) != j.alone {
						t.Errorf("exit %d, or another result\n%s", code, printed)
					}
					// A table's runs are too short for a checkpoint.
					if j.name != "reproduce" && !strings.Contains(printed, p.path("store")) {
						t.Errorf("no line about the store in\n%s", printed)
					}
				})
			}
		})
	}
}

// loseStore runs a job in a place, and calls lose when the job prints its first line on an epoch or a run. It
// returns what the job printed on standard error, and its exit code.
func loseStore(t *testing.T, p *place, j *job, lose func()) (printed string, code int) {
	t.Helper()
	c := p.command(t.Context(), j.args...)
	stderr := testutil.Value(c.StderrPipe()).OrFatal(t)
	testutil.NoError(t, c.Start())
	lines := bufio.NewScanner(stderr)
	for lost := false; lines.Scan(); {
		printed += lines.Text() + "\n"
		if !lost && (strings.HasPrefix(lines.Text(), "epoch") || strings.HasPrefix(lines.Text(), "run")) {
			lost = true
			lose()
		}
	}
	_ = c.Wait()
	return printed, c.ProcessState.ExitCode()
}
