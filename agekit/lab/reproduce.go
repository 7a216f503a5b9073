package lab

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/agekit/age/agekit"
	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/method"
	"github.com/agekit/age/agekit/reproduce"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/agekit/tsne"
	"github.com/agekit/age/internal/cell"
	"github.com/agekit/age/internal/progress"
	"github.com/agekit/age/internal/store"
)

// resultsFile is the path of the project's stored results, seen from the notebooks folder.
const resultsFile = "../docs/reproduction/results.jsonl"

// Results returns the stored results in the file $AGEKIT_RESULTS, by default the project's. A
// cell reads a file once.
func Results() (*reproduce.Results, error) {
	path := cmp.Or(os.Getenv("AGEKIT_RESULTS"), filepath.FromSlash(resultsFile))
	openedResults.Lock()
	defer openedResults.Unlock()
	if openedResults.path == path {
		return openedResults.results, nil
	}
	results, err := reproduce.Open(path, false)
	if err == nil {
		openedResults.path, openedResults.results = path, results
	}
	return results, err
}

// openedResults are the results that [Results] returned last, and their path.
var openedResults struct {
	sync.Mutex
	path    string
	results *reproduce.Results
}

// Reproduced shows an item of the paper, a table or figure such as "table2" or "fig5", made
// from the stored results that s selects: first the item's tables, then its figures and
// notes. parts says what of these to show, in order: "tables" or "figures"; by default both.
func Reproduced(item string, s reproduce.Selection, parts ...string) error {
	results, err := Results()
	if err != nil {
		return err
	}
	i, err := reproduce.ItemByName(item)
	if err != nil {
		return err
	}
	out, err := i.Render(s, results, agekit.Load)
	if err != nil {
		return err
	}
	if parts == nil {
		parts = []string{"tables", "figures"}
	}
	for _, part := range parts {
		switch part {
		case "tables":
			for _, t := range out.Tables {
				fmt.Println(t.Caption)
				err = errors.Join(err, t.Fragment().Show())
			}
		case "figures":
			for _, f := range out.Figures {
				err = errors.Join(err, f.Show())
			}
			for _, note := range out.Notes {
				fmt.Println(note)
			}
		default:
			return fmt.Errorf("unknown part %q of %s: want tables or figures", part, item)
		}
	}
	return err
}

// Reproduce executes the run r of an experiment now, even if the project's results have it,
// shows the time left, and returns the run's record. It saves the record for the next cell.
func Reproduce(r reproduce.Run) (reproduce.Record, error) {
	_, settings, err := r.Hash()
	if err != nil {
		return reproduce.Record{}, err
	}
	choice, err := cell.Backend()
	if err != nil {
		return reproduce.Record{}, err
	}
	// All that an experiment computes comes from the packages with these versions.
	versions := []int{encoder.Version, run.Version, method.Version, cluster.Version, laplacian.SpectrumVersion, tsne.Version}
	key := store.NewKey("reproduced run", version, r, settings, choice, versions)
	return cell.Cached(r.String(), key, func() (reproduce.Record, error) {
		live := new(cell.Live)
		var record reproduce.Record
		start := time.Now()
		err := reproduce.Execute(cell.Context(), nil, []reproduce.Run{r}, reproduce.Options{
			Backend: choice, Checkpoints: cell.Store(),
			Progress: func(e reproduce.Event) {
				if e.Record != nil {
					record = *e.Record
				}
				remaining := progress.Remaining(time.Since(start), e.Share, 1-e.Share)
				live.Event(progress.Event{Stage: e.Stage, Detail: fmt.Sprintf("%v: %.0f %%", r, 100*e.Share), Left: remaining})
			},
		})
		if err == nil {
			err = live.Done("")
		}
		return record, err
	})
}
