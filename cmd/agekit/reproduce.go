package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/method"
	"github.com/agekit/age/agekit/reproduce"
	"github.com/agekit/age/internal/provenance"
	"github.com/agekit/age/internal/system"
	"github.com/alecthomas/kong"
)

type reproduceCmd struct {
	Items    []string `arg:"" name:"item" enum:"${reproduce_items}" help:"What to reproduce: ${enum}."`
	Datasets []string `placeholder:"NAME" help:"Data sets (default: those of the paper's table or figure whose files are available)."`
	Methods  []string `placeholder:"NAME" help:"Rows of the tables: ${reproduce_methods} (default: all)."`
	Seeds    int      `default:"10" help:"Number of seeds (1, 2, …) per run."`
	Mode     []string `enum:"${reproduce_modes}" default:"paper,published" help:"Which choices to follow where the paper and published code differ: ${enum}; several are listed as separate rows."`
	Quick    bool     `help:"One seed, fewer epochs and settings: checks within minutes that everything works."`
	Stored   bool     `help:"Run nothing; show the stored results."`
	Out      string   `default:"reports/reproduction" type:"path" help:"Folder for results.jsonl, tables (.md, .csv) and figures (.svg, .png)."`
	Report   string   `placeholder:"FILE" type:"path" help:"Write everything as one Markdown document, FILE.md, with its figures in a folder of the same name without the extension."`
	Parallel int      `default:"1" help:"Maximum number of concurrent runs, memory permitting; a single run already uses all cores."`
	Data     string   `placeholder:"DIR" help:"Folder with data sets, searched first."`
	Backend  string   `default:"auto" help:"As in agekit fit."`
}

// reproduceAll selects all items.
const reproduceAll = "all"

// reproduceVars returns the variables in the tags of reproduceCmd: the values that its flags accept.
func reproduceVars() kong.Vars {
	items, modes := []string{}, []string{}
	for _, i := range reproduce.Items() {
		items = append(items, i.Name)
	}
	for _, m := range reproduce.Modes() {
		modes = append(modes, string(m))
	}
	return kong.Vars{
		"reproduce_items":   strings.Join(append(items, reproduceAll), ","),
		"reproduce_modes":   strings.Join(modes, ","),
		"reproduce_methods": strings.Join(method.Names(), ", "),
	}
}

// Run executes the runs that have no stored result, and shows the results of all; with --stored, it only
// shows results. If runs fail, the results of the others are shown nevertheless.
func (c *reproduceCmd) Run(rt *Runtime) error {
	items := c.chosen()
	selection, err := c.selection()
	if err != nil {
		return usageError{err}
	}
	if err := c.checkOutputs(rt.Context, items); err != nil {
		return err
	}
	path := filepath.Join(c.Out, "results.jsonl")
	if c.Stored {
		results, err := reproduce.Open(path, false)
		if err != nil {
			return err
		}
		return c.show(rt, items, selection, results)
	}
	log := newConsole(rt.Stderr)
	defer log.close()
	choice, err := resolveBackend(c.Backend)
	if err != nil {
		return err
	}
	runs, err := c.plan(rt.Context, items, &selection, log)
	if err != nil {
		return err
	}
	results, err := reproduce.Open(path, true)
	if err != nil {
		return err
	}
	defer results.Close()
	checkpoints := log.checkpoints()
	log.line("backend %s: %s", choice.Name, choice.Reason)
	failed := reproduce.Execute(rt.Context, results, runs, reproduce.Options{
		Data:    dataset.Options{Dir: c.Data, Progress: viewOn(rt.Stderr).Show},
		Backend: choice, Checkpoints: checkpoints, Parallel: c.Parallel, Code: system.ProgramVersion().Code(),
		Progress: log.experiment,
	})
	if rt.Context.Err() != nil {
		return failed
	}
	if err := c.show(rt, items, selection, results); err != nil {
		return err
	}
	return failed // of a run
}

// settings returns, for the manifest of an item, the arguments of agekit reproduce that make the item
// alone: its name, the flags of the selection s, and others that were given.
func (c *reproduceCmd) settings(rt *Runtime, item string, s reproduce.Selection) map[string]any {
	all := map[string]any{"item": item, "seeds": s.Seeds, "mode": c.Mode}
	if s.Datasets != nil {
		all["datasets"] = s.Datasets
	}
	for name, value := range map[string]any{"methods": c.Methods, "quick": c.Quick, "backend": c.Backend, "data": c.Data} {
		if rt.given(name) != "" {
			all[name] = value
		}
	}
	return all
}

// checkOutputs returns an error if the tables of the items, or the report, could not be written or are not
// to be replaced. It is called before hours go into the runs.
func (c *reproduceCmd) checkOutputs(ctx context.Context, items []reproduce.Item) error {
	for _, item := range items {
		if err := provenance.CheckReplaceable(ctx, c.Out, item.Name, item.Name+".md", item.Name+".csv"); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	if c.Report == "" {
		return nil
	}
	if err := reproduce.CheckReport(ctx, c.Report); err != nil {
		return fmt.Errorf("--report: %w", err)
	}
	return nil
}

// chosen returns the items that the arguments name.
func (c *reproduceCmd) chosen() (items []reproduce.Item) {
	if slices.Contains(c.Items, reproduceAll) {
		// The maps of all methods would be 14 MB of pictures.
		return slices.DeleteFunc(reproduce.Items(), func(i reproduce.Item) bool { return i.Name == "maps" })
	}
	for _, name := range c.Items {
		item, _ := reproduce.ItemByName(name) // the parser accepts no others
		items = append(items, item)
	}
	return items
}

// selection returns the data sets, methods, modes and seeds that the flags select, or an error for a flag
// that is wrong.
func (c *reproduceCmd) selection() (reproduce.Selection, error) {
	s := reproduce.Selection{Datasets: joinParameters(c.Datasets), Methods: c.Methods, Seeds: c.Seeds, Quick: c.Quick}
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
		s.Modes = append(s.Modes, reproduce.Mode(m))
	}
	for _, name := range c.Methods {
		isName := func(known string) bool { return strings.EqualFold(known, name) }
		if !slices.ContainsFunc(method.Names(), isName) {
			return s, fmt.Errorf("--methods: unknown method %q: want names from %s", name, strings.Join(method.Names(), ", "))
		}
	}
	return s, nil
}

// joinParameters returns the names of data sets whose parts the commas of a list have separated: of
// "planted:n=300" and "f=60" it makes planted:n=300,f=60.
func joinParameters(parts []string) (names []string) {
	for _, part := range parts {
		isParameter := strings.Contains(part, "=") && !strings.Contains(part, ":")
		if isParameter && len(names) > 0 {
			names[len(names)-1] += "," + part
		} else {
			names = append(names, part)
		}
	}
	return names
}

// plan returns the runs that the items need. If the command line names no data sets, plan sets s.Datasets
// to those that are available. It returns an error for an unknown data set, or if nothing is to be run.
func (c *reproduceCmd) plan(ctx context.Context, items []reproduce.Item, s *reproduce.Selection, log *console) (runs []reproduce.Run, err error) {
	for _, name := range s.Datasets {
		if err := dataset.Check(name); err != nil {
			return nil, fmt.Errorf("--datasets: %w", err)
		}
	}
	if s.Datasets == nil {
		if s.Datasets, err = c.available(ctx, items, log); err != nil {
			return nil, err
		}
	}
	for _, item := range items {
		runs = append(runs, item.Runs(*s)...)
	}
	if len(runs) == 0 {
		err = misused("nothing to run: %s has none of these data sets and methods", strings.Join(c.Items, ", "))
	}
	return runs, err
}

// available returns the data sets of the items whose files exist or can be downloaded, which it does. It
// logs which ones it leaves out, and returns an error if none is left.
func (c *reproduceCmd) available(ctx context.Context, items []reproduce.Item, log *console) ([]string, error) {
	var candidates, names []string
	for _, item := range items {
		for _, name := range item.Datasets {
			if !slices.Contains(candidates, name) {
				candidates = append(candidates, name)
			}
		}
	}
	for _, name := range candidates {
		_, err := dataset.Fetch(ctx, name, dataset.Options{Dir: c.Data, Progress: viewOn(log.w).Show})
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			log.line("leaving out %s, whose files are missing: see agekit data list, or name it with --datasets to see what is missing", name)
		default:
			names = append(names, name)
		}
	}
	if names == nil {
		return nil, errors.New("none of the data sets is available: see agekit data list")
	}
	return names, nil
}

// show prints the tables of the items from the stored results, and writes their files to --out and the
// report to --report.
func (c *reproduceCmd) show(rt *Runtime, items []reproduce.Item, s reproduce.Selection, results *reproduce.Results) error {
	load := func(name string) (*graph.Graph, error) {
		return dataset.Load(rt.Context, name, dataset.Options{Dir: c.Data, Offline: true})
	}
	var outputs []*reproduce.Output
	for _, item := range items {
		out, err := item.Render(s, results, load)
		if err != nil {
			return err
		}
		if err := out.WriteText(rt.Stdout); err != nil {
			return err
		}
		fmt.Fprintln(rt.Stdout)
		out.Manifest.Command, out.Manifest.Settings = "reproduce", c.settings(rt, item.Name, s)
		if err := out.Save(rt.Context, c.Out); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
		outputs = append(outputs, out)
	}
	if c.Report == "" {
		fmt.Fprintf(rt.Stderr, "tables and figures are in %s\n", c.Out)
		return nil
	}
	if err := reproduce.WriteReport(rt.Context, c.Report, outputs, results); err != nil {
		return fmt.Errorf("--report: %w", err)
	}
	return nil
}
