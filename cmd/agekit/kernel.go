package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/agekit/age/internal/notebook"
	"github.com/agekit/age/kernels"
)

// KernelCmd is `agekit kernel`.
type KernelCmd struct {
	Install KernelInstallCmd `cmd:"" help:"Install the kernels agekit and agekit-xla."`
	List    KernelListCmd    `cmd:"" help:"List the kernels that Jupyter finds."`
	Remove  KernelRemoveCmd  `cmd:"" help:"Remove installed kernels."`
}

// kernelPlace says which Jupyter a command applies to.
type kernelPlace struct {
	User   bool   `help:"Use the user's Jupyter (the default)." xor:"place"`
	Prefix string `help:"Use the Jupyter of this Python environment, such as /usr/local or a virtual environment." type:"path" placeholder:"DIR" xor:"place"`
}

func (p kernelPlace) dataDir() (string, error) {
	if p.Prefix != "" {
		return filepath.Join(p.Prefix, "share", "jupyter"), nil
	}
	return kernels.UserDataDir()
}

// KernelInstallCmd is `agekit kernel install`.
type KernelInstallCmd struct {
	kernelPlace
	Root string `help:"The project's folder; cells are built with the module in it." default:"." type:"path"`
	jsonFlag
}

// Run installs the kernels.
func (c *KernelInstallCmd) Run(rt *Runtime) error {
	root, err := notebook.Root(c.Root)
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

// KernelListCmd is `agekit kernel list`.
type KernelListCmd struct{ jsonFlag }

// Run lists the kernels.
func (c *KernelListCmd) Run(rt *Runtime) error {
	found := kernels.List(kernels.DataDirs())
	return c.emit(rt, found, func(w io.Writer) {
		if len(found) == 0 {
			fmt.Fprintln(w, "no kernels installed: run agekit kernel install")
		}
		printKernels(w, found)
	})
}

// KernelRemoveCmd is `agekit kernel remove`.
type KernelRemoveCmd struct {
	kernelPlace
	jsonFlag
}

// Run removes the kernels.
func (c *KernelRemoveCmd) Run(rt *Runtime) error {
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

func printKernels(w io.Writer, list []kernels.Kernel) {
	for _, k := range list {
		about := "project " + k.Root
		if k.Problem != "" {
			about = k.Problem
		}
		fmt.Fprintf(w, "%-10s %s (%s)\n", k.Name, k.Dir, about)
	}
}
