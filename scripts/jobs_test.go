//go:build linux

package scripts

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agekit/age/internal/testutil"
)

// fakeFit stands for agekit: it takes a second and prints a report, but fails for the data set nowhere. To the
// file $CALLS it writes a line with its arguments and the number of files in its store, and leaves one there.
const fakeFit = `#!/bin/sh
echo "$* $(ls "$AGEKIT_STORE" | wc -l)" >>"$CALLS"
case "$*" in *nowhere*) exit 1 ;; esac
touch "$AGEKIT_STORE/checkpoint" "$CALLS.busy"
sleep 1
rm "$CALLS.busy"
case "$*" in *xla*) backend=xla:cuda seconds='{"train": 2.5, "compile": 1.25}' ;; *) backend=native seconds='{"train": 7.5}' ;; esac
echo '{"n": 2708, "backend": "'$backend'", "ranking": "exact", "seconds": '$seconds', "acc": 0.7354, "epoch": 390, "epochs": 400, "training": [{"loss": [2, 1.5]}]}'
`

// fakeNvidia reports 900 MiB in use during a job, and 500 before: the job uses 400.
const fakeNvidia = `#!/bin/sh
if [ -e "$CALLS.busy" ]; then echo 900; else echo 500; fi
`

// TestJobs runs jobs.py with programs that stand for agekit and nvidia-smi. A job that fails stops no other. A
// row of the table has what these programs reported, and the backends of a data set follow each other. A job
// that is measured again replaces the older measurement in the file. Each job begins with an empty store.
func TestJobs(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	file, calls := filepath.Join(dir, "jobs.json"), filepath.Join(dir, "calls")
	for name, text := range map[string]string{"agekit": fakeFit, "nvidia-smi": fakeNvidia} {
		write(t, filepath.Join(dir, name), text)
	}
	run := func(args ...string) (out, errs string, err error) {
		c := exec.Command("python3", append([]string{"-I", "jobs.py", "--program", filepath.Join(dir, "agekit"), "--out", file}, args...)...)
		c.Env = append(os.Environ(), "CALLS="+calls, "PATH="+dir+":"+os.Getenv("PATH"))
		var text strings.Builder
		c.Stderr = &text
		output, err := c.Output()
		return string(output), text.String(), err
	}
	hasLine := func(table, pattern string) {
		t.Helper()
		if !regexp.MustCompile(`(?m)^` + pattern).MatchString(table) {
			t.Errorf("no line %s in\n%s", pattern, table)
		}
	}
	table, errs, err := run("nowhere", "planted-300@20", "--backend", "xla:cuda", "--", "--batch", "all")
	if err == nil || !strings.Contains(errs, "nowhere on xla:cuda: exit code 1") {
		t.Errorf("one job of two fails: %v and %s", err, errs)
	}
	// As fakeFit and fakeNvidia report: 400 MiB of the GPU, 2.5 s of training, 1.25 of them compiling.
	hasLine(table, `\| planted-300@20 --batch all \| xla:cuda \| exact \| 2,708 \| \d+\.\d \| – \| \d+\.\d \| \d+ \| 400 \| – \| – \| – \| 2\.5 \| – \| 1\.2 \| 0\.735 \| .* \| 390 of 400 \| 1\.5000 \|$`)
	if table, errs, err = run("cora", "--backend", "native,xla:cuda"); err != nil {
		t.Fatalf("%v: %s", err, errs)
	}
	hasLine(table, `\| cora \| native \| exact \| 2,708 \| \d+\.\d \| 1\.00 \|`)
	hasLine(table, `\| cora \| xla:cuda \| exact \| 2,708 \| \d+\.\d \| \d\.\d\d \|`)
	if table, errs, err = run("cora"); err != nil || strings.Count(table, "\n| cora |") != 2 {
		t.Errorf("measured again: %v and\n%s%s", err, table, errs)
	}
	var stored struct {
		Jobs []struct {
			Seconds float64 `json:"seconds"`
			Memory  int64   `json:"peak_rss_bytes"`
		} `json:"jobs"`
	}
	testutil.NoError(t, json.Unmarshal([]byte(read(t, file)), &stored))
	if len(stored.Jobs) != 3 {
		t.Fatalf("%d jobs in the file, want 3", len(stored.Jobs))
	}
	for _, job := range stored.Jobs {
		const leastMemory = 1 << 19 // bytes, of a shell
		if job.Seconds < 1 || job.Memory < leastMemory {
			t.Errorf("%+v: a job takes a second and some memory", job)
		}
	}
	text := read(t, calls)
	want := "fit --json --no-auto --no-views --dataset planted:n=300,degree=14,f=128,seed=1 --epochs 20 --backend xla:cuda --batch all "
	if !strings.Contains(text, want) {
		t.Errorf("no call %s in\n%s", want, text)
	}
	for line := range strings.Lines(text) {
		if !strings.HasSuffix(line, " 0\n") {
			t.Errorf("the store had files before %s", line)
		}
	}
}
