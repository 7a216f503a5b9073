package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/internal/testutil"
)

const schemaFile = "../../docs/run.schema.json"

// jsonSchema is a schema of docs with the type and the version of what it describes.
type jsonSchema struct {
	file    string
	of      reflect.Type
	version int
}

var (
	compareSchema = jsonSchema{"../../docs/compare.schema.json", reflect.TypeFor[comparison](), compareVersion}
	sweepSchema   = jsonSchema{"../../docs/sweep.schema.json", reflect.TypeFor[sweepRecord](), sweepVersion}
)

// checkSchema returns a function that checks a JSON text with a schema, by a validator that
// is not ours, and that a new field and another version are not valid.
func checkSchema(t *testing.T, file string) func(what string, text []byte) (value any) {
	schema := testutil.Value(jsonschema.NewCompiler().Compile(file)).OrFatal(t)
	return func(what string, text []byte) any {
		t.Helper()
		value := testutil.Value(jsonschema.UnmarshalJSON(strings.NewReader(string(text)))).OrFatal(t)
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		for name, wrong := range map[string]any{"new": 1, "schema_version": json.Number("0")} {
			other := maps.Clone(value.(map[string]any))
			other[name] = wrong
			if schema.Validate(other) == nil {
				t.Errorf("%s: %s %v is valid", what, name, wrong)
			}
		}
		return value
	}
}

// TestSchema: what runs of every kind write and print is valid by docs/run.schema.json, and
// what differs from it is not.
func TestSchema(t *testing.T) {
	isolate(t)
	check := checkSchema(t, schemaFile)
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	const small = "--dataset planted:n=60,f=24,classes=3,words=4 "
	for i, args := range []string{
		small + "--epochs 4 --dims 8",
		small + "--epochs 4 --dims 8 --best --export parquet --no-map --ranking sampled --anchors 30",
		small + "--clusters 2..3 --dims 8 --auto",
		small + "--method Leiden",
		small + "--method GAE --epochs 2 --backend go",
		"--edges ../../assets/examples/karate.txt --layers 1 --epochs 2 --clusters 2 --no-views",
		small + "--from " + path("run0"),
	} {
		out := path("run0")
		if i > 0 {
			out = path("other")
		}
		printed, _ := succeeds(t, append(strings.Fields("fit --json --out "+out), strings.Fields(args)...)...)
		check(args+": printed", []byte(printed))
		check(args+": run.json", read(t, filepath.Join(out, "run.json")))
	}
}

// TestSchemaOfComparisons: the comparisons of three pairs of runs, and the records of three
// sweeps, have together all fields of their schemas and no others.
func TestSchemaOfComparisons(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	const small, few = "--dataset planted:n=60,f=24,classes=3,words=4 ", "--epochs 2 --dims 8 --layers 1"
	karate := "--edges ../../assets/examples/karate.txt "
	for name, args := range map[string]string{
		"a": small + few + " --no-views",
		"b": small + few + " --no-views --seed 2 --clusters 4 --no-map",
		"c": small + "--method K-means",
		"d": karate + few + " --clusters 2 --no-views",
		"e": karate + "--method Leiden --no-views",
	} {
		fit(t, strings.Fields(args+" --out "+filepath.Join(dir, name))...)
	}
	for schema, commands := range map[jsonSchema][]string{
		compareSchema: {"a b", "b c", "d e"},
		sweepSchema:   {small + few + " --clusters 2..3 --seeds 2", small + few + " --clusters 3..3 --seeds 1", karate + few + " --clusters 2..3 --seeds 2"},
	} {
		name, _, _ := strings.Cut(filepath.Base(schema.file), ".")
		check, found := checkSchema(t, schema.file), map[string]bool{}
		for i, args := range commands {
			var full []string
			out := filepath.Join(dir, fmt.Sprint("sweep", i))
			if name == "compare" {
				for _, folder := range strings.Fields(args) {
					full = append(full, filepath.Join(dir, folder))
				}
			} else {
				full = append(strings.Fields(args), "--out", out)
			}
			printed, _ := succeeds(t, append([]string{name, "--json"}, full...)...)
			addFields(found, "", check(name+" "+args, []byte(printed)))
			if name == "sweep" {
				check("sweep.json of "+args, read(t, filepath.Join(out, "sweep.json")))
			}
		}
		if got, want := slices.Sorted(maps.Keys(found)), schemaFields(t, schema.file); !slices.Equal(got, want) {
			t.Errorf("%s --json has\n%q\nits schema\n%q", name, got, want)
		}
	}
}

// addFields adds the paths of all fields in a JSON value.
func addFields(all map[string]bool, path string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			all[path+name] = true
			addFields(all, path+name+".", inner)
		}
	case []any:
		for _, inner := range v {
			addFields(all, path, inner)
		}
	}
}

// schemaFields returns the paths of all fields that a schema has, in order.
func schemaFields(t *testing.T, file string) []string {
	var schema map[string]any
	testutil.NoError(t, json.Unmarshal(read(t, file), &schema))
	all := map[string]bool{}
	var walk func(path string, s map[string]any)
	walk = func(path string, s map[string]any) {
		properties, _ := s["properties"].(map[string]any)
		for name, p := range properties {
			all[path+name] = true
			walk(path+name+".", p.(map[string]any))
		}
		if items, ok := s["items"].(map[string]any); ok {
			walk(path, items)
		}
	}
	walk("", schema)
	return slices.Sorted(maps.Keys(all))
}

// TestSettingsSchema: the settings in docs/run.schema.json are the flags of agekit fit that decide
// its result, with their types and what they are.
func TestSettingsSchema(t *testing.T) {
	text := string(read(t, schemaFile))
	block := regexp.MustCompile(`(?s)  "settings": \{\n.*?\n  \},\n`)
	want := settingsSchema(newParser(io.Discard, io.Discard, func(int) {}).Model)
	if *update {
		put(t, schemaFile, block.ReplaceAllLiteralString(text, want))
		return
	}
	if got := block.FindString(text); got != want {
		t.Errorf("%s: other settings than flags; to write them again: go test ./cmd/agekit -run TestSettingsSchema -update", schemaFile)
	}
}

// settingsSchema returns the schema of the settings in run.json.
func settingsSchema(app *kong.Application) string {
	var lines []string
	for _, f := range fitFlags(app) {
		if decidesNothing(f) {
			continue
		}
		s := settingOf(f)
		types := []string{"string"}
		switch kind := f.Target.Type().Kind(); {
		case f.IsBool():
			types = []string{"boolean"}
		case f.IsSlice():
			types = []string{"array"}
		case !stands(f) && (f.Target.CanInt() || f.Target.CanUint()):
			types = []string{"integer"}
		case kind == reflect.Float64:
			types = []string{"number"}
		}
		if s.Words != nil {
			types = append(types, "string")
		}
		schema := map[string]any{"type": types, "description": f.Help}
		if len(types) == 1 {
			schema["type"] = types[0]
		}
		if types[0] == "array" {
			schema["items"] = map[string]any{"type": "string"}
		}
		if s.Values != nil {
			schema["enum"] = s.Values
		}
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		_ = e.Encode(schema) // of texts
		lines = append(lines, fmt.Sprintf("    %q: %s", f.Name, strings.TrimSpace(b.String())))
	}
	slices.Sort(lines)
	return "  \"settings\": {\n" +
		"   \"type\": \"object\",\n" +
		"   \"description\": \"flags of agekit fit that were given, and the seed; agekit fit --config takes them\",\n" +
		"   \"properties\": {\n" + strings.Join(lines, ",\n") + "\n   },\n" +
		"   \"additionalProperties\": false\n  },\n"
}

// stands reports whether a text stands for the value of a flag in run.json.
func stands(f *kong.Flag) bool {
	_, ok := f.Target.Interface().(fmt.Stringer)
	return ok
}

// TestSchemaFields: each schema has the fields of what it describes, and no others.
func TestSchemaFields(t *testing.T) {
	for _, schema := range []jsonSchema{{schemaFile, reflect.TypeFor[run.Record](), run.SchemaVersion}, compareSchema, sweepSchema} {
		inRecord := map[string]bool{}
		var walk func(path string, typ reflect.Type)
		walk = func(path string, typ reflect.Type) {
			for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
				typ = typ.Elem()
			}
			if typ.Kind() != reflect.Struct {
				return
			}
			for i := range typ.NumField() {
				f := typ.Field(i)
				name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				switch {
				case f.Anonymous && name == "":
					walk(path, f.Type)
				case f.IsExported() && name != "-":
					inRecord[path+name] = true
					walk(path+name+".", f.Type)
				}
			}
		}
		walk("", schema.of)
		got := slices.DeleteFunc(schemaFields(t, schema.file), func(name string) bool {
			return schema.file == schemaFile && strings.HasPrefix(name, "settings.") // see TestSettingsSchema
		})
		if want := slices.Sorted(maps.Keys(inRecord)); !slices.Equal(got, want) {
			t.Errorf("%s has\n%q\nwant\n%q", schema.file, got, want)
		}
		var text struct {
			Properties struct {
				Version struct{ Const int } `json:"schema_version"`
			}
		}
		if err := json.Unmarshal(read(t, schema.file), &text); err != nil || text.Properties.Version.Const != schema.version {
			t.Errorf("%s: version %d, %v: want %d", schema.file, text.Properties.Version.Const, err, schema.version)
		}
	}
}
