package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/agekit/age/internal/testutil"
)

// TestPagesInDocs: docs/open-anywhere.md has a line on each page of the site, and says how much the first one may
// take, which write checks.
func TestPagesInDocs(t *testing.T) {
	text := string(testutil.Value(os.ReadFile("../../docs/open-anywhere.md")).OrFatal(t))
	if size := fmt.Sprintf("(up to %.0f MB with the first page)", mostFirst/1e6); strings.Count(text, size) != 1 {
		t.Errorf("docs/open-anywhere.md does not say %q once", size)
	}
	for _, p := range topics {
		if line := fmt.Sprintf("\n- *%s*: ", p.Short); strings.Count(text, line) != 1 {
			t.Errorf("docs/open-anywhere.md does not have one line %q", line)
		}
	}
}
