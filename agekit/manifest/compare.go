package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agekit/age/agekit/npz"
	"github.com/agekit/age/internal/limit"
	"github.com/agekit/age/internal/numpy"
)

// Same and NotCompared are what [Compare] says of files without a difference.
const (
	Same        = "same bytes"
	SameResults = "same but for times and memory"
	NotCompared = "not compared: it holds times"
)

// mostCompared is the size of the largest file that is compared, in bytes: none is too large.
const mostCompared = 1 << 50

// Compare says by how much a second run's file differs from the first's, and whether that
// counts: arrays by their largest difference, text by the lines that differ and the largest
// difference of their numbers, others by bytes. Files that hold times are compared without
// them if they are JSON, and else not at all.
func Compare(first, second string, f File) (says string, same bool, err error) {
	a, err := limit.ReadFile(first, mostCompared)
	if err != nil {
		return "", false, err
	}
	b, err := limit.ReadFile(second, mostCompared)
	if err != nil {
		return "", false, err
	}
	if f.Grows {
		a = a[:min(int64(len(a)), f.Bytes)]
	}
	if bytes.Equal(a, b) {
		return Same, true, nil
	}
	if f.Timed {
		return compareTimed(filepath.Ext(f.Path), a, b)
	}
	switch extension := filepath.Ext(f.Path); {
	case extension == ".npy" || extension == ".npz":
		says, err = compareArrays(extension, a, b)
	case utf8.Valid(a) && utf8.Valid(b):
		says = compareText(string(a), string(b))
	default:
		says = compareBytes(a, b)
	}
	return says, false, err
}

func compareBytes(a, b []byte) string {
	differ := max(len(a), len(b)) - min(len(a), len(b))
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			differ++
		}
	}
	return fmt.Sprintf("%d of %d bytes differ", differ, max(len(a), len(b)))
}

// largest is the largest difference of two numbers among many.
type largest struct {
	size  float64
	count int // of the numbers that differ
	all   int
}

func (l *largest) add(a, b float64) {
	l.all++
	if a == b || math.IsNaN(a) && math.IsNaN(b) {
		return
	}
	l.count++
	if d := math.Abs(a - b); d > l.size || math.IsNaN(d) {
		l.size = d
	}
}

func (l largest) String() string {
	return fmt.Sprintf("%d of %d numbers differ, by at most %.3g", l.count, l.all, l.size)
}

func compareArrays(extension string, a, b []byte) (string, error) {
	var l largest
	each := func(one, other *numpy.Array) error {
		x, err := numpy.Values[float64](one)
		if err != nil {
			return err
		}
		y, err := numpy.Values[float64](other)
		if err != nil {
			return err
		}
		if len(x) != len(y) {
			return errSizes
		}
		for i := range x {
			l.add(x[i], y[i])
		}
		return nil
	}
	var err error
	if extension == ".npy" {
		err = readBoth(a, b, each)
	} else {
		err = compareArchives(a, b, each)
	}
	switch {
	case errors.Is(err, errSizes):
		return err.Error(), nil
	case err != nil:
		return "", err
	case l.count == 0:
		return "the arrays are the same, but not their file", nil
	}
	return l.String(), nil
}

var errSizes = errors.New("arrays of other names or sizes")

func readBoth(a, b []byte, each func(one, other *numpy.Array) error) error {
	one, err := numpy.Open(bytes.NewReader(a), int64(len(a)))
	if err != nil {
		return err
	}
	other, err := numpy.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return err
	}
	return each(one, other)
}

func compareArchives(a, b []byte, each func(one, other *numpy.Array) error) error {
	first, err := npz.Open(bytes.NewReader(a), int64(len(a)))
	if err != nil {
		return err
	}
	second, err := npz.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return err
	}
	if strings.Join(first.Names(), "\n") != strings.Join(second.Names(), "\n") {
		return errSizes
	}
	for _, name := range first.Names() {
		err := first.Read(name, func(one *numpy.Array) error {
			return second.Read(name, func(other *numpy.Array) error { return each(one, other) })
		})
		if err != nil {
			return err
		}
	}
	return nil
}

var number = regexp.MustCompile(`[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?`)

func compareText(a, b string) string {
	x, y := strings.Split(strings.TrimSuffix(a, "\n"), "\n"), strings.Split(strings.TrimSuffix(b, "\n"), "\n")
	differ, words := max(len(x), len(y))-min(len(x), len(y)), len(x) != len(y)
	var l largest
	for i := range min(len(x), len(y)) {
		if x[i] == y[i] {
			continue
		}
		differ++
		if number.ReplaceAllString(x[i], "#") != number.ReplaceAllString(y[i], "#") {
			words = true
			continue
		}
		others := number.FindAllString(y[i], -1)
		for k, text := range number.FindAllString(x[i], -1) {
			one, _ := strconv.ParseFloat(text, 64) // the pattern is a number
			other, _ := strconv.ParseFloat(others[k], 64)
			l.add(one, other)
		}
	}
	says := fmt.Sprintf("%d of %d lines differ", differ, max(len(x), len(y)))
	if words {
		return says + ", also in words"
	}
	return says + fmt.Sprintf(", their numbers by at most %.3g", l.size)
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

func compareTimed(extension string, a, b []byte) (says string, same bool, err error) {
	if extension != ".json" && extension != ".jsonl" {
		return NotCompared, true, nil
	}
	first, err := withoutTimes(a)
	if err != nil {
		return "", false, err
	}
	second, err := withoutTimes(b)
	if err != nil {
		return "", false, err
	}
	if len(second) == 0 {
		return "the second run has no results", false, nil
	}
	differ, missing := 0, 0
	for key, text := range second { // which may have fewer results than a file of several runs
		switch other, ok := first[key]; {
		case !ok:
			missing++
		case text != other:
			differ++
		}
	}
	switch {
	case missing > 0:
		return fmt.Sprintf("%d of %d results are not in the first run", missing, len(second)), false, nil
	case differ > 0 && extension == ".json":
		return compareText(first[""], second[""]), false, nil
	case differ > 0:
		return fmt.Sprintf("%d of %d results differ", differ, len(second)), false, nil
	}
	return SameResults, true, nil
}

// withoutTimes returns the JSON values in a text without times, by their hash.
func withoutTimes(text []byte) (map[string]string, error) {
	all := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		d.UseNumber()
		var value map[string]any
		err := d.Decode(&value)
		if errors.Is(err, io.EOF) {
			return all, nil
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
		encoded, err := json.MarshalIndent(value, "", " ")
		if err != nil {
			return nil, err
		}
		all[hash] = string(encoded)
	}
}

// CompareFolders compares each output of a manifest with the file of the same name in
// another folder.
func (m *Manifest) CompareFolders(first, second string) (findings []Finding, err error) {
	for _, f := range m.Outputs {
		path, err := at(first, f)
		if err != nil {
			return nil, err
		}
		other, _ := at(second, f)
		if _, err := os.Stat(other); err != nil {
			findings = append(findings, Finding{f.Path, Missing, "the second run did not write it"})
			continue
		}
		says, same, err := Compare(path, other, f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Path, err)
		}
		state := OK
		if !same {
			state = Changed
		}
		findings = append(findings, Finding{f.Path, state, says})
	}
	return findings, nil
}
