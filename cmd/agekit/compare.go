package main

import (
	"fmt"
	"io"
	"path/filepath"
	"text/tabwriter"

	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/provenance"
)

type compareCmd struct {
	First  string `arg:"" name:"run1" placeholder:"RUN1" help:"A folder of agekit fit --out."`
	Second string `arg:"" name:"run2" placeholder:"RUN2" help:"Another one."`
	Out    string `placeholder:"FILE" help:"Table of the nodes that moved: .csv, .tsv or .parquet."`
	jsonFlag
}

func (c *compareCmd) Run(rt *Runtime) error {
	writeMoves, err := c.movesWriter(rt)
	if err != nil {
		return err
	}
	first, err := run.Load(rt.Context, c.First)
	if err != nil {
		return err
	}
	second, err := run.Load(rt.Context, c.Second)
	if err != nil {
		return err
	}
	found, err := compareRuns(first, second)
	if err != nil {
		return err
	}
	if err := writeMoves(found.table()); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return c.emit(rt, found, func(w io.Writer) { c.print(w, found) })
}

// movesWriter returns a function that writes the table of the nodes that moved to the file of --out;
// without --out, the function does nothing. A file that could not be written, or is not to be replaced,
// is an error of movesWriter, before the runs are read.
func (c *compareCmd) movesWriter(rt *Runtime) (func(moves *table.Table) error, error) {
	if c.Out == "" {
		return func(*table.Table) error { return nil }, nil
	}
	writeTable, err := table.Writer(c.Out)
	if err != nil {
		return nil, misused("--out: %w", err)
	}
	inputs := append(run.Files(c.First), run.Files(c.Second)...)
	writeFile, err := provenance.NewFile(rt.Context, "compare", c.Out, inputs...)
	if err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	return func(moves *table.Table) error {
		return writeFile(func(w io.Writer) error { return writeTable(w, moves) })
	}, nil
}

// print writes a comparison as tables: the settings, the scores, and the overlaps of the clusters. Runs are
// called by the names of their folders, or by the paths if the names are the same.
func (c *compareCmd) print(w io.Writer, found *comparison) {
	a, b := filepath.Base(c.First), filepath.Base(c.Second)
	if a == b {
		a, b = c.First, c.Second
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, section := range []struct {
		title  string
		values []pairOfRuns
	}{
		{"settings that differ", found.Settings},
		{"scores", found.Scores},
	} {
		if len(section.values) == 0 {
			fmt.Fprintf(w, "%s: none\n\n", section.title)
			continue
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", section.title, a, b)
		for _, p := range section.values {
			fmt.Fprintf(t, "%s\t%s\t%s\n", p.Name, shown(p.First), shown(p.Second))
		}
		t.Flush()
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "%d nodes in both, %d only in %s, %d only in %s\n", found.Both, found.OnlyFirst, a, found.OnlySecond, b)
	fmt.Fprintf(w, "agreement of the clusters: ARI %.4f, NMI %.4f\n\n", found.ARI, found.NMI)
	fmt.Fprintf(t, "nodes of %s in clusters of %s", a, b)
	for _, k := range found.Second {
		fmt.Fprintf(t, "\t%d", k)
	}
	fmt.Fprintln(t)
	for i, row := range found.Overlaps {
		fmt.Fprintf(t, "cluster %d", found.First[i])
		for _, count := range row {
			fmt.Fprintf(t, "\t%d", count)
		}
		if second := found.Matched[i]; second >= 0 {
			fmt.Fprintf(t, "\tis %d\n", second)
		} else {
			fmt.Fprintln(t, "\tis none")
		}
	}
	t.Flush()
	fmt.Fprintf(w, "%d of %d nodes moved to another cluster\n", found.Moved, found.Both)
}

// shown returns the value of a setting or a score as text: a dash for none, four decimals of a fraction.
func shown(value any) string {
	switch v := value.(type) {
	case nil:
		return "–"
	case float64:
		return fmt.Sprintf("%.4f", v)
	}
	return fmt.Sprint(value)
}
