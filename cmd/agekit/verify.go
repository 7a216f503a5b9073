package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/agekit/age/internal/provenance"
)

type verifyCmd struct {
	Dir string `arg:"" name:"dir" placeholder:"DIR" help:"The folder of agekit fit --out, agekit sweep or agekit reproduce."`
	jsonFlag
}

func (c *verifyCmd) Run(rt *Runtime) error {
	found, err := provenance.Verify(rt.Context, c.Dir)
	if err != nil {
		return err
	}
	if err := c.emit(rt, found, func(w io.Writer) { printVerified(w, found) }); err != nil {
		return err
	}
	if bad := found.Bad(); len(bad) > 0 {
		return fmt.Errorf("%d files differ: %s", len(bad), strings.Join(bad, ", "))
	}
	return nil
}

// printVerified writes what each manifest of the folder says, and the state of each file.
func printVerified(w io.Writer, found *provenance.Folder) {
	for _, m := range found.Manifests {
		fmt.Fprintf(w, "%s: %s of %s; written by %s\n", m.Name, m.Command, strings.Join(slices.Sorted(maps.Keys(m.Graphs)), ", "), m.Program)
		fmt.Fprintf(w, "  computed by %s; %s; %s; seeds %v; %d inputs\n", strings.Join(m.Code, ", "), strings.Join(m.Backends, ", "), strings.Join(m.SIMD, ", "), m.Seeds, len(m.Inputs))
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range found.Files {
		fmt.Fprintf(t, "%s\t%s\t%s\n", f.State, f.File, f.Detail)
	}
	t.Flush()
}
