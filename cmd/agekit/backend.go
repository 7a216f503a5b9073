package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/agekit/age/agekit/backend"
	_ "github.com/agekit/age/internal/quiet" // the XLA packages' log lines
)

type backendCmd struct {
	List    backendListCmd    `cmd:"" help:"List the backends and show which one auto chooses."`
	Install backendInstallCmd `cmd:"" help:"Download an XLA plugin into the user's cache directory."`
}

type backendListCmd struct{ jsonFlag }

// backendState is a backend and, if it cannot run, the reason.
type backendState struct {
	Name    string `json:"name"`
	Ready   bool   `json:"ready"`             // it can run
	Plugin  string `json:"plugin,omitempty"`  // the path of its XLA plugin
	Problem string `json:"problem,omitempty"` // the reason if it is not ready
}

// backendReport is what `agekit backend list --json` prints.
type backendReport struct {
	Auto     backend.Choice   `json:"auto"`
	Backends []backendState   `json:"backends"`
	Plugins  []backend.Plugin `json:"plugins"`
}

// surveyBackends returns what each backend needs and has on this machine, and what auto stands for. It
// returns an error if $AGEKIT_BACKEND, which decides what auto stands for, names a backend that cannot run.
func surveyBackends() (backendReport, error) {
	auto, err := backend.Resolve(backend.Auto)
	if err != nil {
		return backendReport{}, err
	}
	report := backendReport{Auto: auto, Plugins: backend.Plugins()}
	for _, name := range []string{backend.Native, backend.Go, backend.XLACPU, backend.XLACUDA} {
		state := backendState{Name: name}
		if choice, err := backend.Resolve(name); err != nil {
			state.Problem = strings.TrimPrefix(err.Error(), "backend "+name+": ")
		} else {
			state.Ready, state.Plugin = true, choice.Plugin
		}
		report.Backends = append(report.Backends, state)
	}
	return report, nil
}

// resolveBackend returns the backend that name, the value of --backend, stands for, and sets the
// environment variables that this backend needs. The error names the flag or, for auto, the environment
// variable.
func resolveBackend(name string) (backend.Choice, error) {
	choice, err := backend.Resolve(name)
	switch {
	case err == nil:
		for variable, value := range choice.Environment() {
			os.Setenv(variable, value)
		}
		return choice, nil
	case name == backend.Auto:
		return choice, misused("$AGEKIT_BACKEND: %w", err)
	}
	return choice, misused("--backend: %w", err)
}

func (c *backendListCmd) Run(rt *Runtime) error {
	report, err := surveyBackends()
	if err != nil {
		return err
	}
	return c.emit(rt, report, func(w io.Writer) {
		for _, b := range report.Backends {
			about := "ready"
			switch {
			case !b.Ready:
				about = b.Problem
			case b.Plugin != "":
				about = "ready, plugin " + b.Plugin
			}
			fmt.Fprintf(w, "%-9s %s\n", b.Name, about)
		}
		fmt.Fprintf(w, "%-9s %s (%s)\n", "auto", report.Auto.Name, report.Auto.Reason)
	})
}

type backendInstallCmd struct {
	Plugin string `arg:"" help:"The plugin: cpu, or cuda13 with NVIDIA's CUDA 13 libraries."`
	jsonFlag
}

func (c *backendInstallCmd) Run(rt *Runtime) error {
	plugin, fresh, err := backend.Install(rt.Context, c.Plugin, func(line string) { fmt.Fprintln(rt.Stderr, line) })
	if errors.Is(err, backend.ErrUnknown) {
		return misused("%w", err)
	}
	if err != nil {
		return err
	}
	report := struct {
		backend.Plugin
		Fetched bool `json:"fetched"`
	}{plugin, fresh}
	return c.emit(rt, report, func(w io.Writer) {
		what := "already installed"
		if fresh {
			what = "installed"
		}
		fmt.Fprintf(w, "XLA plugin %s %s: %s\nuse it with --backend xla:%s\n", c.Plugin, what, plugin.Path, plugin.Device)
	})
}
