package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/experiment"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/store"
	"github.com/agekit/age/internal/downloads"
	"github.com/agekit/age/internal/output"
)

// ReproduceCmd is `agekit reproduce`.
type ReproduceCmd struct {
	Items    []string `arg:"" name:"item" enum:"${reproduce_items}" help:"What to reproduce: ${enum}."`
	Datasets []string `placeholder:"NAME" help:"Data sets (default: those of the paper's table or figure whose files are available)."`
	Methods  []string `placeholder:"NAME" help:"Rows of the tables: ${reproduce_methods} (default: all)."`
	Seeds    int      `default:"10" help:"Number of seeds (1, 2, …) per run."`
	Mode     []string `enum:"${reproduce_modes}" default:"paper,published" help:"Which choices to follow where the paper and published code differ: ${enum}; several are listed as separate rows."`
	Quick    bool     `help:"One seed, fewer epochs and settings: checks within minutes that everything works."`
	Stored   bool     `help:"Run nothing; show the stored results."`
	Out      string   `default:"reports/reproduction" type:"path" help:"Folder for results.jsonl, tables (.md, .csv) and figures (.svg, .png)."`
	Report   string   `placeholder:"FILE" type:"path" help:"Write everything as one Markdown document, with its figures in a folder of the same name."`
	Parallel int      `default:"1" help:"Maximum number of concurrent runs, memory permitting; a single run already uses all cores."`
	Data     string   `placeholder:"DIR" help:"Folder with data sets, searched first."`
	Backend  string   `default:"auto" help:"As in agekit fit."`
}

// reproduceAll selects all items.
const reproduceAll = "all"

// reproduceVars returns the values that the flags accept.
func reproduceVars() map[string]string {
	items, modes := []string{}, []string{}
	for _, i := range experiment.Items() {
		items = append(items, i.Name)
	}
	for _, m := range experiment.Modes() {
		modes = append(modes, string(m))
	}
	return map[string]string{
		"reproduce_items":   strings.Join(append(items, reproduceAll), ","),
		"reproduce_modes":   strings.Join(modes, ","),
		"reproduce_methods": strings.Join(experiment.Methods(), ", "),
	}
}

// Help is the second part of `agekit reproduce --help`.
func (ReproduceCmd) Help() string {
	return `The tables show the mean ± standard deviation and the best over seeds, the paper's value, and the difference. Results are stored in OUT/results.jsonl, one line per run. Stored runs are not executed again, so a command that was stopped, or that is run again with more seeds, resumes where it stopped. Labels are used only for the scores.

Modes: paper follows the paper's text, and the published code where that is silent; code follows the published code to the letter; best uses what gives the best clusters without labels (docs/best-mode.md). These are AGE's. The other methods run the same race: the whole graph, no choice by labels, the same clustering (fair); published adds a row for those whose own public code has another protocol.

Examples:
  agekit reproduce all --quick
  agekit reproduce table3 --datasets cora,citeseer --methods AGE,LS --mode paper,code
  agekit reproduce fig5 --seeds 3 --parallel 2
  agekit reproduce all --stored --report docs/reproduction.md`
}

// Run executes the runs and shows the results.
func (c *ReproduceCmd) Run(rt *Runtime) error {
	items, err := c.chosen()
	if err != nil {
		return usageError{err}
	}
	selection, err := c.selection()
	if err != nil {
		return usageError{err}
	}
	if err := c.checkOutputs(items); err != nil {
		return err
	}
	log := newProgress(rt.Stderr)
	defer log.close()
	var choice backend.Choice
	var runs []experiment.Run
	if !c.Stored {
		if choice, runs, err = c.plan(rt.Context, items, &selection, log); err != nil {
			return err
		}
	}
	results, err := experiment.Open(filepath.Join(c.Out, "results.jsonl"), !c.Stored)
	if err != nil {
		return err
	}
	defer results.Close()
	var failed error
	if !c.Stored {
		if failed = c.execute(rt, choice, runs, results, log); rt.Context.Err() != nil {
			return failed
		}
	}
	load := func(name string) (*graph.Graph, error) {
		return dataset.Load(rt.Context, name, dataset.Options{Dir: c.Data, Offline: true})
	}
	if err := c.show(rt, items, selection, results, load); err != nil {
		return err
	}
	return failed
}

// checkOutputs returns an error if the tables or the report could not be
// written, before hours are spent on the runs.
func (c *ReproduceCmd) checkOutputs(items []experiment.Item) error {
	for _, item := range items {
		for _, extension := range []string{".md", ".csv"} {
			if err := output.Replaceable(filepath.Join(c.Out, item.Name+extension)); err != nil {
				return fmt.Errorf("--out: %w", err)
			}
		}
	}
	if c.Report == "" {
		return nil
	}
	if err := output.Replaceable(c.Report); err != nil {
		return fmt.Errorf("--report: %w", err)
	}
	return nil
}

// chosen returns the selected items.
func (c *ReproduceCmd) chosen() ([]experiment.Item, error) {
	if slices.Contains(c.Items, reproduceAll) {
		// The maps of all methods would be 14 MB of pictures.
		return slices.DeleteFunc(experiment.Items(), func(i experiment.Item) bool { return i.Name == "maps" }), nil
	}
	var items []experiment.Item
	for _, name := range c.Items {
		item, err := experiment.ItemByName(name)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, nil
}

// selection checks the flags and returns the scope that they select.
func (c *ReproduceCmd) selection() (experiment.Selection, error) {
	s := experiment.Selection{Datasets: joinParameters(c.Datasets), Methods: c.Methods, Seeds: c.Seeds, Quick: c.Quick}
	if slices.Contains(s.Datasets, "") {
		return s, errors.New("--datasets: a name is empty: want names separated by commas")
	}
	const most = 10_000
	if c.Seeds < 1 || c.Seeds > most {
		return s, fmt.Errorf("--seeds is %d: want 1 to %d", c.Seeds, most)
	}
	if c.Parallel < 1 || c.Parallel > most {
		return s, fmt.Errorf("--parallel is %d: want 1 to %d", c.Parallel, most)
	}
	for _, m := range c.Mode {
		s.Modes = append(s.Modes, experiment.Mode(m))
	}
	for _, m := range c.Methods {
		if !slices.ContainsFunc(experiment.Methods(), func(known string) bool { return strings.EqualFold(known, m) }) {
			return s, fmt.Errorf("--methods: unknown method %q: want names from %s", m, strings.Join(experiment.Methods(), ", "))
		}
	}
	return s, nil
}

// joinParameters puts names together again that the flag's commas have cut:
// planted:n=300,f=60 is one data set.
func joinParameters(names []string) []string {
	var joined []string
	for _, name := range names {
		if strings.Contains(name, "=") && !strings.Contains(name, ":") && len(joined) > 0 {
			joined[len(joined)-1] += "," + name
			continue
		}
		joined = append(joined, name)
	}
	return joined
}

// plan returns the runs, and adds the data sets to s if the command line names
// none. It finds the mistakes that need not wait for a run to be found.
func (c *ReproduceCmd) plan(ctx context.Context, items []experiment.Item, s *experiment.Selection, log *progress) (choice backend.Choice, runs []experiment.Run, err error) {
	if choice, err = resolveBackend(c.Backend); err != nil {
		return choice, nil, err
	}
	for _, name := range s.Datasets {
		if err := dataset.Check(name); err != nil {
			return choice, nil, fmt.Errorf("--datasets: %w", err)
		}
	}
	if s.Datasets == nil {
		if s.Datasets, err = c.available(ctx, items, log); err != nil {
			return choice, nil, err
		}
	}
	for _, item := range items {
		runs = append(runs, item.Runs(*s)...)
	}
	if len(runs) == 0 {
		err = misused("nothing to run: %s has none of these data sets and methods", strings.Join(c.Items, ", "))
	}
	return choice, runs, err
}

// execute executes the runs that have no result yet.
func (c *ReproduceCmd) execute(rt *Runtime, choice backend.Choice, runs []experiment.Run, results *experiment.Results, log *progress) error {
	checkpoints, err := store.Open("")
	if err != nil {
		log.line("checkpoints are off: %v", err)
		checkpoints = nil
	} else {
		checkpoints.Logf = log.line
	}
	log.line("backend %s: %s", choice.Name, choice.Reason)
	return experiment.Execute(rt.Context, results, runs, experiment.Options{
		Data:    dataset.Options{Dir: c.Data, Progress: downloads.Show(rt.Stderr)},
		Backend: choice, Checkpoints: checkpoints, Parallel: c.Parallel, Code: thisVersion().Code(),
		Progress: log.experiment,
	})
}

// available returns the items' data sets whose files exist or can be
// downloaded, and logs which ones it leaves out.
func (c *ReproduceCmd) available(ctx context.Context, items []experiment.Item, log *progress) ([]string, error) {
	var names []string
	seen := map[string]bool{}
	for _, item := range items {
		for _, name := range item.Datasets {
			if seen[name] {
				continue
			}
			seen[name] = true
			_, err := dataset.Fetch(ctx, name, dataset.Options{Dir: c.Data, Progress: downloads.Show(log.w)})
			switch {
			case ctx.Err() != nil:
				return nil, ctx.Err()
			case err != nil:
				log.line("leaving out %s, whose files are missing: see agekit data list, or name it with --datasets to see what is missing", name)
			default:
				names = append(names, name)
			}
		}
	}
	if names == nil {
		return nil, errors.New("none of the data sets is available: see agekit data list")
	}
	return names, nil
}

// show prints and writes the items.
func (c *ReproduceCmd) show(rt *Runtime, items []experiment.Item, s experiment.Selection, results *experiment.Results, load func(string) (*graph.Graph, error)) error {
	var outputs []*experiment.Output
	for _, item := range items {
		out, err := item.Render(s, results, load)
		if err != nil {
			return err
		}
		if err := out.WriteText(rt.Stdout); err != nil {
			return err
		}
		fmt.Fprintln(rt.Stdout)
		if err := out.Save(rt.Context, c.Out); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
		outputs = append(outputs, out)
	}
	if c.Report == "" {
		fmt.Fprintf(rt.Stderr, "tables and figures are in %s\n", c.Out)
		return nil
	}
	if err := experiment.WriteReport(rt.Context, c.Report, outputs, results); err != nil {
		return fmt.Errorf("--report: %w", err)
	}
	return nil
}

// silence is the longest time without a line if there is no bar.
const silence = 30 * time.Second

// experiment is experiment.Options.Progress.
func (p *progress) experiment(e experiment.Event) {
	left := "time left unknown"
	if e.Remaining > 0 {
		left = e.Remaining.Round(time.Second).String() + " left"
	}
	if e.Record != nil {
		text := fmt.Sprintf("run %d of %d: %v, %.1f s", e.Done, e.Total, e.Run, e.Record.Seconds)
		for _, score := range []string{"ACC", "AUC"} {
			if v, ok := e.Record.Scores[score]; ok {
				text += fmt.Sprintf(", %s %.3f", score, v)
			}
		}
		p.line("%s; %s", text, left)
	} else if p.bar == nil && time.Since(p.said) > silence {
		p.line("%.0f %% of %v; %d of %d runs done, %s", 100*e.Share, e.Run, e.Done, e.Total, left)
	}
	if p.bar != nil {
		p.bar.ChangeMax(1000 * e.Total)
		p.bar.Describe(fmt.Sprintf("%d of %d runs, %s", e.Done, e.Total, left))
		share := e.Share
		if e.Record != nil { // the run is already counted as finished
			share = 0
		}
		_ = p.bar.Set(int(1000 * (float64(e.Done) + share)))
	}
}
