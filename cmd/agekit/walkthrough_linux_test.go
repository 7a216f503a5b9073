package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agekit/age/internal/testutil"
)

// stubbornCell is the source of a cell, as lines of a notebook, that ignores every signal that can be ignored
// and does not end. It writes the ids of its process and of the parent, the kernel, to the file PIDS.
const stubbornCell = `    "import (\n", "\t\"fmt\"\n", "\t\"os\"\n", "\t\"os/signal\"\n", "\t\"time\"\n", ")\n",
    "%%\n",
    "signal.Ignore()\n",
    "os.WriteFile(\"PIDS.tmp\", []byte(fmt.Sprint(os.Getpid(), os.Getppid())), 0o600)\n",
    "os.Rename(\"PIDS.tmp\", \"PIDS\")\n",
    "time.Sleep(time.Hour)"
`

// TestWalkthroughEnds ends agekit walkthrough in the middle of a stubbornCell. After SIGTERM, neither the cell
// nor its kernel runs when the program has ended; after SIGKILL, both end by themselves a little later.
func TestWalkthroughEnds(t *testing.T) {
	testutil.Jupyter(t)
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		t.Run(signal.String(), func(t *testing.T) {
			dir := t.TempDir()
			pids := filepath.Join(dir, "pids")
			// The source of the good notebook's cell, from its import to its last line, is replaced.
			before, after, ok := strings.Cut(string(read(t, "testdata/1_good.ipynb")), `    "import \"fmt\"\n",`)
			_, after, found := strings.Cut(after, `2*2)"`+"\n")
			if !ok || !found {
				t.Fatal("testdata/1_good.ipynb is not what this test expects")
			}
			text := before + strings.ReplaceAll(stubbornCell, "PIDS", pids) + after
			put(t, filepath.Join(dir, "stubborn.ipynb"), text)
			c := command(t, "walkthrough", "--dir", dir, "--out", t.TempDir())
			testutil.NoError(t, c.Start())
			end := make(chan error, 1)
			go func() { end <- c.Wait() }()
			cellRuns := func() bool { info, err := os.Stat(pids); return err == nil && info.Size() > 0 }
			for len(end) == 0 && !cellRuns() {
				time.Sleep(10 * time.Millisecond)
			}
			if err := c.Process.Signal(signal); err != nil {
				t.Fatalf("%v: it ended before the cell ran", err)
			}
			if err := <-end; err == nil {
				t.Error("the walkthrough succeeded")
			}
			for _, pid := range strings.Fields(string(read(t, pids))) {
				for running(pid) {
					if signal == syscall.SIGTERM {
						t.Fatalf("process %s runs on", pid)
					}
					time.Sleep(10 * time.Millisecond) // what a killed program leaves ends by itself
				}
			}
		})
	}
}

// running reports whether the process with this id exists and has not ended.
func running(pid string) bool {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	return err == nil && !strings.Contains(string(stat), ") Z ")
}
