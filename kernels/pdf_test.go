package kernels

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// needScripts skips a test where a script cannot stand in for a browser.
func needScripts(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("browsers' stand-ins are scripts")
	}
}

// TestNoPDF: browsers that print nothing, or something else.
func TestNoPDF(t *testing.T) {
	needScripts(t)
	dir := t.TempDir()
	page := filepath.Join(dir, "page.html")
	if err := os.WriteFile(page, []byte("<p>a page</p>"), 0o644); err != nil {
		t.Fatal(err)
	}
	for script, want := range map[string]string{
		"echo a crash >&2; exit 3": "wrote no PDF (exit status 3\n",
		`for a; do case "$a" in --print-to-pdf=*) echo text >"${a#*=}";; esac; done`: "is not a PDF",
	} {
		browser := filepath.Join(dir, "browser")
		if err := os.WriteFile(browser, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := PrintPDF(t.Context(), browser, page, filepath.Join(dir, "page.pdf")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", script, err, want)
		}
	}
}

// TestFindBrowser: without a browser, the message says what was looked for.
func TestFindBrowser(t *testing.T) {
	places := browserPlaces
	defer func() { browserPlaces = places }()
	here := t.TempDir()
	browserPlaces = []string{filepath.Join(here, "Browser")}
	t.Setenv("PATH", t.TempDir())
	t.Setenv(BrowserVariable, "")
	_, err := FindBrowser()
	for _, want := range append(browserNames, BrowserVariable) {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that names %s", err, want)
		}
	}
	needScripts(t)
	if err := os.WriteFile(browserPlaces[0], nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if path, err := FindBrowser(); err != nil || path != browserPlaces[0] {
		t.Errorf("found %q, %v", path, err)
	}
}
