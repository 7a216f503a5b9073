package kernels

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/agekit/age/internal/system"
)

// Deck is slides to write from the last outputs of notebooks: one call of scripts/slides.py.
// It runs no cell.
type Deck struct {
	Root      string   // the project's folder
	Notebooks []string // those to write as slides, each to NAME.slides.html
	Reports   string   // the folder to write to, where walkthrough has left the last outputs, too
	Plan      string   // the minutes of a plan of docs/lecture.md, whose deck is written; "" writes none
	Answers   string   // a folder of a class's answers, with which the deck opens; "" is none
}

// WrittenSlides is a file of slides.
type WrittenSlides struct {
	Slides  string `json:"slides"`
	Outputs string `json:"outputs,omitempty"` // the notebook with the outputs; "" for a deck of several
	Stale   string `json:"stale,omitempty"`   // why the outputs are not those that the cells would print now
}

// Write writes the slides.
func (d Deck) Write(ctx context.Context) ([]WrittenSlides, error) {
	args := []string{"-I", filepath.Join(d.Root, "scripts", "slides.py"), "--reports", d.Reports}
	if d.Plan != "" {
		args = append(args, "--plan", d.Plan)
	}
	if d.Answers != "" {
		args = append(args, "--answers", d.Answers)
	}
	cmd, err := system.Command(ctx, PythonPath(d.Root), append(append(args, "--"), d.Notebooks...)...)
	if err != nil {
		return nil, err
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := system.RunProgram(cmd.Run); err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, fmt.Errorf("%w\n%s", err, system.LastLines(stderr.Bytes(), shownLines))
	}
	var all []WrittenSlides
	for lines := json.NewDecoder(&stdout); lines.More(); {
		var w WrittenSlides
		if err := lines.Decode(&w); err != nil {
			return nil, err
		}
		all = append(all, w)
	}
	return all, nil
}
