package kernels_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/internal/testutil"
	"github.com/agekit/age/kernels"
)

// plans are the minutes of docs/lecture.md's plans.
var plans = []string{"90", "180"}

// TestDeck: for each plan, [kernels.Deck] writes the slides that docs/lecture.slides.md has for its sections. The
// first cites the paper and the last says what was learned; after the title come the answers of a class, of
// which it takes those that the site can have saved. The notes say the minutes of each part. In a browser of
// 1280 by 720 pixels, no slide scrolls, and its text, that of figures too, has at least 20 pixels.
func TestDeck(t *testing.T) {
	root, answers := testutil.Jupyter(t), t.TempDir()
	for name, text := range map[string]string{ // as the site saves them, and two that it does not
		"a": `{"agekit": "answers 1", "name": "<b>", "curve": null, "share": 0.55, "method": "AGE", "truths": {"share": 0.91, "method": "K-means"}}`,
		"b": `{"agekit": "answers 1", "name": "", "curve": null, "share": 0.52, "method": null, "truths": {"share": 0.91, "method": null}}`,
		"c": `{"agekit": "answers 1", "share": "<script>", "method": "<script>"}`,
		"d": `[1, 2`,
	} {
		write(t, filepath.Join(answers, name+".json"), text)
	}
	for _, minutes := range plans {
		t.Run(minutes, func(t *testing.T) {
			reports := t.TempDir()
			written := testutil.Value(kernels.Deck{Root: root, Reports: reports, Plan: minutes, Answers: answers}.Write(t.Context())).OrFatal(t)
			path := filepath.Join(reports, "lecture-"+minutes+".slides.html")
			if want := []kernels.WrittenSlides{{Slides: path}}; !slices.Equal(written, want) {
				t.Errorf("wrote %+v, want %+v", written, want)
			}
			page := read(t, path)
			for _, want := range []string{"3 answers.", "Computed: 91 %.", "50–60 %: 2", "90–100 %: 0", "Computed: features alone.", "AGE: 1"} {
				if !strings.Contains(page, want) {
					t.Errorf("the deck does not open with %q", want)
				}
			}
			_, plan, _ := strings.Cut(read(t, filepath.Join(root, "docs", "lecture.md")), "## "+minutes+" minutes\n")
			plan, _, _ = strings.Cut(plan, "\n## ")
			for _, row := range regexp.MustCompile(`(?m)^\| (\d+)–(\d+) \|[^|]*\| \d`).FindAllStringSubmatch(plan, -1) {
				if said := "Minutes " + row[1] + " to " + row[2] + " of " + minutes + "."; !strings.Contains(page, said) {
					t.Errorf("no notes with %q", said)
				}
			}
			_, shown, _ := strings.Cut(page, `<div class="slides">`)
			parts := strings.Split(shown, "<section>")
			if title := parts[2]; !strings.Contains(title, "KDD 2020") { // parts: before the first, the stack, the slide
				t.Errorf("the first slide does not cite the paper: %s", title)
			}
			if last := parts[len(parts)-1]; !strings.Contains(last, "What you have learned") {
				t.Errorf("the last slide does not say what was learned: %s", last)
			}
			for _, no := range []string{"from the store", "computed in", `class="code"`, "{figure"} {
				if strings.Contains(shown, no) {
					t.Errorf("%q is on a slide", no)
				}
			}
			checkLook(t, page)
		})
	}
}

// checkLook checks how the page of a deck looks.
func checkLook(t *testing.T, page string) {
	t.Helper()
	var m struct {
		Slides []struct {
			Heading, Where    string
			Tall, Wide, Least float64
			Figures           []float64
		}
		Errors string
	}
	inFrame{page: page, script: "testdata/talk/deck.js", width: 1280}.measure(t, testutil.Chromium(t), &m)
	if len(m.Slides) < 20 || m.Errors != "" {
		t.Errorf("%d slides, errors %q", len(m.Slides), m.Errors)
	}
	for _, s := range m.Slides {
		answers := s.Heading == "What you predicted" // whose histogram is drawn for any deck
		if s.Tall > 1 || s.Wide > 1 {
			t.Errorf("%q is %.0f pixels too tall and %.0f too wide", s.Heading, s.Tall, s.Wide)
		}
		const least = 19.9
		if s.Least < least && !answers {
			t.Errorf("%q has text of %.1f pixels: %s", s.Heading, s.Least, s.Where)
		}
		const width = 0.7 // of the window
		if len(s.Figures) > 0 && slices.Min(s.Figures) < width && !answers {
			t.Errorf("%q has figures with %.2f of the width", s.Heading, s.Figures)
		}
	}
}

// TestWrittenSlides: a slide of docs/lecture.slides.md has at most 40 words besides formulas and tables, and is
// not blank. Each paragraph is whole sentences. What a slide asks is answered by its next step or by the next
// slide. Its numbers stand in its notebook, or in the solutions. Each section of the plans has slides, and d̃
// is defined before exercise 1.1 needs it.
func TestWrittenSlides(t *testing.T) {
	text := read(t, "../docs/lecture.slides.md")
	_, text, _ = strings.Cut(text, "-->\n")
	headings := regexp.MustCompile(`(?m)^# (Opening|Closing|(\d\d): .*)\n`).FindAllStringSubmatchIndex(text, -1)
	written := map[string]bool{}
	for i, h := range headings {
		end := len(text)
		if i+1 < len(headings) {
			end = headings[i+1][0]
		}
		name, source := text[h[2]:h[3]], ""
		written[name] = true
		if h[4] >= 0 {
			source = numbersOf(t, text[h[4]:h[5]])
		}
		parts := regexp.MustCompile(`(?m)^---\n`).Split(text[h[1]:end], -1)
		for k, slide := range parts {
			checkSlide(t, name, slide, source, k+1 < len(parts))
		}
	}
	plan := read(t, "../docs/lecture.md")
	for _, row := range regexp.MustCompile(`(?m)^\| \d+–\d+ \|[^|]*\| (\d\d): (.*)\|$`).FindAllStringSubmatch(plan, -1) {
		for _, name := range regexp.MustCompile(`\*([^*]+)\*`).FindAllStringSubmatch(row[2], -1) {
			if section := row[1] + ": " + name[1]; !written[section] {
				t.Errorf("no slides for %s", section)
			}
		}
	}
	defined, used := strings.Index(text, `$\tilde d_i$ is the number of neighbors`), strings.Index(text, "## Exercise 1.1")
	if defined < 0 || used < defined {
		t.Error("d̃ is not defined before exercise 1.1")
	}
}

var (
	formulas = regexp.MustCompile(`(?s)\$\$.*?\$\$|\$[^$]*\$`)
	// Pictures, figures, tables, and what separates steps.
	noText  = regexp.MustCompile(`(?m)!\[[^\]]*\]\([^)]*\)|^\{figure.*\}$|^\|.*$|^\.\.\.$`)
	numbers = regexp.MustCompile(`\d[\d,]*\.\d+|\d+ %|\b\d{2,}\b`)
)

// checkSlide checks a slide of a section. source has the numbers that it may say, and another slide of the
// section follows or not.
func checkSlide(t *testing.T, section, slide, source string, follows bool) {
	t.Helper()
	plain := noText.ReplaceAllString(formulas.ReplaceAllString(slide, "x"), "")
	count := 0
	for _, word := range strings.Fields(plain) {
		if regexp.MustCompile(`[\pL\d]`).MatchString(word) {
			count++
		}
	}
	if count > 40 || count < 3 {
		t.Errorf("%s: %d words: %s", section, count, slide)
	}
	for _, paragraph := range regexp.MustCompile(`\n\n+`).Split(strings.TrimSpace(plain), -1) {
		paragraph = strings.TrimSpace(paragraph)
		leadsOn := regexp.MustCompile(`minimizes$|^x$|^with `).MatchString(paragraph) // a formula is a part of its sentence
		if paragraph != "" && !strings.HasPrefix(paragraph, "#") && !leadsOn && !strings.ContainsAny(paragraph[len(paragraph)-1:], ".?") {
			t.Errorf("%s: no sentence: %s", section, paragraph)
		}
	}
	if strings.Contains(slide, "**Predict:**") && !strings.Contains(slide, "\n...\n") && !follows {
		t.Errorf("%s: no answer: %s", section, slide)
	}
	for _, number := range numbers.FindAllString(plain, -1) {
		if source != "" && !strings.Contains(source, number) {
			t.Errorf("%s: the notebook does not have %s: %s", section, number, slide)
		}
	}
}

// numbersOf returns the text, the code and the printed outputs and tables of a notebook and of its solutions.
func numbersOf(t *testing.T, number string) (all string) {
	t.Helper()
	for _, folder := range []string{"notebooks", "solutions"} {
		for _, path := range testutil.Value(filepath.Glob(filepath.Join("..", folder, number+"_*.ipynb"))).OrFatal(t) {
			var notebook struct {
				Cells []struct {
					Source  json.RawMessage
					Outputs []struct {
						Text json.RawMessage
						Data map[string]json.RawMessage
					}
				}
			}
			testutil.NoError(t, json.Unmarshal([]byte(read(t, path)), &notebook))
			for _, c := range notebook.Cells {
				all += string(c.Source)
				for _, o := range c.Outputs {
					all += string(o.Text)
					if html := string(o.Data["text/html"]); !strings.Contains(html, "<script") {
						all += html
					}
				}
			}
		}
	}
	return all
}

// TestStaleSlides: slides are made of the outputs in the folder of reports, and are stale if the code has changed
// since these were made, or if a cell failed. If there are none, or those of other cells, the outputs in the
// notebook count; if that has none, the slides are stale.
func TestStaleSlides(t *testing.T) {
	root, dir := testutil.Jupyter(t), t.TempDir()
	notebook := func(source, output, metadata string) string {
		return fmt.Sprintf(`{"nbformat": 4, "nbformat_minor": 5, "metadata": {%s}, "cells": [
			{"cell_type": "markdown", "id": "a", "metadata": {"slideshow": {"slide_type": "slide"}}, "source": "# A talk"},
			{"cell_type": "code", "id": "b", "execution_count": null, "source": %q, "metadata": {"slideshow": {"slide_type": "-"}},
			 "outputs": [{"output_type": "stream", "name": "stdout", "text": %q}]}]}`, metadata, source, output)
	}
	source, reports := filepath.Join(dir, "talk.ipynb"), filepath.Join(dir, "reports")
	testutil.NoError(t, os.Mkdir(reports, 0o755))
	write(t, source, notebook("f()", "in the notebook", ""))
	slides := func() (page, stale string) {
		t.Helper()
		written := testutil.Value(kernels.Deck{Root: root, Notebooks: []string{source}, Reports: reports}.Write(t.Context())).OrFatal(t)
		return read(t, written[0].Slides), written[0].Stale
	}
	if page, stale := slides(); stale != "" || !strings.Contains(page, "in the notebook") {
		t.Errorf("slides of the notebook's own outputs are stale: %q", stale)
	}
	for metadata, want := range map[string]string{
		`"agekit": {"kernel": "agekit", "seconds": 1, "failed": null, "code": "of another day"}`: "the code has changed since",
		`"agekit": {"kernel": "agekit", "seconds": 1, "failed": 2, "code": "of another day"}`:    "cell 2 failed",
	} {
		write(t, filepath.Join(reports, "talk.ipynb"), notebook("f()", "in the report", metadata))
		if page, stale := slides(); stale != want || !strings.Contains(page, "in the report") {
			t.Errorf("stale %q, want %q", stale, want)
		}
	}
	changed := notebook("f(2)", "in the notebook", "")
	write(t, source, changed)
	if page, stale := slides(); stale != "" || !strings.Contains(page, "in the notebook") {
		t.Errorf("slides of a changed notebook with outputs are stale: %q", stale)
	}
	write(t, source, regexp.MustCompile(`(?s)"outputs": .*`).ReplaceAllString(changed, `"outputs": []}]}`))
	if page, stale := slides(); stale != "cells of the notebook have changed since" || !strings.Contains(page, "in the report") {
		t.Errorf("stale %q", stale)
	}
}
