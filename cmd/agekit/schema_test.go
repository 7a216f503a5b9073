package main

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/agekit/age/agekit/run"
)

const schemaFile = "../../docs/run.schema.json"

// TestSchema: what runs of every kind write and print is valid by docs/run.schema.json, for
// a validator that is not ours, and what differs from it is not.
func TestSchema(t *testing.T) {
	isolate(t)
	schema, err := jsonschema.NewCompiler().Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	check := func(what string, text []byte) (value any) {
		t.Helper()
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		return value
	}
	const small = "--dataset planted:n=60,f=24,classes=3,words=4 "
	for i, args := range []string{
		small + "--epochs 4 --dims 8",
		small + "--epochs 4 --dims 8 --best --export membership --no-map --ranking sampled --anchors 30",
		small + "--clusters 2..3 --dims 8 --auto",
		small + "--method Leiden",
		small + "--method GAE --epochs 2 --backend go",
		"--edges ../../assets/examples/karate.txt --layers 1 --epochs 2 --clusters 2 --no-baselines",
		small + "--from " + at("run0"),
	} {
		out := at("run0")
		if i > 0 {
			out = at("other")
		}
		code, printed, errs := age(t, append(strings.Fields("fit --json --out "+out), strings.Fields(args)...)...)
		if code != 0 {
			t.Fatalf("%s: %s", args, errs)
		}
		check(args+": printed", []byte(printed))
		value := check(args+": run.json", read(t, filepath.Join(out, "run.json"))).(map[string]any)
		value["new"] = 1
		if schema.Validate(value) == nil {
			t.Error("a field that the schema does not have is valid")
		}
		delete(value, "new")
		value["schema_version"] = json.Number("0")
		if schema.Validate(value) == nil {
			t.Error("another version is valid")
		}
	}
}

// TestSchemaFields: the schema has the fields of the record, and no others.
func TestSchemaFields(t *testing.T) {
	var schema map[string]any
	if err := json.Unmarshal(read(t, schemaFile), &schema); err != nil {
		t.Fatal(err)
	}
	inSchema, inRecord := map[string]bool{}, map[string]bool{}
	var walkSchema func(path string, s map[string]any)
	walkSchema = func(path string, s map[string]any) {
		properties, _ := s["properties"].(map[string]any)
		for name, p := range properties {
			inSchema[path+name] = true
			walkSchema(path+name+".", p.(map[string]any))
		}
		if items, ok := s["items"].(map[string]any); ok {
			walkSchema(path, items)
		}
	}
	walkSchema("", schema)
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
	walk("", reflect.TypeFor[run.Record]())
	if got, want := slices.Sorted(maps.Keys(inSchema)), slices.Sorted(maps.Keys(inRecord)); !slices.Equal(got, want) {
		t.Errorf("docs/run.schema.json has\n%q\nwant\n%q", got, want)
	}
	if version := schema["properties"].(map[string]any)["schema_version"].(map[string]any)["const"]; version != float64(run.SchemaVersion) {
		t.Errorf("version %v, want %d", version, run.SchemaVersion)
	}
}
