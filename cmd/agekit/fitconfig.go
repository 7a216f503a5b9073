package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/dustin/go-humanize/english"

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
	failed := func(format string, args ...any) error {
		return fmt.Errorf("--config: %s: settings: %w", message.ShortPath(path), fmt.Errorf(format, args...))
	}
	flags := ctx.Flags()
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		value := settings[name]
		k := slices.IndexFunc(flags, func(f *kong.Flag) bool { return f.Name == name && !decidesNothing(f) })
		if k < 0 {
			return failed("unknown field %s: want names of flags of agekit fit, without dashes", message.Quote(name))
		}
		if want := wantedOf(flags[k].Target.Type(), value); want != "" {
			text, _ := json.Marshal(value) // it was read from JSON
			return failed("%s is %s: want %s", name, message.Quote(string(text)), want)
		}
		if number, ok := value.(json.Number); ok { // a type that kong does not know
			settings[name] = string(number)
		}
	}
	isBackend := func(p *kong.Path) bool { return p.Flag != nil && p.Flag.Name == "backend" }
	if given := slices.ContainsFunc(ctx.Path, isBackend); !given {
		if err := checkBackend(settings); err != nil {
			return fmt.Errorf("--config: %w", err)
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

// wantedOf returns in words what a value in a file of JSON should be, if it cannot be that of a setting of the
// type t; "" if it can. Numbers may have words, and what parses its own text may be a number.
func wantedOf(t reflect.Type, value any) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	_, isText := value.(string)
	_, isNumber := value.(json.Number)
	_, isBool := value.(bool)
	switch t.Kind() {
	case reflect.Bool:
		if !isBool {
			return "true or false"
		}
	case reflect.String:
		if !isText {
			return "a text"
		}
	case reflect.Slice:
		list, isList := value.([]any)
		isOther := func(v any) bool { _, isText := v.(string); return !isText }
		if !isText && (!isList || slices.ContainsFunc(list, isOther)) {
			return "a list of texts"
		}
	default:
		if !isText && !isNumber {
			return "a number or a text"
		}
	}
	return ""
}

// checkBackend returns an error if the settings in a file name a backend that has no name of its own, such as a
// plugin of XLA by its path: somebody else's file would choose the code that runs.
func checkBackend(settings map[string]any) error {
	name, given := settings["backend"].(string)
	if !given || slices.Contains(backend.Named(), name) {
		return nil
	}
	if strings.HasPrefix(name, "xla:") {
		return fmt.Errorf("backend %s is code of others, which only the command line may choose: want agekit fit with --config FILE and this --backend", message.Quote(name))
	}
	return fmt.Errorf("unknown backend %s: want %s", message.Quote(name), english.WordSeries(backend.Named(), "or"))
}

// decidesNothing reports whether a flag does not decide the result, so that a file does not set it.
func decidesNothing(f *kong.Flag) bool { return f.Tag.Get(store.Tag) == "-" || f.Name == "help" }

// settings returns, by their names, the values of the flags that decide the result of a run: those whose
// values are not the defaults, and the seed in any case.
func (rt *Runtime) settings() map[string]any {
	all := map[string]any{}
	for _, f := range rt.Flags {
		if !decidesNothing(f) && (!isDefault(f) || f.Name == "seed") {
			all[f.Name] = textOf(settingOf(f).Text(f.Target))
		}
	}
	return all
}
