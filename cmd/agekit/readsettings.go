package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/internal/files"
)

// readSettings returns the settings in a file: the field "settings" of a run.json, or of a
// JSON file with that field alone. Numbers are [json.Number]. Errors name the file, and
// fields that no run.json has.
func readSettings(path string) (map[string]any, error) {
	text, err := files.ReadFile(path, files.MostRecords)
	if err != nil {
		return nil, err
	}
	failed := func(format string, args ...any) error {
		return fmt.Errorf("%s: %w", files.ShortPath(path), fmt.Errorf(format, args...))
	}
	var head struct {
		SchemaVersion int            `json:"schema_version"`
		Settings      map[string]any `json:"settings"`
	}
	numbers := json.NewDecoder(bytes.NewReader(text))
	numbers.UseNumber()
	if err := numbers.Decode(&head); err != nil {
		return nil, failed("%w", err)
	}
	if head.SchemaVersion > run.SchemaVersion {
		return nil, failed("schema_version is %d: want at most %d, or a newer agekit", head.SchemaVersion, run.SchemaVersion)
	}
	all := json.NewDecoder(bytes.NewReader(text))
	all.DisallowUnknownFields()
	if err := all.Decode(&run.Record{}); err != nil {
		return nil, failed("%s: want the fields of run.json, of which settings counts", strings.TrimPrefix(err.Error(), "json: "))
	}
	if head.Settings == nil {
		return nil, failed(`no field settings: want run.json of agekit fit --out, or such as {"settings": {"clusters": 3, "layers": 2}}`)
	}
	return head.Settings, nil
}
