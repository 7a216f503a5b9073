package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/readfile"
	"github.com/agekit/age/internal/store"
)

// settingsFile is the value of --config: a file with values of flags that the command line
// does not give.
type settingsFile string

// BeforeResolve makes the flags that are not given take their values from the file. Kong calls it once the
// command line is parsed; trace is the place of --config in it. The value of the flag is not yet in the
// receiver.
func (settingsFile) BeforeResolve(ctx *kong.Context, trace *kong.Path) error {
	path := string(ctx.FlagValue(trace.Flag).(settingsFile))
	settings, err := readSettings(path)
	if err != nil {
		return fmt.Errorf("--config: %w", err)
	}
	isBackend := func(p *kong.Path) bool { return p.Flag != nil && p.Flag.Name == "backend" }
	if given := slices.ContainsFunc(ctx.Path, isBackend); !given {
		if err := checkBackend(settings); err != nil {
			return fmt.Errorf("--config: %w", err)
		}
	}
	for name, value := range settings {
		isSetting := func(f *kong.Flag) bool { return f.Name == name && !decidesNothing(f) }
		if !slices.ContainsFunc(ctx.Flags(), isSetting) {
			return fmt.Errorf("--config: %s: settings: unknown field %s: want names of flags of agekit fit, without dashes", message.ShortPath(path), message.Quote(name))
		}
		if number, ok := value.(json.Number); ok { // a type that kong does not know
			settings[name] = string(number)
		}
	}
	ctx.AddResolver(kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		return settings[flag.Name], nil
	}))
	return nil
}

// readSettings returns the settings in a file: the field "settings" of a run.json, or of a
// JSON file with that field alone. Numbers are [json.Number]. Errors name the file, and
// fields that no run.json has.
func readSettings(path string) (map[string]any, error) {
	text, err := readfile.All(path, readfile.MostRecords)
	if err != nil {
		return nil, err
	}
	failed := func(format string, args ...any) error {
		return fmt.Errorf("%s: %w", message.ShortPath(path), fmt.Errorf(format, args...))
	}
	var record struct {
		SchemaVersion int            `json:"schema_version"`
		Settings      map[string]any `json:"settings"`
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // a seed may be more than a float64 holds
	if err := d.Decode(&record); err != nil {
		return nil, failed("%w", err)
	}
	if record.SchemaVersion != 0 && record.SchemaVersion != run.SchemaVersion { // settings alone have no version
		return nil, failed("schema_version is %d: want %d", record.SchemaVersion, run.SchemaVersion)
	}
	// Once more, for the names of the fields: a misspelled one would be ignored.
	d = json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&run.Record{}); err != nil {
		return nil, failed("%s: want the fields of run.json, of which settings counts", strings.TrimPrefix(err.Error(), "json: "))
	}
	if record.Settings == nil {
		return nil, failed(`no field settings: want run.json of agekit fit --out, or such as {"settings": {"clusters": 3, "layers": 2}}`)
	}
	return record.Settings, nil
}

// checkBackend returns an error if the settings in a file name a plugin of XLA by its path as the backend:
// somebody else's file would choose the code that runs.
func checkBackend(settings map[string]any) error {
	value := settings["backend"]
	name, isText := value.(string)
	switch {
	case value != nil && !isText:
		return fmt.Errorf("settings: backend %s is no text: want a name", message.Quote(fmt.Sprint(value)))
	case strings.HasPrefix(name, "xla:") && name != backend.XLACPU && name != backend.XLACUDA:
		return fmt.Errorf("backend %s is code of others, which only the command line may choose: want agekit fit with --config FILE and this --backend", message.Quote(name))
	}
	return nil
}

// decidesNothing reports whether a flag does not decide the result, so that a file does not set it.
func decidesNothing(f *kong.Flag) bool { return f.Tag.Get(store.Tag) == "-" || f.Name == "help" }

// settings returns, by their names, the values of the flags that decide the result of a run: those whose
// values are not the defaults, and the seed in any case.
func (rt *Runtime) settings() map[string]any {
	all := map[string]any{}
	for _, f := range rt.Flags {
		if !decidesNothing(f) && (!isDefault(f) || f.Name == "seed") {
			all[f.Name] = settingOf(f).Text(f.Target)
		}
	}
	return all
}
