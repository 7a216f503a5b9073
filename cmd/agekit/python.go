package main

import (
	_ "embed"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"unicode/utf8"

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
	Kinds      string   // the types of its values, as the items of a tuple
	Words      string   // the texts that it takes, as the items of a tuple; "" if it takes any or none
	Help       []string // in lines
}

// pythonSettings returns python/agekit/_settings.py, the module of the Python package with all these
// settings of agekit fit, and the help of app's flags. The seed is left out: it is random_state there.
func pythonSettings(app *kong.Application, all []setting.Setting) (string, error) {
	help := map[string]string{}
	for _, f := range fitFlags(app) {
		help[f.Name] = f.Help
	}
	const width = 82 // of a line of help
	var found []pythonSetting
	for _, s := range all {
		if s.Name == "seed" {
			continue
		}
		p := inPython(s)
		p.Help = wrapped(help[s.Flag], width)
		found = append(found, p)
	}
	var b strings.Builder
	err := template.Must(template.New("").Parse(pythonTemplate)).Execute(&b, found)
	return b.String(), err
}

// inPython returns a setting as Python has it, without help.
func inPython(s setting.Setting) pythonSetting {
	p := pythonSetting{Name: string(s.Name), Flag: s.Flag, Default: "None"}
	isNumber := func(word string) bool { return word == "0" } // which is no text in Python
	words := slices.DeleteFunc(slices.Clone(s.Words), isNumber)
	kind := s.Type.Kind()
	switch {
	case s.Type == reflect.TypeFor[views.Range]():
		p.Type, p.Kinds = "int | tuple[int, int]", "int, tuple"
		words = []string{"auto"}
	case kind == reflect.Bool:
		p.Type, p.Kinds = "bool", "bool,"
		p.Default = "False"
	case kind == reflect.Pointer: // *bool, nil if the program decides
		p.Type, p.Kinds = "bool", "bool,"
	case kind == reflect.Int:
		p.Type, p.Kinds = "int", "int,"
	case kind == reflect.Float64:
		p.Type, p.Kinds = "float", "float,"
	case s.Values != nil:
		p.Type, p.Kinds = "Literal["+quoted(s.Values)+"]", "str,"
	default:
		p.Type, p.Kinds = "str", "str,"
	}
	if len(words) > 0 {
		p.Type += " | Literal[" + quoted(words) + "]"
		p.Words = quoted(words) + ","
	}
	if p.Default == "None" {
		p.Type += " | None"
	}
	return p
}

// quoted returns texts in quotes, as Python writes them, with commas between them.
func quoted(texts []string) string {
	var all []string
	for _, text := range texts {
		all = append(all, strconv.Quote(text))
	}
	return strings.Join(all, ", ")
}

// wrapped returns the words of a text in lines of at most width characters.
func wrapped(text string, width int) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		longer := strings.TrimPrefix(line+" "+word, " ")
		if line != "" && utf8.RuneCountInString(longer) > width {
			lines = append(lines, line)
			longer = word
		}
		line = longer
	}
	return append(lines, line)
}
