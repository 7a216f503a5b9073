package agekit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/agekit/age/agekit/experiment"
	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/store"
)

// resultsFile is the path of the stored results, relative to the notebooks
// folder. $AGEKIT_RESULTS overrides it.
const resultsFile = "../docs/reproduction/results.jsonl"

// Results returns the stored results.
func Results() (*experiment.Results, error) {
	path := os.Getenv("AGEKIT_RESULTS")
	if path == "" {
		path = filepath.FromSlash(resultsFile)
	}
	return experiment.Read(path)
}

// Reproduced shows a table or figure of the paper ("table3", "fig5"), made
// from the stored results.
func Reproduced(item string, s experiment.Selection) error {
	out, err := rendered(item, s)
	if err != nil {
		return err
	}
	return errors.Join(showTables(out), showFigures(out))
}

// ReproducedFigures is [Reproduced] without the tables of a figure's numbers.
func ReproducedFigures(item string, s experiment.Selection) error {
	out, err := rendered(item, s)
	if err != nil {
		return err
	}
	return showFigures(out)
}

// ReproducedTables is [Reproduced] without the figures.
func ReproducedTables(item string, s experiment.Selection) error {
	out, err := rendered(item, s)
	if err != nil {
		return err
	}
	return showTables(out)
}

func rendered(item string, s experiment.Selection) (*experiment.Output, error) {
	results, err := Results()
	if err != nil {
		return nil, err
	}
	i, err := experiment.ItemByName(item)
	if err != nil {
		return nil, err
	}
	return i.Render(s, results, Load)
}

func showTables(out *experiment.Output) error {
	for _, t := range out.Tables {
		fmt.Println(t.Caption)
		if err := figure.Table(t.Header, t.Rows).Show(); err != nil {
			return err
		}
	}
	return nil
}

// showFigures shows the figures and, below them, the notes.
func showFigures(out *experiment.Output) error {
	for _, f := range out.Figures {
		if err := f.Show(); err != nil {
			return err
		}
	}
	for _, note := range out.Notes {
		fmt.Println(note)
	}
	return nil
}

// Reproduce executes one run of an experiment now, even if its result is
// stored, and returns its record. It shows the time left while it runs, and
// saves the record for the next cell.
func Reproduce(r experiment.Run) (experiment.Record, error) {
	hash, _, err := r.Hash()
	if err != nil {
		return experiment.Record{}, err
	}
	choice, err := cellBackend()
	if err != nil {
		return experiment.Record{}, err
	}
	return cached(r.String(), store.NewKey("reproduced run", 2, hash, choice.Name), func() (experiment.Record, error) {
		var live figure.Live
		start := time.Now()
		record, err := experiment.Once(interrupt(), r, experiment.Options{
			Backend: choice, Checkpoints: results(),
			Progress: func(e experiment.Event) {
				left := time.Duration(0)
				if took := time.Since(start); e.Share > 0 {
					left = time.Duration(float64(took) * (1 - e.Share) / e.Share)
				}
				Check(live.Update(fmt.Sprintf("%v: %.0f %%, %s left", r, 100*e.Share, left.Round(time.Second))))
			},
		})
		if err == nil {
			err = live.Done("")
		}
		return record, err
	})
}
