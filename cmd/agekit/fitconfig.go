package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/alecthomas/kong"

	"github.com/agekit/age/internal/files"
)

// settingsFile is the value of --config: a file with values of flags that the command line
// does not give.
type settingsFile string

// BeforeResolve makes the flags that are not given take their values from the file.
func (f settingsFile) BeforeResolve(ctx *kong.Context, trace *kong.Path) error {
	path := string(ctx.FlagValue(trace.Flag).(settingsFile))
	settings, err := readSettings(path)
	if err != nil {
		return fmt.Errorf("--config: %w", err)
	}
	if !slices.ContainsFunc(ctx.Path, func(p *kong.Path) bool { return p.Flag != nil && p.Flag.Name == "backend" }) {
		if err := checkBackend(settings); err != nil {
			return fmt.Errorf("--config: %w", err)
		}
	}
	for name, value := range settings {
		if notSettings[name] || !slices.ContainsFunc(ctx.Flags(), func(f *kong.Flag) bool { return f.Name == name }) {
			return fmt.Errorf("--config: %s: settings: unknown field %s: want names of flags of agekit fit, without dashes", files.ShortPath(path), files.Quote(name))
		}
		if number, ok := value.(json.Number); ok {
			settings[name] = string(number)
		}
	}
	ctx.AddResolver(kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		return settings[flag.Name], nil
	}))
	return nil
}

// notSettings are flags that a file does not set: they do not decide the result.
var notSettings = map[string]bool{
	"help": true, "help-all": true, "version": true, "verbose": true, "config": true, "json": true, "out": true, "export": true,
	"engine": true, "workers": true, "worker-cores": true, "worker-memory": true, "work": true, "master": true, "spark-sql": true, "spark-conf": true, "dry-run": true,
}

// settings returns the flags that decide the result of a run, with the values that they
// have if these are not the defaults, and the seed.
func (rt *Runtime) settings() map[string]any {
	all := map[string]any{}
	for _, f := range rt.Flags {
		if notSettings[f.Name] || f.Name != "seed" && rt.given(f.Name) == "" {
			continue
		}
		v := f.Target
		if v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		all[f.Name] = v.Interface()
		if s, ok := all[f.Name].(fmt.Stringer); ok {
			all[f.Name] = s.String()
		}
	}
	return all
}
