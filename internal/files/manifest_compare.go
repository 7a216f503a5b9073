package files

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"unicode/utf8"
)

// What compareFile says of files without a difference.
const (
	sameBytes   = "same bytes"
	sameResults = "same but for times and memory"
	notCompared = "not compared: it holds times"
)

// mostCompared is the size of the largest file that is compared, in bytes: none is too large.
const mostCompared = 1 << 50

// compareFile says by how much a second run's file differs from the first's, and whether that
// counts. Of files that hold times, JSON is compared without them, and others are not.
func compareFile(first, second string, f ManifestFile) (says string, same bool, err error) {
	a, err := ReadFile(first, mostCompared)
	if err != nil {
		return "", false, err
	}
	b, err := ReadFile(second, mostCompared)
	if err != nil {
		return "", false, err
	}
	if f.Grows {
		a = a[:min(int64(len(a)), f.Bytes)]
	}
	extension := filepath.Ext(f.Path)
	switch {
	case bytes.Equal(a, b):
		return sameBytes, true, nil
	case f.Timed && extension != ".json" && extension != ".jsonl":
		return notCompared, true, nil
	case f.Timed:
		return compareTimed(a, b)
	}
	says, err = difference(extension, a, b)
	return says, false, err
}

// difference says by how much the numbers in two files differ, or that more than these does.
func difference(extension string, a, b []byte) (string, error) {
	rest, x, err := content(extension, a)
	if err != nil {
		return "", err
	}
	other, y, err := content(extension, b)
	if err != nil {
		return "", err
	}
	if rest != other || len(x) != len(y) {
		return fmt.Sprintf("%d bytes instead of %d, which differ in more than their numbers", len(b), len(a)), nil
	}
	differ, most := 0, 0.
	for k := range x {
		if x[k] == y[k] || math.IsNaN(x[k]) && math.IsNaN(y[k]) {
			continue
		}
		differ++
		if d := math.Abs(x[k] - y[k]); d > most || math.IsNaN(d) {
			most = d
		}
	}
	return fmt.Sprintf("%d of %d numbers differ, by at most %.3g", differ, len(x), most), nil
}

var number = regexp.MustCompile(`[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?`)

// content returns the numbers in a file of arrays or of text, and what else the file says.
func content(extension string, data []byte) (rest string, numbers []float64, err error) {
	add := func(a *Array) error {
		values, err := ArrayValues[float64](a)
		rest, numbers = rest+fmt.Sprintln(a.Shape), append(numbers, values...)
		return err
	}
	switch {
	case extension == ".npy":
		a, err := OpenArray(bytes.NewReader(data), int64(len(data)))
		if err == nil {
			err = add(a)
		}
		return rest, numbers, err
	case extension == ".npz":
		archive, err := OpenArchive(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return "", nil, err
		}
		for _, name := range archive.Names() {
			rest += name
			if err := archive.Read(name, add); err != nil {
				return "", nil, err
			}
		}
	case utf8.Valid(data):
		rest = number.ReplaceAllStringFunc(string(data), func(text string) string {
			v, _ := strconv.ParseFloat(text, 64) // the pattern is a number
			numbers = append(numbers, v)
			return "#"
		})
	default:
		rest = string(data)
	}
	return rest, numbers, nil
}

// These fields of run.json, wherever they are, and of results tell no result: no second run
// repeats them, and another build has another "code".
var (
	timedFields       = []string{"seconds", "peak_rss_bytes"}
	timedResultFields = []string{"started", "bytes", "code"}
)

// dropTimes removes the timed fields from a JSON value.
func dropTimes(value any) {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range timedFields {
			delete(v, name)
		}
		for _, inner := range v {
			dropTimes(inner)
		}
	case []any:
		for _, inner := range v {
			dropTimes(inner)
		}
	}
}

// compareTimed compares JSON values without their times: those of the second run with those
// of the first that have the same hash, if they have one.
func compareTimed(a, b []byte) (says string, same bool, err error) {
	first, err := timeless(a)
	if err != nil {
		return "", false, err
	}
	second, err := timeless(b)
	if err != nil {
		return "", false, err
	}
	if len(second) == 0 {
		return "the second run has no results", false, nil
	}
	var found, want []byte
	for _, hash := range slices.Sorted(maps.Keys(second)) {
		if first[hash] == nil {
			return "results that are not in the first run", false, nil
		}
		found, want = append(found, second[hash]...), append(want, first[hash]...)
	}
	if bytes.Equal(found, want) {
		return sameResults, true, nil
	}
	says, err = difference(".json", want, found)
	return says, false, err
}

// timeless returns the JSON values in a text without times, by their hash.
func timeless(text []byte) (map[string][]byte, error) {
	values := map[string][]byte{}
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		d.UseNumber()
		var value map[string]any
		err := d.Decode(&value)
		if errors.Is(err, io.EOF) {
			return values, nil
		}
		if err != nil {
			return nil, err
		}
		dropTimes(value)
		hash, _ := value["hash"].(string)
		if hash != "" {
			for _, name := range timedResultFields {
				delete(value, name)
			}
		}
		if values[hash], err = json.Marshal(value); err != nil {
			return nil, err
		}
	}
}

// CompareFolders compares each output of a manifest with the file of the same name in
// another folder.
func (m *Manifest) CompareFolders(first, second string) (findings []Finding, err error) {
	for _, f := range m.Outputs {
		path, err := outputPath(first, f)
		if err != nil {
			return nil, err
		}
		other, _ := outputPath(second, f)
		if _, err := os.Stat(other); err != nil {
			findings = append(findings, Finding{f.Path, fileMissing, "the second run did not write it"})
			continue
		}
		says, same, err := compareFile(path, other, f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Path, err)
		}
		state := FileOK
		if !same {
			state = fileChanged
		}
		findings = append(findings, Finding{f.Path, state, says})
	}
	return findings, nil
}
