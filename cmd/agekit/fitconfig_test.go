package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/run"
)

// TestFitConfig: run.json keeps the settings of a run, of every type. A run with this file as --config
// writes the same bytes and the same report, without the results that the store has of the first. Flags of
// the command line win over the file.
func TestFitConfig(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	const examples = "../../assets/examples/"
	// Flags of every type: whole numbers (one beyond float64), fractions, words in place of numbers, lists,
	// on and off, and a time. Those that do not decide the result, such as --export, are not in run.json.
	flags := strings.Fields("--nodes " + examples + "penguins.csv --edges " + examples + "penguins-edges.csv --label species --drop sex,island --clusters 3 --layers 2 --k auto --epochs 6 --update 2 --dims 24 --batch all" +
		" --pos-start 0.02 --seed 18446744073709551615 --no-views --no-header=false --checkpoint-every 7s --export graphml")
	first := fit(t, append(flags, "--out", path("first"))...)
	want := map[string]any{
		"nodes": examples + "penguins.csv", "edges": examples + "penguins-edges.csv", "label": "species", "drop": []any{"sex", "island"},
		"clusters": "3", "layers": json.Number("2"), "k": "auto", "epochs": json.Number("6"), "update": json.Number("2"), "dims": json.Number("24"), "batch": "all",
		"pos-start": json.Number("0.02"), "seed": json.Number("18446744073709551615"), "views": false, "header": true, "checkpoint-every": "7s",
	}
	config := path("first/run.json")
	if got, err := readSettings(config); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("settings %v, want %v (%v)", got, want, err)
	}

	t.Setenv("AGEKIT_STORE", t.TempDir()) // nothing of the first run is read
	second := fit(t, "--config", config, "--export", "graphml", "--out", path("second"))
	for _, name := range []string{"embeddings.npy", "labels.txt", "nodes.csv", "model.npz", "graph.graphml"} {
		if !bytes.Equal(read(t, path("first/"+name)), read(t, path("second/"+name))) {
			t.Errorf("%s: other bytes than in the first run", name)
		}
	}
	for _, r := range []*run.Record{&first, &second} { // without what differs between runs
		r.Seconds, r.PeakRSSBytes = run.Seconds{}, 0
	}
	if !reflect.DeepEqual(first, second) {
		t.Errorf("%+v, want %+v", second, first)
	}
	third := fit(t, "--config", config, "--epochs", "4", "--seed", "3", "--views")
	if third.Epochs != 4 || third.Seed != 3 || len(third.Views) == 0 {
		t.Errorf("%d epochs, seed %d, %d views: want those of the command line", third.Epochs, third.Seed, len(third.Views))
	}
	if third.Layers != 2 {
		t.Errorf("t %d, want the 2 of the file", third.Layers)
	}
}

// TestFitOwnConfig: a file of --config with the field settings alone sets the flags. A file with another
// field, an unknown flag, a value of another type, another version or broken JSON is a usage error (exit
// code 2) that says what is wrong.
func TestFitOwnConfig(t *testing.T) {
	isolate(t)
	config := filepath.Join(t.TempDir(), "own.json")
	put(t, config, `{"settings": {"dataset": "`+planted+`", "layers": 1, "epochs": 2, "dims": 8, "views": false}}`)
	if r := fit(t, "--config", config); r.N != 300 || r.Layers != 1 || r.Epochs != 2 || len(r.Views) != 1 {
		t.Errorf("own settings: %+v", r)
	}
	for text, want := range map[string]string{
		`{"settings": {"layer": 1}}`:       `own.json: settings: unknown field "layer": want names of flags of agekit fit, without dashes`,
		`{"settings": {"out": "x"}}`:       `settings: unknown field "out"`,
		`{"setting": {"layers": 1}}`:       `own.json: unknown field "setting": want the fields of run.json, of which settings counts`,
		`{"n": 3}`:                         "own.json: no field settings: want run.json of agekit fit --out, or such as",
		`{"settings": {"layers": "many"}}`: "--layers",
		`{"settings": {"loss": "hinge"}}`:  "--loss",
		`{"settings": {"layers": [1, 2]}}`: `own.json: settings: layers is "[1,2]": want a number or a text`,
		`{"settings": 3}`:                  "own.json: json: cannot unmarshal number",
		`{"settings"`:                      "own.json: unexpected EOF",
		fmt.Sprintf(`{"schema_version": %d, "settings": {}}`, run.SchemaVersion+1): "schema_version is 3: want 2",
		fmt.Sprintf(`{"schema_version": %d, "settings": {}}`, run.SchemaVersion-1): "schema_version is 1: want 2",
	} {
		put(t, config, text)
		if code, _, errs := age(t, "fit", "--dataset", planted, "--config", config); code != 2 || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d, %s, want %q", text, code, errs, want)
		}
	}
	if code, _, errs := age(t, "fit", "--config", "none.json"); code != 2 || !strings.Contains(errs, "--config: ") || !strings.Contains(errs, "none.json") {
		t.Errorf("no file: exit %d, %s", code, errs)
	}
}
