package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"text/template"

	"github.com/alecthomas/kong"

	"github.com/agekit/age/agekit/views"
	"github.com/agekit/age/internal/setting"
)

// settingsCmd is `agekit settings`.
type settingsCmd struct {
	Python bool `required:"" help:"Print python/agekit/_settings.py."`
}

// Run prints the settings.
func (*settingsCmd) Run(rt *Runtime) error {
	text, err := pythonSettings(newParser(io.Discard, io.Discard, func(int) {}).Model, allSettings)
	if err == nil {
		_, err = io.WriteString(rt.Stdout, text)
	}
	return err
}

// pythonTemplate is python/agekit/_settings.py without what follows from the settings.
//
//go:embed settings.py.tmpl
var pythonTemplate string

// pythonSetting is a setting in Python.
type pythonSetting struct {
	Name, Flag string
	Type       string // an annotation
	Default    string
	Kinds      string // a tuple of the types of its values
	Words      string // a tuple of the texts that it takes, where these are known
	Help       []string
}

// pythonSettings returns the module of the Python package with the settings of agekit fit.
// random_state is the seed there.
func pythonSettings(app *kong.Application, all []setting.Setting) (string, error) {
	help := map[string]string{}
	for _, f := range fitFlags(app) {
		help[f.Name] = f.Help
	}
	var found []pythonSetting
	for _, s := range all {
		if s.Name == "seed" {
			continue
		}
		p := pythonSetting{Name: string(s.Name), Flag: s.Flag, Default: "None", Words: tuple(slices.Concat(s.Values, s.Words)), Help: wrapped(help[s.Flag], 82)}
		switch {
		case s.Type == reflect.TypeFor[views.Range]():
			p.Type, p.Kinds, p.Words = "int | tuple[int, int]", "int, tuple", `"auto",`
		case s.Type.Kind() == reflect.Bool:
			p.Type, p.Kinds, p.Default = "bool", "bool,", "False"
		case s.Type.Kind() == reflect.Pointer:
			p.Type, p.Kinds = "bool", "bool,"
		case s.Type.Kind() == reflect.Int:
			p.Type, p.Kinds = "int", "int,"
		case s.Type.Kind() == reflect.Float64:
			p.Type, p.Kinds = "float", "float,"
		case s.Values == nil:
			p.Type, p.Kinds = "str", "str,"
		}
		if words := slices.DeleteFunc(strings.Split(strings.TrimSuffix(p.Words, ","), ", "), func(w string) bool { return w == `"0"` || w == "" }); len(words) > 0 {
			p.Type = strings.TrimPrefix(p.Type+" | Literal["+strings.Join(words, ", ")+"]", " | ")
			p.Words = strings.Join(words, ", ") + ","
		} else {
			p.Words = ""
		}
		if p.Default == "None" {
			p.Type += " | None"
		}
		found = append(found, p)
	}
	var b strings.Builder
	err := template.Must(template.New("").Parse(pythonTemplate)).Execute(&b, found)
	return b.String(), err
}

// tuple returns the inside of a tuple of texts.
func tuple(texts []string) string {
	var b strings.Builder
	for _, text := range texts {
		quoted, _ := json.Marshal(text) // a text
		fmt.Fprintf(&b, "%s, ", quoted)
	}
	return strings.TrimSuffix(b.String(), " ")
}

// wrapped returns the lines of a text of words.
func wrapped(text string, width int) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len([]rune(line+" "+word)) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(lines, line)
}
