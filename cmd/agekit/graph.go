package main

import (
	"fmt"
	"io"
	"math"

	"github.com/dustin/go-humanize"

	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/internal/graphfolder"
	"github.com/agekit/age/internal/progress"
)

type graphCmd struct {
	Build graphBuildCmd `cmd:"" help:"Build a folder with a graph that may be larger than memory."`
	Check graphCheckCmd `cmd:"" help:"Compare every file of such a folder with its checksum."`
}

type graphBuildCmd struct {
	Folder   string  `arg:"" help:"The new folder."`
	Edges    string  `required:"" placeholder:"FILE" help:"Edges: a table with the ids of both ends and, if you like, a weight (.csv, .tsv, .txt or .edges, also with .gz; .parquet), or a folder of such files."`
	Features string  `placeholder:"FILE" help:"Features, one row per node: .npz, .npy or .csv. The nodes are then numbered from 0."`
	Labels   string  `placeholder:"FILE" help:"Labels, one line per node; used only for scores."`
	Memory   inBytes `placeholder:"8GB" help:"Memory for edges and ids (default: an eighth of what the machine has)."`
	edgeColumns
	headerFlag
	jsonFlag
}

// inBytes is a number of bytes, such as 8GB.
type inBytes int64

// UnmarshalText parses a number of bytes, or one with a unit.
func (b *inBytes) UnmarshalText(text []byte) error {
	bytes, err := humanize.ParseBytes(string(text))
	if err != nil || bytes == 0 || bytes > math.MaxInt64 {
		return fmt.Errorf("%s: want a number of bytes, or one with a unit, such as 8GB", text)
	}
	*b = inBytes(bytes)
	return nil
}

// leastMemory is the least value of --memory, in bytes. A graph is built in parts that fit into the
// memory, each with a file: with so much, there are at most some thousands of files.
const leastMemory = 16e6

// check returns an error for a value of --memory that is too small. Zero is the default.
func (b inBytes) check() error {
	if b > 0 && b < leastMemory {
		return misused("--memory is %s: want 16MB or more, such as 8GB", humanize.Bytes(uint64(b)))
	}
	return nil
}

// builtGraph is what agekit graph build --json prints.
type builtGraph struct {
	Folder string `json:"folder"`
	*input.Built
}

func (c *graphBuildCmd) Run(rt *Runtime) error {
	if err := c.Memory.check(); err != nil {
		return err
	}
	if c.Memory > 0 {
		// The edges take most of the memory, and the rest is for what readers leave behind:
		// the collector must not wait until the heap has grown by half.
		defer keepWithin(int64(c.Memory))()
	}
	log := newConsole(rt.Stderr)
	defer log.close()
	log.line("building %s", c.Folder)
	source := input.Source{
		Edges: c.Edges, Features: c.Features, Labels: c.Labels,
		EdgeColumns: input.EdgeColumns(c.edgeColumns), Header: c.Header,
	}
	show := func(e progress.Event) {
		if e.Line == "" && log.silent() {
			log.line("%s: %d %%", e.Stage, 100*e.Done/max(1, e.Total))
		}
		log.event(e)
	}
	built, err := input.Build(rt.Context, source, input.Building{Folder: c.Folder, Memory: int64(c.Memory), Progress: show})
	log.close()
	if err != nil {
		return err
	}
	built.Notes = append([]string{}, built.Notes...) // not null in JSON
	return c.emit(rt, builtGraph{c.Folder, built}, func(w io.Writer) {
		for _, note := range built.Notes {
			fmt.Fprintln(w, note)
		}
		about := "" // what else there is to say
		if built.Weighted {
			about = ", with weights"
		}
		if built.Reused {
			about += "; it was there already"
		}
		fmt.Fprintf(w, "%s: %d nodes, %d edges of %d in the list%s\n", c.Folder, built.Nodes, built.Edges, built.Listed, about)
	})
}

type graphCheckCmd struct {
	Folder string `arg:"" help:"A folder of agekit graph build."`
	jsonFlag
}

func (c *graphCheckCmd) Run(rt *Runtime) error {
	log := newConsole(rt.Stderr)
	defer log.close()
	m, err := graphfolder.Check(rt.Context, c.Folder, log.event)
	log.close()
	if err != nil {
		return err
	}
	return c.emit(rt, m, func(w io.Writer) {
		fmt.Fprintf(w, "%s: %d nodes, %d edges; all %d files are as they were built\n", c.Folder, m.Nodes, m.Entries/2, len(m.Files))
	})
}
