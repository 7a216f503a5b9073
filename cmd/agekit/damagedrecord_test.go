package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/report"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/internal/testutil"
)

// damages are what a value of run.json is replaced with; nil is null, and removed takes it away.
var damages = []any{nil, removed{}, "x", -1, []any{}}

type removed struct{}

// isRemoved reports whether v is removed; v may be a value that cannot be compared.
func isRemoved(v any) bool { _, ok := v.(removed); return ok }

// TestDamagedRecord replaces each value of a run.json, of each depth (of a list, the first value), with null, nothing
// and values of other types: agekit compare and agekit report end in no panic, and an error about a null names the
// file and the field.
func TestDamagedRecord(t *testing.T) {
	isolate(t)
	dir := ownTables(t)
	t.Chdir(dir)
	fit := []string{"fit", "--nodes", "nodes.csv", "--edges", "edges.csv", "--label", "a"}
	succeeds(t, append(fit, "--clusters", "2..3", "--view", "age", "--out", "run")...)
	succeeds(t, append(fit, "--from", "run", "--out", "later")...)
	path := filepath.Join("later", "run.json")
	good := read(t, path)
	whole := testutil.Value(run.Load(t.Context(), "later")).OrFatal(t)

	// look returns what a person gets to see of the run: an error, or its comparison and its page.
	look := func() (err error) {
		r, err := run.Load(t.Context(), "later")
		if err != nil {
			return err
		}
		c, err := compareRuns(whole, r)
		if err != nil {
			return err
		}
		var text bytes.Buffer
		(&compareCmd{First: "run", Second: "later"}).print(&text, c)
		page, err := report.New(t.Context(), r)
		if err != nil {
			return err
		}
		return page.Write(&text)
	}
	tried := 0
	// damage replaces the value at a path of the record, which set writes, and what is in the value.
	var damage func(name string, value any, set func(v any))
	damage = func(name string, value any, set func(v any)) {
		for _, v := range damages {
			set(v)
			func() {
				defer func() {
					if p := recover(); p != nil {
						t.Errorf("%s is %#v: panic: %v", name, v, p)
					}
				}()
				tried++
				err := look()
				if err != nil && v == nil && strings.Contains(err.Error(), "is null") && !strings.Contains(err.Error(), "later/run.json: "+name) {
					t.Errorf("%s is null: %v", name, err)
				}
			}()
		}
		set(value)
		if name == "settings" { // of any form
			return
		}
		switch inside := value.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(inside)) {
				damage(strings.TrimPrefix(name+"."+key, "."), inside[key], func(v any) {
					if inside[key] = v; isRemoved(v) {
						delete(inside, key)
					}
					set(inside)
				})
			}
		case []any:
			for i := range inside[:min(1, len(inside))] {
				damage(fmt.Sprintf("%s[%d]", name, i), inside[i], func(v any) {
					if inside[i] = v; isRemoved(v) {
						set(slices.Delete(slices.Clone(inside), i, i+1))
						return
					}
					set(inside)
				})
			}
		}
	}
	var record map[string]any
	testutil.NoError(t, json.Unmarshal(good, &record))
	for _, key := range slices.Sorted(maps.Keys(record)) {
		damage(key, record[key], func(v any) {
			all := maps.Clone(record)
			if all[key] = v; isRemoved(v) {
				delete(all, key)
			}
			put(t, path, string(testutil.Value(json.Marshal(all)).OrFatal(t)))
		})
	}
	if tried < 300 {
		t.Errorf("%d damages", tried)
	}
}

// TestNullScore: a score that is null is a gap, – in the text and on the page.
func TestNullScore(t *testing.T) {
	isolate(t)
	t.Chdir(ownTables(t))
	fit := []string{"fit", "--nodes", "nodes.csv", "--edges", "edges.csv", "--label", "a"}
	succeeds(t, slices.Concat(fit, quickRun, []string{"--out", "run"})...)
	var record map[string]any
	testutil.NoError(t, json.Unmarshal(read(t, "run/run.json"), &record))
	record["nmi"] = nil
	put(t, "run/run.json", string(testutil.Value(json.Marshal(record)).OrFatal(t)))
	if text, _ := succeeds(t, "compare", "run", "run"); !strings.Contains(text, "NMI") || !strings.Contains(text, "–") {
		t.Error(text)
	}
	succeeds(t, "report", "run")
	succeeds(t, append(fit, "--from", "run", "--out", "later")...)
	record["modularity"] = nil
	put(t, "run/run.json", string(testutil.Value(json.Marshal(record)).OrFatal(t)))
	for _, args := range []string{"compare run later", "report run", "fit --nodes nodes.csv --edges edges.csv --from run"} {
		if code, _, stderr := age(t, strings.Fields(args)...); code != 1 || !strings.Contains(stderr, "run.json: modularity is null: want a number") {
			t.Errorf("%s: exit %d: %s", args, code, stderr)
		}
	}
}
