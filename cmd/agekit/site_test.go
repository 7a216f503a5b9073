package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agekit/age/internal/testutil"
)

// TestSiteServe: agekit site serve serves the files of its folder at an address of this machine alone. It
// serves nothing outside the folder, by no path and no link, and refuses requests for another host. An
// interrupt ends it with exit code 0.
func TestSiteServe(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{"program.js": "var x", "index.html": "<h1>Train</h1>"} {
		put(t, filepath.Join(folder, name), text)
	}
	testutil.NoError(t, os.Symlink(filepath.Join(t.TempDir(), "outside"), filepath.Join(folder, "link")))
	ctx, stop := context.WithCancel(t.Context())
	read, write := io.Pipe()
	done := make(chan int)
	go func() { done <- execute(ctx, []string{"site", "serve", folder}, write, io.Discard) }()
	line := testutil.Value(bufio.NewReader(read).ReadString('\n')).OrFatal(t)
	address, _, _ := strings.Cut(line, " ")
	if !strings.HasPrefix(address, "http://127.0.0.1:") {
		t.Fatalf("%q: want an address of this machine alone", line)
	}
	for path, want := range map[string]string{"": "<h1>Train</h1>", "program.js": "var x"} {
		if got := get(t, address+path, http.StatusOK); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	get(t, address+"../site_test.go", http.StatusNotFound) // the server takes .. away
	get(t, address+"link", http.StatusInternalServerError)
	misdirected(t, address)
	stop()
	if code := <-done; code != 0 {
		t.Errorf("exit %d after an interrupt", code)
	}
}

// get returns the text at an address; the answer must have this status of HTTP.
func get(t *testing.T, address string, status int) string {
	t.Helper()
	r := testutil.Value(http.Get(address)).OrFatal(t)
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != status {
		t.Errorf("%s: %s %v, want %d", address, r.Status, err, status)
	}
	return string(text)
}

// TestSiteServeRefuses: a folder without program.js is a failure, exit code 1, with advice to make the site;
// a port beyond 65535 is misuse, exit code 2.
func TestSiteServeRefuses(t *testing.T) {
	folder := t.TempDir()
	if code, _, errs := age(t, "site", "serve", folder); code != 1 || !strings.Contains(errs, "program.js") || !strings.Contains(errs, "make site") {
		t.Errorf("a folder without the site: exit %d, %s", code, errs)
	}
	if code, _, errs := age(t, "site", "serve", folder, "--port", "70000"); code != 2 || !strings.Contains(errs, "--port is 70000") {
		t.Errorf("a wrong port: exit %d, %s", code, errs)
	}
}
