package main

import (
	"bufio"
	"strings"
	"testing"

	"github.com/agekit/age/internal/testutil"
)

// TestCache: what a stopped run left is listed and pruned, and nothing is pruned while a run
// is in progress.
func TestCache(t *testing.T) {
	p := newPlace(t)
	if e := p.run(t, "cache", "list").succeed(t); !strings.Contains(e.stdout, "0 entries, 0 B") {
		t.Errorf("at first: %s", e.stdout)
	}

	// A run that is stopped when three of its epochs have been judged, and so saved.
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
	if len(content.Entries) != 1 || content.Bytes < 1000 || content.Folder != p.path("store") {
		t.Errorf("%+v, want one checkpoint", content)
	}
	if e := p.run(t, "cache", "prune", "--older", "30d").succeed(t); !strings.Contains(e.stdout, "removed 0 entries") {
		t.Errorf("after 30 days: %s", e.stdout)
	}
	if e := p.run(t, "cache", "prune", "--all").succeed(t); !strings.Contains(e.stdout, "removed 1 entry, ") || len(names(t, p.path("store"))) != 0 {
		t.Errorf("all: %s, left %q", e.stdout, names(t, p.path("store")))
	}
}
