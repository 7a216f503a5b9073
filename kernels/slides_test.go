package kernels_test

import (
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/internal/testutil"
	"github.com/agekit/age/kernels"
)

// publish converts the notebook source to a page and slides in a new folder, without running it, and returns the
// job, which has their paths.
func publish(t *testing.T, source string) kernels.Job {
	t.Helper()
	base := filepath.Join(t.TempDir(), "talk")
	job := kernels.Job{Root: testutil.Jupyter(t), Source: source, HTML: base + ".html", Slides: base + ".slides.html"}
	testutil.Value(job.Publish(t.Context(), log.New(t.Output(), "", 0))).OrFatal(t)
	return job
}

// TestFolded: a notebook's hint, the sources that it hides and its speaker notes are folded in the report, with
// their formulas and code inside, while outputs are not. What is to be removed is not there. On paper the
// folded parts are open and the speaker notes left out; in another medium it is the other way round.
func TestFolded(t *testing.T) {
	page := read(t, publish(t, "testdata/talk/talk.ipynb").HTML)
	hint := regexp.MustCompile(`(?s)<details><summary>Hint</summary>.*?</details>`).FindString(page)
	for _, want := range []string{"<strong>both</strong>", `<math display="inline">`, `<math display="block">`, `class="highlight"`} {
		if !strings.Contains(hint, want) {
			t.Errorf("the hint lacks %q: %s", want, hint)
		}
	}
	for source, wantFolded := range map[string]bool{
		"// the folded source":               true,
		"// the source hidden in JupyterLab": true,
		`<span class="nx">slider</span>`:     false,
	} {
		before, _, ok := strings.Cut(page, source)
		folded := strings.LastIndex(before, `<details class="folded"><summary>Code</summary>`) > strings.LastIndex(before, "</details>")
		if !ok || folded != wantFolded {
			t.Errorf("%q: on the page %v, folded %v, want %v", source, ok, folded, wantFolded)
		}
	}
	if !regexp.MustCompile(`<details class="spoken"><summary>Speaker notes</summary>\s*<p>Said`).MatchString(page) {
		t.Error("the speaker notes are not folded")
	}
	if strings.Contains(page, "the metadata") {
		t.Error("notes in the metadata are on the page")
	}
	if strings.Contains(page, "removed source") {
		t.Error("a source that is to be removed is on the page")
	}
	for _, output := range []string{"five\n", "six\n", "seven\n"} { // outside of the folded part
		if before, _, ok := strings.Cut(page, output); !ok || strings.Count(before, "<details") != strings.Count(before, "</details>") {
			t.Errorf("the output %q is folded or missing", output)
		}
	}
	t.Run("paper", func(t *testing.T) {
		for kind, wantOpen := range map[string]bool{"print": true, "speech": false} {
			var m struct {
				Heights []float64 // pixels that the folded parts have below their summaries
				Spoken  bool      // whether the speaker notes are shown
			}
			text := strings.ReplaceAll(page, "@media "+kind, "@media screen")
			inFrame{page: text, script: "testdata/talk/paper.js", width: 680}.measure(t, testutil.Chromium(t), &m)
			if len(m.Heights) != 3 {
				t.Fatalf("%d folded parts, want 3", len(m.Heights))
			}
			if open := slices.Min(m.Heights) > 20; open != wantOpen || m.Spoken == wantOpen {
				t.Errorf("on %s: below the summaries %v px, speaker notes %v", kind, m.Heights, m.Spoken)
			}
		}
	})
}

// slideLooks is what testdata/talk/measure.js finds.
type slideLooks struct {
	Slides []struct {
		Heading string
		Inside  bool    // whether it lies within the window, and is taller than half of that
		Tall    bool    // whether it scrolls
		End     bool    // whether scrolling shows its end
		Covered bool    // whether an arrow covers the number of the slide
		Wide    float64 // pixels by which its content is wider
		Text    float64 // the size of its text in pixels
	}
	Page             string  // the color of the page
	Scroll           float64 // pixels by which the window scrolls sideways
	Loaded, Errors   string  // what else was loaded, and the errors
	Notes            string  // the speaker notes, if they are shown
	Fragment         bool    // whether a step showed a part of a slide that was hidden
	Slider           bool    // whether the slider is shown
	Bar              string  // the width of the bar after the slider was moved
	Folded, Unfolded bool    // whether a hint was folded, and shown by a click
	Opened           string  // the address of the window that the key S opens
	Told             string  // the slides of which that window heard
	Followed         bool    // whether the slides went where that window went
}

// TestSlides goes through slides in a browser without network, in large and small windows and as a speaker: each
// slide can be read whole, in text that is large enough, and what can be clicked works. Only a speaker
// sees the notes. A cell that is to be skipped is not there, and the slides load nothing.
func TestSlides(t *testing.T) {
	slides := read(t, publish(t, "testdata/talk/talk.ipynb").Slides)
	if strings.Contains(slides, "Not for the talk") {
		t.Error("a cell that is to be skipped is in the slides")
	}
	if !strings.Contains(slides, "default-src 'none'") {
		t.Error("slides without the reports' policy")
	}
	if url := regexp.MustCompile(`(?i)(src|href)\s*=\s*["'](https?:)?//[^"')\s]*|url\(["']?(https?:)?//`).FindString(slides); url != "" {
		t.Errorf("the slides load %s", url)
	}
	browser := testutil.Chromium(t)
	for _, test := range []struct {
		name, query string
		width       int
		dark        bool
		text        float64 // the smallest size of text, in pixels
	}{
		{name: "projector", width: 1400, text: 21},
		{name: "tablet", width: 800, text: 13},
		{name: "phone", width: 390, text: 16},
		{name: "dark", width: 1400, dark: true, text: 21},
		{name: "speaker", query: "?notes", width: 1400, text: 13},
		{name: "speaker's phone", query: "?notes", width: 390, text: 16},
	} {
		t.Run(test.name, func(t *testing.T) {
			var m slideLooks
			inFrame{page: slides, query: test.query, script: "testdata/talk/measure.js", width: test.width, dark: test.dark}.measure(t, browser, &m)
			isSpeaker := test.query != ""
			var headings []string
			for _, s := range m.Slides {
				headings = append(headings, s.Heading)
				if !s.Inside && !isSpeaker || s.Covered {
					t.Errorf("not in its place, or with its number covered: slide %+v", s)
				}
				if s.Wide > 1 || !s.End {
					t.Errorf("not to be seen whole: slide %+v", s)
				}
				if least := smallest(s.Heading, test.text); s.Text < least {
					t.Errorf("text of %.1f pixels, want %.1f: slide %+v", s.Text, least, s)
				}
			}
			if want := []string{"A talk", "Code", "Below", "Figures"}; !slices.Equal(headings, want) {
				t.Fatalf("slides %q, want %q", headings, want)
			}
			title, sixtyLines, figures := m.Slides[0], m.Slides[2], m.Slides[3]
			figuresMayScroll := test.width <= 700 || isSpeaker
			if title.Tall || !sixtyLines.Tall || figures.Tall && !figuresMayScroll {
				t.Errorf("sixty lines of code do not scroll, or the title or figures do: %+v", m.Slides)
			}
			if m.Scroll > 0 || m.Loaded != "" || m.Errors != "" {
				t.Errorf("the window scrolls %v px; loaded %q; errors %q", m.Scroll, m.Loaded, m.Errors)
			}
			if !m.Fragment {
				t.Error("the fragment did not appear")
			}
			if !m.Slider || m.Bar != "70" {
				t.Errorf("slider shown %v, and a bar of %s, want 70", m.Slider, m.Bar)
			}
			if !m.Folded || !m.Unfolded {
				t.Errorf("hint folded %v and then unfolded %v", m.Folded, m.Unfolded)
			}
			for _, note := range []string{"Said, but not shown: mind", "Said from the metadata."} {
				if strings.Contains(m.Notes, note) != isSpeaker {
					t.Errorf("notes: %q", m.Notes)
				}
			}
			// The key S opens the speaker's window from that of the audience alone.
			opens := strings.HasSuffix(m.Opened, "page.html?notes")
			if opens == isSpeaker || m.Followed == isSpeaker || !isSpeaker && m.Told != "0,1,1,2" {
				t.Errorf("S opened %q, which heard of the slides %q, and was followed %v", m.Opened, m.Told, m.Followed)
			}
			if want := map[bool]string{false: "rgb(255, 255, 255)", true: "rgb(21, 24, 28)"}[test.dark]; m.Page != want {
				t.Errorf("the page is %s, want %s", m.Page, want)
			}
		})
	}
}

// smallest returns the smallest size that the text of the slide with a heading may have, where text is that of
// other slides: the slide with tall figures becomes smaller, so that they fit.
func smallest(heading string, text float64) float64 {
	const withFigures = 0.74
	if heading == "Figures" {
		return withFigures * text
	}
	return text
}

// TestSlidesByHeading: in a notebook that does not say which cells are slides, a slide begins at each heading of
// the first and second level, within a cell too, but not within code. A notebook without any slide is an
// error of Publish, which leaves the old slides.
func TestSlidesByHeading(t *testing.T) {
	source := filepath.Join(t.TempDir(), "plain.ipynb")
	write(t, source, regexp.MustCompile(`"slide_type": "\w+"`).ReplaceAllString(read(t, "testdata/talk/talk.ipynb"), `"slide_type": "-"`))
	job := publish(t, source)
	before := read(t, job.Slides)
	var headings []string
	for _, m := range regexp.MustCompile(`<section>\s*<section>\s*<div class="text">\s*<h\d id="([^"]*)"`).FindAllStringSubmatch(before, -1) {
		headings = append(headings, m[1])
	}
	if want := []string{"A-talk", "Code", "Still-this-slide", "Figures"}; !slices.Equal(headings, want) {
		t.Errorf("slides %q, want %q", headings, want)
	}

	write(t, source, `{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}`)
	testutil.Value(job.Publish(t.Context(), log.New(t.Output(), "", 0))).Fails(t, "plain.ipynb: no slides: ")
	if read(t, job.Slides) != before {
		t.Error("the old slides are gone")
	}
}

// write writes a text to the file at path, or ends the test.
func write(t *testing.T, path, text string) {
	t.Helper()
	testutil.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

// TestAnswersWait: the output that answers a question, and the text that explains it, are each folded in the
// report. On slides each is a step of its own, and not folded.
func TestAnswersWait(t *testing.T) {
	source := filepath.Join(t.TempDir(), "question.ipynb")
	write(t, source, `{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
		{"cell_type": "markdown", "id": "a", "metadata": {"slideshow": {"slide_type": "slide"}}, "source": "# Question\n\nHow many?"},
		{"cell_type": "code", "id": "b", "execution_count": null, "source": "count()", "metadata": {"tags": ["hide-output"], "slideshow": {"slide_type": "-"}},
		 "outputs": [{"output_type": "stream", "name": "stdout", "text": "forty-two"}]},
		{"cell_type": "markdown", "id": "c", "metadata": {"slideshow": {"slide_type": "-"}}, "source": "<details><summary>Reveal</summary>\n\n**What to notice.** Many.\n\n</details>\n\nAnd so on."}]}`)
	job := publish(t, source)
	page, shown := read(t, job.HTML), read(t, job.Slides)
	for pattern, text := range map[string]string{
		`<details class="answer"><summary>Reveal</summary>\s*<pre class="printed">forty-two</pre>\s*</details>`: page,
		`<details><summary>Reveal</summary>\s*<p><strong>What to notice.</strong> Many.</p>\s*</details>`:       page,
		`<div class="fragment">\s*<pre class="printed">forty-two</pre>\s*</div>`:                                shown,
		`<div class="fragment">\s*<div class="text">\s*<p><strong>What to notice.</strong> Many.</p>`:           shown,
	} {
		if !regexp.MustCompile(pattern).MatchString(text) {
			t.Errorf("no %s", pattern)
		}
	}
	if strings.Contains(shown, "Reveal</summary>") {
		t.Error("slides fold an answer that is a step of its own")
	}
}

// TestChecksHide: a cell that checks the text, and its output, are on the page and on slides only if the check
// failed.
func TestChecksHide(t *testing.T) {
	for outputs, shown := range map[string]bool{ // of the cell: none, and those of a failure
		``: false,
		`{"output_type": "stream", "name": "stderr", "text": "says 0.27"}, {"output_type": "error", "ename": "exit", "evalue": "1", "traceback": []}`: true,
	} {
		source := filepath.Join(t.TempDir(), "checked.ipynb")
		write(t, source, `{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
			{"cell_type": "markdown", "id": "a", "metadata": {"slideshow": {"slide_type": "slide"}}, "source": "# From 0.61 to 0.27"},
			{"cell_type": "code", "id": "b", "execution_count": null, "source": "NewClaims()", "outputs": [`+outputs+`],
			 "metadata": {"tags": ["check"], "jupyter": {"source_hidden": true}, "slideshow": {"slide_type": "-"}}}]}`)
		job := publish(t, source)
		for _, path := range []string{job.HTML, job.Slides} {
			if page := read(t, path); strings.Contains(page, "NewClaims") != shown || strings.Contains(page, "says 0.27") != shown {
				t.Errorf("%s with outputs [%s]: shown %v, want %v", filepath.Base(path), outputs, !shown, shown)
			}
		}
	}
}
