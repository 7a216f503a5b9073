package agekit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A notice is a statement in the text of a notebook about numbers, with the
// computation that shows whether it is true.
type notice struct {
	notebook, text string
	check          func(*testing.T)
}

// notices are the statements of all notebooks. Those of a notebook are in a file
// of their own.
var notices = slices.Concat(notices00, notices02, notices04, notices05, notices06, notices07, notices08, notices09, notices10)

// TestNotices holds what the notebooks say about numbers against the numbers.
// When a text or a result changes, so must the other.
func TestNotices(t *testing.T) {
	texts := markdown(t)
	for i, n := range notices {
		t.Run(fmt.Sprintf("%s/%02d", n.notebook, i), func(t *testing.T) {
			if !strings.Contains(texts[n.notebook], n.text) {
				t.Errorf("notebook %s does not say %q", n.notebook, n.text)
			}
			n.check(t)
		})
	}
}

// asks are the words by which a text asks for a prediction.
var asks = regexp.MustCompile(`(?i)\bguess|\bpredict:|before you (look|run)|you expect`)

// TestPredictFirst: an answer does not stand below its question. JupyterLab collapses the
// output; its tag folds it in reports and makes it a step of its own on slides, and so is
// what follows to notice. A figure that the reader has to move may be seen at once.
func TestPredictFirst(t *testing.T) {
	for number := range markdown(t) {
		asked, questions := false, 0
		for _, c := range cells(t, number) {
			text := strings.Join(c.Source, "")
			if strings.HasPrefix(text, "## Exercises") {
				break
			}
			waits := slices.Contains(c.Metadata.Tags, "hide-output")
			if waits != c.Metadata.Jupyter.OutputsHidden {
				t.Errorf("%s: tagged %v, collapsed %v: %s", number, waits, c.Metadata.Jupyter.OutputsHidden, text)
			}
			if waits && c.Metadata.Jupyter.SourceHidden {
				t.Errorf("%s: JupyterLab shows no place to click where both halves of a cell are collapsed: %s", number, text)
			}
			switch question := strings.Contains(text, "**Predict:**"); {
			case c.Type == "code" && asked && len(c.Outputs) > 0 && c.interactive() == 0 && !waits:
				t.Errorf("%s: the answer is seen below the question: %s", number, text)
			case c.Type == "code":
			case !question && asks.MatchString(text):
				t.Errorf("%s: a question without **Predict:**: %s", number, text)
			case strings.Contains(text, "**What to notice.**"):
				if asked && !strings.HasPrefix(text, "<details><summary>Reveal</summary>\n\n") {
					t.Errorf("%s: the answer is read below the question: %s", number, text)
				}
				asked = false
			case question:
				asked = true
				questions++
			case strings.HasPrefix(text, "#"):
				asked = false
			}
		}
		if questions == 0 && number != "00" {
			t.Errorf("notebook %s asks for no prediction", number)
		}
	}
}
