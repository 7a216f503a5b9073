package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/agekit/age/agekit/dataset"
)

type dataCmd struct {
	List   dataListCmd   `cmd:"" help:"List the data sets."`
	Fetch  dataFetchCmd  `cmd:"" help:"Download data sets and verify them."`
	Verify dataVerifyCmd `cmd:"" help:"Check the local files against their pinned hashes."`
}

type dataListCmd struct{ jsonFlag }

func (c *dataListCmd) Run(rt *Runtime) error {
	all := dataset.List()
	return c.emit(rt, all, func(w io.Writer) {
		for _, d := range all {
			fmt.Fprintf(w, "%-15s %s\n", d.Name, d.Description)
		}
	})
}

// dataNames are the data sets that a command applies to.
type dataNames struct {
	Names []string `arg:"" optional:"" name:"name" help:"Data sets (default: all that are published)."`
	Data  string   `placeholder:"DIR" help:"Folder with data sets, searched first."`
	jsonFlag
}

// dataState is the state of a data set's files.
type dataState struct {
	Name  string               `json:"name"`
	Files []dataset.FileStatus `json:"files"`
	Error string               `json:"error,omitempty"`
}

// statusOf is [dataset.Fetch] or [dataset.Status].
type statusOf func(ctx context.Context, name string, o dataset.Options) ([]dataset.FileStatus, error)

// report prints the state of the files of every requested data set, as status returns it, and returns an
// error if a data set is incomplete.
func (c *dataNames) report(rt *Runtime, status statusOf) error {
	names := c.Names
	if len(names) == 0 {
		for _, d := range dataset.List() {
			names = append(names, d.Name)
		}
	}
	var all []dataState
	failed := 0
	for _, name := range names {
		files, err := status(rt.Context, name, dataset.Options{Dir: c.Data, Progress: viewOn(rt.Stderr).Show})
		state := dataState{Name: name, Files: append([]dataset.FileStatus{}, files...)}
		for _, f := range files {
			// A valid file may have a problem, too: a damaged copy that was skipped. That is no error.
			if (f.State == dataset.Missing || f.State == dataset.Damaged) && err == nil {
				err = errors.New(f.Problem)
			}
		}
		if err != nil {
			state.Error = err.Error()
			failed++
		}
		all = append(all, state)
	}
	if err := c.emit(rt, all, func(w io.Writer) { printDataStates(w, all) }); err != nil {
		return err
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d data sets are incomplete", failed, len(all))
	}
	return nil
}

// printDataStates writes a line for each file, or for a data set without files.
func printDataStates(w io.Writer, all []dataState) {
	for _, s := range all {
		if len(s.Files) == 0 {
			fmt.Fprintf(w, "%-10s %s\n", s.Name, cmp.Or(s.Error, "no file needed"))
		}
		for _, f := range s.Files {
			about := f.Problem // names the path of a damaged file
			if f.State == dataset.OK {
				about = f.Path
			}
			fmt.Fprintf(w, "%-28s %-8v %s\n", f.File, f.State, about)
		}
	}
}

type dataFetchCmd struct{ dataNames }

func (c *dataFetchCmd) Run(rt *Runtime) error { return c.report(rt, dataset.Fetch) }

type dataVerifyCmd struct{ dataNames }

func (c *dataVerifyCmd) Run(rt *Runtime) error { return c.report(rt, dataset.Status) }
