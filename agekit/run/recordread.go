package run

import (
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// readRecord reads run.json from its text. A field that is missing is zero, as in files of before there was the field.
// The error for one of another type, null where there must be a value among them, names the field.
func readRecord(text []byte) (r Record, err error) {
	var loose any
	if err := json.Unmarshal(text, &loose); err != nil {
		return r, err
	}
	if err := checkNull(loose, reflect.TypeFor[Record](), ""); err != nil {
		return r, err
	}
	err = json.Unmarshal(text, &r)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		err = fmt.Errorf("%s is %s: want %s", cmp.Or(wrong.Field, "the record"), withArticle(wrong.Value), inJSONWords(wrong.Type))
	}
	if err == nil {
		err = r.check()
	}
	return r, err
}

// check returns an error if parts of the record do not go together, as in a file that somebody has changed.
func (r *Record) check() error {
	c := r.Columns
	switch {
	case (c.Confidence == "") != (c.Outlier == ""):
		return fmt.Errorf("columns.confidence is %q, columns.outlier %q: want both or none", c.Confidence, c.Outlier)
	case (c.X == "") != (c.Y == ""):
		return fmt.Errorf("columns.x is %q, columns.y %q: want both or none", c.X, c.Y)
	}
	if r.Training != nil {
		for i, curve := range r.Curves {
			if len(curve.Epochs) != len(curve.DBI) {
				return fmt.Errorf("training[%d].epochs has %d values, training[%d].dbi %d: want as many", i, len(curve.Epochs), i, len(curve.DBI))
			}
		}
	}
	k := len(r.Clusters)
	if joins := len(r.Tree); joins > 0 && joins != k-1 {
		return fmt.Errorf("tree has %d joins: want %d for %d clusters", joins, max(0, k-1), k)
	}
	joined := map[int]bool{}
	for i, join := range r.Tree {
		for _, part := range []int{join.Left, join.Right} {
			if part < 0 || part >= k+i || joined[part] {
				return fmt.Errorf("tree[%d] joins %d: want a cluster, or an earlier join, that is not joined yet", i, part)
			}
			joined[part] = true
		}
	}
	return nil
}

// checkNull returns an error if a value of JSON, which will be read as the type t, is or has a null where t takes
// none: [json.Unmarshal] would leave a zero there, which is a value like any other. path names the value.
func checkNull(value any, t reflect.Type, path string) error {
	optional := false
	for t.Kind() == reflect.Pointer {
		t, optional = t.Elem(), true
	}
	switch kind := t.Kind(); {
	case value == nil:
		if optional || kind == reflect.Slice || kind == reflect.Map || kind == reflect.Interface {
			return nil
		}
		return fmt.Errorf("%s is null: want %s", cmp.Or(path, "the record"), inJSONWords(t))
	case kind == reflect.Struct:
		fields, ok := value.(map[string]any)
		if !ok {
			return nil // json.Unmarshal says it better
		}
		for _, f := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if inside, ok := fields[name]; ok && name != "" && name != "-" {
				if err := checkNull(inside, f.Type, strings.TrimPrefix(path+"."+name, ".")); err != nil {
					return err
				}
			}
		}
	case kind == reflect.Slice || kind == reflect.Array:
		items, _ := value.([]any)
		for i, item := range items {
			if err := checkNull(item, t.Elem(), fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	case kind == reflect.Map && t.Elem().Kind() != reflect.Interface:
		items, _ := value.(map[string]any)
		for key, item := range items {
			if err := checkNull(item, t.Elem(), path+"."+key); err != nil {
				return err
			}
		}
	}
	return nil
}

// inJSONWords returns what a value of JSON that is read as type t must be, with its article.
func inJSONWords(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return "a text"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a text"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "an object"
	case reflect.Float32, reflect.Float64:
		return "a number"
	}
	return "an integer"
}

// withArticle returns the name that [json.UnmarshalTypeError] has for a value of JSON, such as "number 1.5" or "string".
func withArticle(value string) string {
	switch word, number, _ := strings.Cut(value, " "); {
	case number != "":
		return number
	case word == "bool":
		return "true or false"
	case word == "string":
		return "a text"
	case word == "array":
		return "a list"
	case word == "object":
		return "an object"
	}
	return "a " + value
}
