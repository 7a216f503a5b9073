package main

import (
	"encoding/json"
	"io"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/agekit/age/agekit/settings"
	"github.com/agekit/age/internal/setting"
	"github.com/agekit/age/internal/store"
	"github.com/agekit/age/internal/testutil"
)

// grown are the program's settings and one more, WarmUp.
type grown struct {
	settings.Settings
	WarmUp int `json:"warm_up" zero:"3" range:"1.." words:"all=-1" want:"1 or more or all" chosen:"" group:"training" help:"Epochs with half the rate."`
}

// grownProgram is a command line as the program's, cut down to a command fit that takes the grown settings.
type grownProgram struct {
	Fit struct {
		Config settingsFile `key:"-"`
		grown
	} `cmd:""`
}

// grownParser returns the parser of p, with all that the program's own parser has for settings.
func grownParser(t *testing.T, p *grownProgram) *kong.Kong {
	t.Helper()
	options := []kong.Option{kong.Name("agekit"), kong.ExplicitGroups(helpGroups), kong.PostBuild(addSettings), kong.Vars{"fit_methods": "", "backends": ""}, kong.Writers(io.Discard, io.Discard)}
	return testutil.Value(kong.New(p, options...)).OrFatal(t)
}

// TestAddedSetting: to add a setting, it suffices to add a field with tags, here WarmUp, to the struct. What
// follows from the field is there: the flag and the values that it takes, files of --config, records, keys
// of the store, the reference of commands, the schema of run.json, Python, the check and the default.
func TestAddedSetting(t *testing.T) {
	var p grownProgram
	parser := grownParser(t, &p)
	command := testutil.Value(parser.Parse([]string{"fit", "--warm-up", "7"})).OrFatal(t)
	if p.Fit.WarmUp != 7 {
		t.Errorf("the flag sets %d, want 7", p.Fit.WarmUp)
	}
	if got := (&Runtime{Flags: command.Flags()}).settings(); got["warm-up"] != 7 {
		t.Errorf("the record has the settings %v", got)
	}
	_, err := grownParser(t, &grownProgram{}).Parse([]string{"fit", "--warm-up", "0"})
	testutil.Fails(t, err, "warm_up is 0: want 1 or more or all")

	file := filepath.Join(t.TempDir(), "settings.json")
	put(t, file, `{"settings": {"warm-up": "all"}}`)
	p = grownProgram{}
	testutil.Value(grownParser(t, &p).Parse([]string{"fit", "--config", file})).OrFatal(t)
	if p.Fit.WarmUp != -1 {
		t.Errorf("--config sets %d, want -1", p.Fit.WarmUp)
	}

	key := func(s grown) store.Key { return store.NewKey("test", 1, s) }
	if key(grown{}) == key(grown{WarmUp: 7}) {
		t.Error("the key of the store is the same with another value")
	}
	if page := reference(parser.Model); !strings.Contains(page, "| `--warm-up` | Epochs with half the rate. Default: `3`. |") {
		t.Errorf("the reference is %s", page)
	}
	var schema struct {
		Settings struct {
			Properties map[string]struct{ Type any }
		}
	}
	testutil.NoError(t, json.Unmarshal([]byte("{"+strings.TrimSuffix(settingsSchema(parser.Model), ",\n")+"}"), &schema))
	if got, want := schema.Settings.Properties["warm-up"].Type, []any{"integer", "string"}; !reflect.DeepEqual(got, want) {
		t.Errorf("the schema has the type %v, want %v", got, want)
	}
	python := testutil.Value(pythonSettings(parser.Model, setting.All(reflect.TypeFor[grown]()))).OrFatal(t)
	for _, want := range []string{
		`warm_up: int | Literal["all"] | None = None,`, "self.warm_up = warm_up", `"warm_up": ("warm-up", (int,), ("all",)),`, "        Epochs with half the rate.\n",
	} {
		if !strings.Contains(python, want) {
			t.Errorf("Python lacks %q", want)
		}
	}
	s := grown{WarmUp: -2}
	testutil.Fails(t, setting.Check(&s), "warm_up is -2: want 1 or more or all")
	s = grown{}
	if setting.Fill(&s); s.WarmUp != 3 {
		t.Errorf("the default is %d, want 3", s.WarmUp)
	}
}
