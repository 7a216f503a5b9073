package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTrustNamesTests: the tests that docs/trust.md names exist where it says.
func TestTrustNamesTests(t *testing.T) {
	const docs = "../../docs"
	page, err := os.ReadFile(filepath.Join(docs, "trust.md"))
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`\[((?:Test|Fuzz)\w+)\]\((\S+)\)`).FindAllStringSubmatch(string(page), -1)
	if len(named) < 30 {
		t.Errorf("%d tests named, want one for each promise", len(named))
	}
	for _, m := range named {
		file, err := os.ReadFile(filepath.Join(docs, filepath.FromSlash(m[2])))
		if err != nil || !strings.Contains(string(file), "\nfunc "+m[1]+"(") {
			t.Errorf("%s is not in %s (%v)", m[1], m[2], err)
		}
	}
	for line := range strings.Lines(string(page)) {
		if strings.HasPrefix(line, "| ") && !strings.Contains(line, "](../") && !strings.HasPrefix(line, "| promise") {
			t.Errorf("no test for %s", line)
		}
	}
}
