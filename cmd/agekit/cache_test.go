package main

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"github.com/agekit/age/internal/testutil"
)

// TestCache: agekit cache list shows the checkpoint of a run while it is in progress and after it was
// killed. agekit cache prune refuses to remove anything during the run. Afterwards, it keeps a checkpoint
// that is younger than --older says, and removes it with --all.
func TestCache(t *testing.T) {
	p := newPlace(t)
	if e := p.run(t, "cache", "list").succeed(t); !strings.Contains(e.stdout, "0 entries, 0 B") {
		t.Errorf("at first: %s", e.stdout)
	}

	// A run that would go on for hours. When three of its epochs have been judged, a checkpoint is saved.
	c := p.command(t.Context(), strings.Fields("fit --verbose --dataset planted:n=300,f=100,classes=4 --epochs 100000 --update 1 --dims 16 --backend native --checkpoint-every 1ms")...)
	lines := bufio.NewScanner(testutil.Value(c.StderrPipe()).OrFatal(t))
	testutil.NoError(t, c.Start())
	for judged := 0; judged < 3 && lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "epoch ") {
			judged++
		}
	}
	e := p.run(t, "cache", "prune", "--all")
	if e.code != 1 || !strings.Contains(e.stderr, "a run is using the store: try again when it has ended; nothing was removed") {
		t.Errorf("during a run: exit %d, %s%s", e.code, e.stdout, e.stderr)
	}
	if e := p.run(t, "cache", "list").succeed(t); !strings.Contains(e.stdout, "encoder checkpoint") {
		t.Errorf("the run's checkpoint is not listed: %s", e.stdout)
	}
	_ = c.Process.Kill()
	_ = c.Wait()

	content := decoded[cacheContent](t, p.run(t, "cache", "list", "--json").succeed(t).stdout)
	const leastBytes = 1000 // a checkpoint has the weights, at least
	if len(content.Entries) != 1 || content.Bytes < leastBytes {
		t.Errorf("%+v, want one checkpoint", content)
	}
	if content.Folder != p.path("store") {
		t.Errorf("the store is %s, want %s", content.Folder, p.path("store"))
	}
	if e := p.run(t, "cache", "prune", "--older", "30d").succeed(t); !strings.Contains(e.stdout, "removed 0 entries") {
		t.Errorf("after 30 days: %s", e.stdout)
	}
	if e := p.run(t, "cache", "prune", "--all").succeed(t); !strings.Contains(e.stdout, "removed 1 entry, ") || len(names(t, p.path("store"))) != 0 {
		t.Errorf("all: %s, left %q", e.stdout, names(t, p.path("store")))
	}
}

// TestCacheOthers: in a folder with files of somebody else, agekit cache list and cache prune --all name the
// first that looks like an entry and is none, and leave it as it is.
func TestCacheOthers(t *testing.T) {
	p := newPlace(t)
	testutil.NoError(t, os.MkdirAll(p.path("store"), 0o777))
	diary := p.path("store/diary.entry")
	testutil.NoError(t, os.WriteFile(diary, []byte("mine\n"), 0o600))
	for _, args := range [][]string{{"cache", "list"}, {"cache", "prune", "--all"}} {
		e := p.run(t, args...).succeed(t)
		if !strings.Contains(e.stdout, "0 entries, 0 B\nnot of this program, or damaged, and left as they are: 1 file, the first is \"diary.entry\"\n") {
			t.Errorf("%s: %s", args, e.stdout)
		}
	}
	if text := string(testutil.Value(os.ReadFile(diary)).OrFatal(t)); text != "mine\n" {
		t.Errorf("the file has %q", text)
	}
	content := decoded[cacheContent](t, p.run(t, "cache", "prune", "--all", "--json").succeed(t).stdout)
	if len(content.Entries) != 0 || len(content.Others) != 1 || content.Others[0] != "diary.entry" {
		t.Errorf("%+v", content)
	}
}
