package figure_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/agekit/age/agekit/figure"
)

// TestExplorerInBrowser loads a page with two explorers, moves the sliders of
// the second, and compares the page with what Go draws for that position. It
// runs only if AGE_CHROMIUM names a Chromium or Chrome.
func TestExplorerInBrowser(t *testing.T) {
	browser := os.Getenv("AGE_CHROMIUM")
	if browser == "" {
		t.Skip("AGE_CHROMIUM does not name a browser")
	}
	first := figure.FrequencyResponseExplorer(spectrum(), 1.4826, figure.Response{})
	moved := figure.FrequencyResponseExplorer(spectrum(), 1.4826, figure.Response{K: 1.2, Layers: 5})
	page := "<!DOCTYPE html><meta charset=utf-8><body>" + first.HTML + first.HTML + `<script>
		var root = document.querySelectorAll(".agekit-explorer")[1];
		[["k", 1.2], ["t", 5]].forEach(function (move) {
			var slider = root.querySelector("[data-part=" + move[0] + "]");
			slider.value = move[1];
			slider.dispatchEvent(new Event("input"));
		});</script>`
	path := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path, []byte(page), 0o666); err != nil {
		t.Fatal(err)
	}
	dom, err := exec.CommandContext(t.Context(), browser, "--headless", "--no-sandbox", "--disable-gpu",
		"--disable-background-networking", "--user-data-dir="+t.TempDir(), "--dump-dom", "file://"+path).Output()
	if err != nil {
		t.Fatalf("%s: %v", browser, err)
	}
	for _, part := range []string{
		`data-part="curve" points="([^"]*)"`, `data-part="passed" d="([^"]*)"`, `data-part="shade" x="([^"]*)"`,
		`data-part="k-text"[^>]*>([^<]*)<`, `data-part="t-text"[^>]*>([^<]*)<`, `data-part="inverse-text"[^>]*>([^<]*)<`,
		`data-part="above"[^>]*>([^<]*)<`, `data-part="at-max"[^>]*>([^<]*)<`,
	} {
		find := regexp.MustCompile(part)
		got := find.FindAllStringSubmatch(string(dom), -1)
		if len(got) != 2 {
			t.Fatalf("%s: found %d times, want 2", part, len(got))
		}
		for i, f := range []figure.Fragment{first, moved} {
			want := find.FindStringSubmatch(f.HTML)
			if !sameNumbers(got[i][1], want[1]) {
				t.Errorf("%s of explorer %d: the page has\n%s\nwant\n%s", part, i, got[i][1], want[1])
			}
		}
	}
}
