package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/agekit/age/kernels"
)

type kernelCmd struct {
	Install kernelInstallCmd `cmd:"" help:"Install the kernels agekit and agekit-xla."`
	List    kernelListCmd    `cmd:"" help:"List the kernels that Jupyter finds."`
	Remove  kernelRemoveCmd  `cmd:"" help:"Remove installed kernels."`
}

// kernelPlace says which Jupyter a command applies to.
type kernelPlace struct {
	User   bool   `help:"Use the user's Jupyter (the default)." xor:"place"`
	Prefix string `help:"Use the Jupyter of this Python environment, such as /usr/local or a virtual environment." type:"path" placeholder:"DIR" xor:"place"`
}

// dataDir returns the path of Jupyter's folder of data, below which kernels are installed.
func (p kernelPlace) dataDir() (string, error) {
	if p.Prefix != "" {
		return filepath.Join(p.Prefix, "share", "jupyter"), nil
	}
	return kernels.UserDataDir()
}

type kernelInstallCmd struct {
	kernelPlace
	Root string `help:"The project's folder; cells are built with the module in it." default:"." type:"path"`
	jsonFlag
}

func (c *kernelInstallCmd) Run(rt *Runtime) error {
	root, err := kernels.ProjectRoot(c.Root)
	if err != nil {
		return usageError{err}
	}
	data, err := c.dataDir()
	if err != nil {
		return err
	}
	installed, err := kernels.Install(data, root)
	if err != nil {
		return err
	}
	return c.emit(rt, installed, func(w io.Writer) { printKernels(w, installed) })
}

type kernelListCmd struct{ jsonFlag }

func (c *kernelListCmd) Run(rt *Runtime) error {
	found := kernels.List(kernels.DataDirs())
	return c.emit(rt, found, func(w io.Writer) {
		if len(found) == 0 {
			fmt.Fprintln(w, "no kernels installed: run agekit kernel install")
		}
		printKernels(w, found)
	})
}

type kernelRemoveCmd struct {
	kernelPlace
	jsonFlag
}

func (c *kernelRemoveCmd) Run(rt *Runtime) error {
	data, err := c.dataDir()
	if err != nil {
		return err
	}
	removed, err := kernels.Remove(data)
	if err != nil {
		return err
	}
	return c.emit(rt, removed, func(w io.Writer) {
		if len(removed) == 0 {
			fmt.Fprintf(w, "no kernels in %s\n", data)
		}
		for _, dir := range removed {
			fmt.Fprintf(w, "removed %s\n", dir)
		}
	})
}

// printKernels writes a line for each kernel: its name, its folder, and the project or what is wrong.
func printKernels(w io.Writer, list []kernels.Kernel) {
	for _, k := range list {
		about := "project " + k.Root
		if k.Problem != "" {
			about = k.Problem
		}
		fmt.Fprintf(w, "%-10s %s (%s)\n", k.Name, k.Dir, about)
	}
}
