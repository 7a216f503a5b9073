package kernels_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/agekit/age/internal/testutil"
	"github.com/agekit/age/kernels"
)

// TestReport runs a notebook with all that a report may hold. Its page has the expected parts, written here by
// hand, loads nothing, and has captions and tables in order. The list of pages has the notebook's
// heading and first paragraph, and the slides are slides. In a browser, the page fits frames of several
// widths.
func TestReport(t *testing.T) {
	const captionsAndTables = 80 // 40 of each
	out := t.TempDir()
	job := kernels.Job{
		Root: testutil.Jupyter(t), Source: "testdata/report/report.ipynb", Kernel: "agekit", Timeout: time.Minute,
		HTML: filepath.Join(out, "report.html"), Slides: filepath.Join(out, "report.slides.html"), Notebook: filepath.Join(out, "report.ipynb"),
	}
	if r, err := job.Run(t.Context(), log.New(t.Output(), "", 0)); err != nil || r.Failed != nil {
		t.Fatalf("%+v, %v", r, err)
	}
	page := read(t, job.HTML)
	for _, want := range []string{
		"<title>A report: all that can go wrong, for k = 1</title>",
		`<span class="kd">func</span>`, `<span class="kn">import</span>`, // Go's keywords
		"𝐇", "𝐱", "ℝ", "ℒ", "ℭ", "𝚲", "𝝀", // letters in styles without mathvariant, which browsers ignore
		`<mi>a</mi><mspace width="0.167em"></mspace><mi>log</mi><mspace width="0.167em"></mspace><mi>b</mi><mo lspace="0" rspace="0">/</mo>`,
		`<mo stretchy="false">‖</mo><mi>y</mi><msup><mo stretchy="false">‖</mo>`, // both bars of a norm alike
		`url(data:font/woff2;base64,`, // the font of the formulas
		`href="02_next.html#end"`,
		`src="data:image/svg+xml;base64,`,
		"prefers-color-scheme: dark", "size: A4",
		"default-src 'none'", // the browser refuses what is not in the page
	} {
		if !strings.Contains(page, want) {
			t.Errorf("report without %q", want)
		}
	}
	for _, bad := range []string{"mathvariant", "hl-ipython"} {
		if strings.Contains(page, bad) {
			t.Errorf("report with %q", bad)
		}
	}
	if url := regexp.MustCompile(`(?i)(src|href|url)\s*[=(]\s*["']?(https?:)?//[^"')\s]*`).FindString(page); url != "" {
		t.Errorf("report loads %s", url)
	}
	// Each caption is above its table. Text and tables reach Jupyter by two ways.
	order := regexp.MustCompile(`caption \d+|<td[^>]*>\d+</td>`).FindAllString(page[strings.Index(page, "caption 0"):], -1)
	if len(order) != captionsAndTables {
		t.Errorf("%d captions and tables, want %d", len(order), captionsAndTables)
	}
	for i, part := range order {
		if strings.HasPrefix(part, "caption") != (i%2 == 0) {
			t.Fatalf("captions and tables are out of order: %q", order)
		}
	}

	index := read(t, filepath.Join(out, "index.html"))
	for _, want := range []string{
		`<a href="report.html">A report: all that can go wrong, for k = 1</a>`,
		`s with the kernel agekit · <a href="report.slides.html">slides</a>`,
		"What it is for", "<li>text, formulas", "𝐇",
	} {
		if !strings.Contains(index, want) {
			t.Errorf("index without %q", want)
		}
	}
	if strings.Contains(index, "Not in the list of reports") {
		t.Error("index with more than the first paragraph and its list")
	}
	text := read(t, job.Slides)
	if strings.Contains(text, "<aside class=\"notes\">") || !strings.Contains(text, "Reveal.initialize") {
		t.Error("the walkthrough's slides are not slides")
	}
	t.Run("browser", func(t *testing.T) { testReportInBrowser(t, page) })
}

// pageLooks is what testdata/report/measure.js finds.
type pageLooks struct {
	Title, Fonts, Loaded  string  // Loaded: the addresses of what the page loaded
	Width, Scroll, Widest float64 // pixels: of the window, of the page, and the right end of its widest part
	Contrast              float64 // the least of a text
	Page, Figure          float64 // luminance of the page, and behind figures
	Brace                 float64 // height of a brace, in that of its cases
	NumberLines, Pictures int     // lines into which a number is broken, and pictures that are shown
	Moved                 bool    // whether a curve followed its slider
}

// testReportInBrowser shows the page in frames of several widths, light, dark and as on paper: everything fits
// the frame, can be read, and is there without a network.
func testReportInBrowser(t *testing.T, page string) {
	browser := testutil.Chromium(t)
	for _, test := range []struct {
		name  string
		width int
		dark  bool
		print bool // lay the page out as for A4, whose margins leave 180 mm
	}{
		{name: "desk", width: 1400},
		{name: "tablet", width: 800},
		{name: "phone", width: 390},
		{name: "dark", width: 800, dark: true},
		{name: "paper", width: 680, print: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := page
			if test.print {
				text = strings.ReplaceAll(text, "@media print", "@media screen")
			}
			var m pageLooks
			inFrame{page: text, script: "testdata/report/measure.js", width: test.width, dark: test.dark}.measure(t, browser, &m)
			if !strings.HasPrefix(m.Title, "A report") || int(m.Width) != test.width {
				t.Fatalf("measured %+v", m)
			}
			if m.Scroll > m.Width {
				t.Errorf("the page is %v px wide in a window of %v px", m.Scroll, m.Width)
			}
			if test.print && m.Widest > m.Width+1 {
				t.Errorf("something ends at %v px of %v px: paper would cut it", m.Widest, m.Width)
			}
			if !test.print && m.NumberLines != 1 {
				t.Errorf("a number is broken into %d lines", m.NumberLines)
			}
			if m.Contrast < 4.5 { // WCAG 2.2, level AA
				t.Errorf("text with a contrast of %.2f", m.Contrast)
			}
			isDark := m.Page < 0.1
			if isDark != test.dark || m.Figure < 0.9 { // figures have a light background in both
				t.Errorf("luminance %.2f of the page, %.2f behind figures", m.Page, m.Figure)
			}
			if !strings.Contains(m.Fonts, "STIX Two Math loaded") {
				t.Errorf("fonts: %s", m.Fonts)
			}
			if m.Brace < 0.9 {
				t.Errorf("a brace is %.2f times as high as its cases", m.Brace)
			}
			if m.Loaded != "" || m.Pictures != 1 {
				t.Errorf("loaded %q, %d pictures", m.Loaded, m.Pictures)
			}
			if !m.Moved {
				t.Error("the curve did not follow the slider")
			}
		})
	}
}

// inFrame is a page that is shown in a frame of a browser without network.
type inFrame struct {
	page, query string // the HTML of the page, and what follows its address, such as "?notes"
	script      string // the file of a script that runs in the page and posts what it finds to the frame's parent
	width       int    // of the frame in pixels
	dark        bool   // whether the browser prefers dark colors
}

// measure shows the page in the browser at a path, runs the script, and decodes the JSON that it posts into what
// found points to. It ends the test if the script posts nothing.
func (f inFrame) measure(t *testing.T, browser string, found any) {
	t.Helper()
	dir := t.TempDir()
	script := read(t, f.script)
	sum := sha256.Sum256([]byte(script)) // the page's policy runs no others
	allowed := "script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "' "
	f.page = strings.Replace(f.page, "script-src 'none'", "script-src ", 1)
	f.page = strings.Replace(f.page, "script-src ", allowed, 1)
	if strings.Contains(f.page, "@media screen") { // the test has edited the style sheet
		f.page = regexp.MustCompile(`style-src-elem [^;]*`).ReplaceAllString(f.page, "style-src-elem 'unsafe-inline'")
	}
	script = "<script>" + script + "</script>"
	frame := fmt.Sprintf(`<!DOCTYPE html><meta charset="utf-8"><pre id="found"></pre><script>
		var told = []; // of slides; a page may ask to be told, too
		addEventListener("message", function (e) {
			if (e.data.slides) told.push(e.data.slides.indexh);
			if (e.data.ask) e.source.postMessage({ slides: e.data.ask }, "*");
			if (e.data.Title) document.getElementById("found").textContent = JSON.stringify(Object.assign(e.data, { Told: told.join() }));
		});
		</script><iframe src="page.html%s" style="border:0;width:%dpx;height:900px"></iframe>`, f.query, f.width)
	k := strings.LastIndex(f.page, "</body>")
	for name, text := range map[string]string{"page.html": f.page[:k] + script + f.page[k:], "frame.html": frame} {
		testutil.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	args := []string{"--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-background-networking", "--proxy-server=127.0.0.1:1",
		"--user-data-dir=" + t.TempDir(), "--window-size=1600,1000", "--virtual-time-budget=10000"}
	if f.dark {
		args = append(args, "--blink-settings=preferredColorScheme=0")
	}
	dom, err := exec.CommandContext(t.Context(), browser, append(args, "--dump-dom", "file://"+filepath.Join(dir, "frame.html"))...).Output()
	if err != nil {
		t.Fatalf("%s: %v", browser, err)
	}
	text := regexp.MustCompile(`<pre id="found">(.+?)</pre>`).FindSubmatch(dom)
	if text == nil {
		t.Fatalf("no measurements in %s", dom)
	}
	if err := json.Unmarshal([]byte(html.UnescapeString(string(text[1]))), found); err != nil {
		t.Fatalf("%v: %s", err, text[1])
	}
}

// read returns the content of the file at path, or ends the test.
func read(t *testing.T, path string) string {
	t.Helper()
	data := testutil.Value(os.ReadFile(path)).OrFatal(t)
	return string(data)
}

// TestIndexWithoutHeading: the list of reports, from scripts/report.py, has notebooks without a heading, or
// without any text, by their names.
func TestIndexWithoutHeading(t *testing.T) {
	root, dir := testutil.Jupyter(t), t.TempDir()
	for name, cells := range map[string]string{"bare": ``, "plain": `{"cell_type": "markdown", "source": "Only this."}`} {
		write(t, filepath.Join(dir, name+".html"), "")
		write(t, filepath.Join(dir, name+".ipynb"), `{"metadata": {"agekit": {"kernel": "agekit", "seconds": 1, "failed": null}}, "cells": [`+cells+`]}`)
	}
	script := "import pathlib, sys; sys.dont_write_bytecode = True; sys.path.insert(0, sys.argv[1]); from report.index import index; print(index(pathlib.Path(sys.argv[2])))"
	page, err := exec.Command(kernels.PythonPath(root), "-I", "-c", script, filepath.Join(root, "scripts"), dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, page)
	}
	for _, want := range []string{`<a href="bare.html">bare</a>`, `<a href="plain.html">plain</a>`, "<p>Only this.</p>"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("no %q in %s", want, page)
		}
	}
}
