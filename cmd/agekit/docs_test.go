package main

import (
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/testutil"
)

// docsPages returns the pages for users, relative to this folder.
func docsPages(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("%d pages in docs (%v)", len(pages), err)
	}
	return append(pages, "../../README.md", "../../CONTRIBUTING.md", "../../python/README.md")
}

// TestDocsNameTests: each test that docs/trust.md or docs/teaching.md links to, as [TestX](file), is a
// function of the file.
func TestDocsNameTests(t *testing.T) {
	const docs = "../../docs"
	for _, page := range []string{"trust.md", "teaching.md"} {
		text := read(t, filepath.Join(docs, page))
		named := regexp.MustCompile(`\[((?:Test|Fuzz)\w+)\]\((\S+)\)`).FindAllStringSubmatch(string(text), -1)
		if len(named) == 0 {
			t.Errorf("%s names no test", page)
		}
		for _, m := range named {
			file, err := os.ReadFile(filepath.Join(docs, filepath.FromSlash(m[2])))
			if err != nil || !strings.Contains(string(file), "\nfunc "+m[1]+"(") {
				t.Errorf("%s: %s is not in %s (%v)", page, m[1], m[2], err)
			}
		}
	}
}

// TestTrustIsTested: each row of the tables of docs/trust.md, which is a promise or a target, links to a
// file outside docs: the test that checks it.
func TestTrustIsTested(t *testing.T) {
	page := read(t, "../../docs/trust.md")
	for line := range strings.Lines(string(page)) {
		isHeader := strings.HasPrefix(line, "| promise") || strings.HasPrefix(line, "| target")
		if strings.HasPrefix(line, "| ") && !isHeader && !strings.Contains(line, "](../") {
			t.Errorf("no test for %s", line)
		}
	}
}

// TestDocsLinks: what the pages link to within the project exists: the file, and in a page the heading
// after the #.
func TestDocsLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for _, page := range docsPages(t) {
		for _, m := range link.FindAllStringSubmatch(string(read(t, page)), -1) {
			address, err := url.Parse(m[1])
			if err != nil {
				t.Errorf("%s: %v", page, err)
				continue
			}
			if address.Scheme != "" { // a link to the web
				continue
			}
			target := page // of a link such as #heading
			if address.Path != "" {
				target = filepath.Join(filepath.Dir(page), filepath.FromSlash(address.Path))
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %v", page, err)
				continue
			}
			if address.Fragment == "" || filepath.Ext(target) != ".md" {
				continue
			}
			if !slices.Contains(anchors(string(read(t, target))), address.Fragment) {
				t.Errorf("%s: %s has no heading for #%s", page, target, address.Fragment)
			}
		}
	}
}

var (
	heading  = regexp.MustCompile(`(?m)^#+ (.*)$`)
	noAnchor = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// anchors returns the anchors that GitHub makes of a page's headings.
func anchors(page string) (all []string) {
	for _, h := range heading.FindAllStringSubmatch(page, -1) {
		text := noAnchor.ReplaceAllString(strings.ToLower(h[1]), "")
		all = append(all, strings.ReplaceAll(text, " ", "-"))
	}
	return all
}

// TestTroubleshooting: docs/troubleshooting.md, the page that agekit doctor names, explains messages of
// the program, one in each row of a table, with … for what varies. Each message must be in the sources:
// the texts between the dots must stand in one line of them, in this order.
func TestTroubleshooting(t *testing.T) {
	page, ok := strings.CutPrefix(troubleshooting, "https://github.com/agekit/age/blob/HEAD/")
	if !ok {
		t.Fatalf("%s is not a file of the project", troubleshooting)
	}
	lines := sourceLines(t)
	// A row: | `message` | advice |
	rows := regexp.MustCompile("(?m)^\\| `([^`]+)` \\| .").FindAllStringSubmatch(string(read(t, "../../"+page)), -1)
	if len(rows) == 0 {
		t.Errorf("%s has no messages", page)
	}
	for _, row := range rows {
		inSources := row[1]
		if option, rest, _ := strings.Cut(row[1], " "); optionFlags[message.Option(option)] != "" {
			inSources = "%s " + rest // the option is an argument of the format
		}
		if !hasMessage(lines, strings.Split(inSources, "…")) {
			t.Errorf("no line of the sources has the message %s", row[1])
		}
	}
}

// hasMessage reports whether one of the lines has all parts of a message, in their order. At least one
// part must be longer than a word or two, which many lines have by chance.
func hasMessage(lines, parts []string) bool {
	const twoWords = 10 // bytes
	isLonger := func(part string) bool { return len(part) >= twoWords }
	hasAll := func(line string) bool { return hasParts(line, parts) }
	return slices.ContainsFunc(parts, isLonger) && slices.ContainsFunc(lines, hasAll)
}

// hasParts reports whether a line has all parts, in their order and without overlap.
func hasParts(line string, parts []string) bool {
	for _, part := range parts {
		_, after, found := strings.Cut(line, part)
		if !found {
			return false
		}
		line = after
	}
	return true
}

// sourceLines returns the lines of the program, the kernel, the Python package and the scripts, without the spaces
// around them; tests and lines of comment are left out.
func sourceLines(t *testing.T) (lines []string) {
	t.Helper()
	for _, dir := range []string{"agekit", "cmd", "internal", "kernels", "python", "scripts", "tools"} {
		err := filepath.WalkDir(filepath.Join("..", "..", dir), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "build" || d.Name() == "tests"): // made by pip; tests in Python
				return fs.SkipDir
			case !slices.Contains([]string{".go", ".py", ".sh"}, filepath.Ext(path)) || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			for line := range strings.Lines(string(read(t, path))) {
				if code := strings.TrimSpace(line); !strings.HasPrefix(code, "//") && !strings.HasPrefix(code, "#") {
					lines = append(lines, code)
				}
			}
			return nil
		})
		testutil.NoError(t, err)
	}
	return lines
}
