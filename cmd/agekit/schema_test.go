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

// smallGraph are the arguments for a graph on which a training takes a moment.
const smallGraph = "--dataset planted:n=60,f=24,classes=3,words=4"

// jsonSchema is a schema in docs with the Go type and the version of what it describes.
type jsonSchema struct {
	file    string // its path
	of      reflect.Type
	version int
}

var (
	compareSchema = jsonSchema{file: "../../docs/compare.schema.json", of: reflect.TypeFor[comparison](), version: compareVersion}
	sweepSchema   = jsonSchema{file: "../../docs/sweep.schema.json", of: reflect.TypeFor[sweepRecord](), version: sweepVersion}
)

// checkSchema returns a function check for the schema in a file. check reports an error unless a JSON text
// is valid by the schema, according to a validator of others, and the text with a new field, or with another
// version, is not. It returns the value that the text has. what names the text in errors.
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

// TestSchema: run.json, and what agekit fit --json prints, of runs of every kind is valid by
// docs/run.schema.json, according to a validator of others.
func TestSchema(t *testing.T) {
	isolate(t)
	check := checkSchema(t, schemaFile)
	dir := t.TempDir()
	first := filepath.Join(dir, "first")
	fitAndCheck := func(out, args string) {
		t.Helper()
		printed, _ := succeeds(t, strings.Fields("fit --json --out "+out+" "+args)...)
		check(args+": printed", []byte(printed))
		check(args+": run.json", read(t, filepath.Join(out, "run.json")))
	}
	fitAndCheck(first, smallGraph+" --epochs 4 --dims 8")
	for _, args := range []string{
		smallGraph + " --epochs 4 --dims 8 --best --export parquet --no-map --ranking sampled --anchors 30",
		smallGraph + " --clusters 2..3 --dims 8 --auto",
		smallGraph + " --method Leiden",
		smallGraph + " --method GAE --epochs 2 --backend go",
		"--edges ../../assets/examples/karate.txt --layers 1 --epochs 2 --clusters 2 --no-views", // without features and labels
		smallGraph + " --from " + first,
	} {
		fitAndCheck(filepath.Join(dir, "other"), args)
	}
}

// TestSchemaOfComparisons: what agekit compare --json and agekit sweep --json print is valid by their schemas.
// Three comparisons together have all fields of the schema of comparisons, and no others; and so have three
// sweeps those of the schema of sweeps.
func TestSchemaOfComparisons(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	const karate, short = "--edges ../../assets/examples/karate.txt", " --epochs 2 --dims 8 --layers 1"
	path := func(name string) string { return filepath.Join(dir, name) }

	for name, args := range map[string]string{
		"AGE":     smallGraph + short + " --no-views",
		"other":   smallGraph + short + " --no-views --seed 2 --clusters 4 --no-map",
		"K-means": smallGraph + " --method K-means",
		"karate":  karate + short + " --clusters 2 --no-views", // without labels
		"Leiden":  karate + " --method Leiden --no-views",
	} {
		fit(t, strings.Fields(args+" --out "+path(name))...)
	}
	check, found := checkSchema(t, compareSchema.file), map[string]bool{}
	for _, pair := range [][2]string{{"AGE", "other"}, {"other", "K-means"}, {"karate", "Leiden"}} {
		printed, _ := succeeds(t, "compare", "--json", path(pair[0]), path(pair[1]))
		addFields(found, "", check(fmt.Sprint("compare ", pair), []byte(printed)))
	}
	if got, want := slices.Sorted(maps.Keys(found)), schemaFields(t, compareSchema.file); !slices.Equal(got, want) {
		t.Errorf("compare --json has the fields\n%q\nits schema\n%q", got, want)
	}

	check, found = checkSchema(t, sweepSchema.file), map[string]bool{}
	for i, args := range []string{
		smallGraph + short + " --clusters 2..3 --seeds 2",
		smallGraph + short + " --clusters 3..3 --seeds 1", // without a stability
		karate + short + " --clusters 2..3 --seeds 2",
	} {
		out := path(fmt.Sprint("sweep", i))
		printed, _ := succeeds(t, strings.Fields("sweep --json --out "+out+" "+args)...)
		addFields(found, "", check("sweep "+args, []byte(printed)))
		check("sweep.json of "+args, read(t, filepath.Join(out, "sweep.json")))
	}
	if got, want := slices.Sorted(maps.Keys(found)), schemaFields(t, sweepSchema.file); !slices.Equal(got, want) {
		t.Errorf("sweep --json has the fields\n%q\nits schema\n%q", got, want)
	}
}

// addFields adds to all the paths of the fields in a JSON value, such as numbers.acc. Items of a list have
// the path of the list. path is that of value, with a dot at its end.
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

// schemaFields returns the paths, as addFields makes them, of all fields in the schema in a file, sorted.
func schemaFields(t *testing.T, file string) []string {
	t.Helper()
	var schema map[string]any
	testutil.NoError(t, json.Unmarshal(read(t, file), &schema))
	all := map[string]bool{}
	addProperties(all, "", schema)
	return slices.Sorted(maps.Keys(all))
}

// addProperties adds to all the paths of the properties of a schema, and of the items of its lists. path is
// that of the value that the schema describes, with a dot at its end.
func addProperties(all map[string]bool, path string, schema map[string]any) {
	properties, _ := schema["properties"].(map[string]any)
	for name, property := range properties {
		all[path+name] = true
		addProperties(all, path+name+".", property.(map[string]any))
	}
	if items, ok := schema["items"].(map[string]any); ok {
		addProperties(all, path, items)
	}
}

// TestSettingsSchema: the part "settings" of docs/run.schema.json is what settingsSchema makes of the flags of
// agekit fit: those that decide its result, with their types and help. With -update, the part is written.
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

// settingsSchema returns the part "settings" of the schema of run.json, as text.
func settingsSchema(app *kong.Application) string {
	var lines []string
	for _, f := range fitFlags(app) {
		if !decidesNothing(f) {
			lines = append(lines, fmt.Sprintf("    %q: %s", f.Name, flagSchema(f)))
		}
	}
	slices.Sort(lines)
	return "  \"settings\": {\n" +
		"   \"type\": \"object\",\n" +
		"   \"description\": \"flags of agekit fit that were given, and the seed; agekit fit --config takes them\",\n" +
		"   \"properties\": {\n" + strings.Join(lines, ",\n") + "\n   },\n" +
		"   \"additionalProperties\": false\n  },\n"
}

// flagSchema returns the schema of a flag's value in run.json, as a line.
func flagSchema(f *kong.Flag) string {
	var types []string
	isInteger := f.Target.CanInt() || f.Target.CanUint()
	_, isText := f.Target.Interface().(fmt.Stringer) // as a time, 5s
	switch {
	case f.IsBool():
		types = []string{"boolean"}
	case f.IsSlice():
		types = []string{"array"}
	case isInteger && !isText:
		types = []string{"integer"}
	case f.Target.Kind() == reflect.Float64:
		types = []string{"number"}
	default:
		types = []string{"string"}
	}
	s := settingOf(f)
	if s.Words != nil { // which stand for numbers
		types = append(types, "string")
	}
	schema := map[string]any{"type": types, "description": f.Help}
	if len(types) == 1 {
		schema["type"] = types[0]
	}
	if f.IsSlice() {
		schema["items"] = map[string]any{"type": "string"}
	}
	if s.Values != nil {
		schema["enum"] = s.Values
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(schema) // of texts, which cannot fail
	return strings.TrimSpace(b.String())
}

// TestSchemaFields: each schema has the fields that JSON of its Go type has, by the tags of the type, and no
// others, and it has the type's version.
func TestSchemaFields(t *testing.T) {
	runSchema := jsonSchema{file: schemaFile, of: reflect.TypeFor[run.Record](), version: run.SchemaVersion}
	for _, schema := range []jsonSchema{runSchema, compareSchema, sweepSchema} {
		inType := map[string]bool{}
		addTypeFields(inType, "", schema.of)
		got := slices.DeleteFunc(schemaFields(t, schema.file), func(name string) bool {
			return schema.file == schemaFile && strings.HasPrefix(name, "settings.") // see TestSettingsSchema
		})
		if want := slices.Sorted(maps.Keys(inType)); !slices.Equal(got, want) {
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

// addTypeFields adds to all the paths, as addFields makes them, of the fields that JSON of a Go type has.
// path is that of a value of the type, with a dot at its end.
func addTypeFields(all map[string]bool, path string, typ reflect.Type) {
	for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Struct {
		return
	}
	for f := range typ.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "": // its fields are those of the struct around it
			addTypeFields(all, path, f.Type)
		case f.IsExported() && name != "-":
			all[path+name] = true
			addTypeFields(all, path+name+".", f.Type)
		}
	}
}
