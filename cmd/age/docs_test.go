package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDocsNameTests: the tests that the docs name exist where they say.
func TestDocsNameTests(t *testing.T) {
	const docs = "../../docs"
	for page, least := range map[string]int{"trust.md": 30, "teaching.md": 7} {
		text, err := os.ReadFile(filepath.Join(docs, page))
		if err != nil {
			t.Fatal(err)
		}
		named := regexp.MustCompile(`\[((?:Test|Fuzz)\w+)\]\((\S+)\)`).FindAllStringSubmatch(string(text), -1)
		if len(named) < least {
			t.Errorf("%s: %d tests named, want %d", page, len(named), least)
		}
		for _, m := range named {
			file, err := os.ReadFile(filepath.Join(docs, filepath.FromSlash(m[2])))
			if err != nil || !strings.Contains(string(file), "\nfunc "+m[1]+"(") {
				t.Errorf("%s: %s is not in %s (%v)", page, m[1], m[2], err)
			}
		}
	}
}

// TestTrustIsTested: each promise of docs/trust.md names a test.
func TestTrustIsTested(t *testing.T) {
	page, err := os.ReadFile("../../docs/trust.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(page)) {
		if strings.HasPrefix(line, "| ") && !strings.Contains(line, "](../") && !strings.HasPrefix(line, "| promise") {
			t.Errorf("no test for %s", line)
		}
	}
}
