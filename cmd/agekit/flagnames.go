package main

import (
	"encoding/json"
	"errors"
	"os"
	"strings"

	"github.com/agekit/age/internal/message"
)

// optionFlags are the flags of the options that the packages' errors name.
var optionFlags = withSettings(map[message.Option]string{
	"out": "--out",

	"Source.Graph":              "--dataset",
	"Source.Edges":              "--edges",
	"Source.Neighbors":          "--knn",
	"Source.Nodes":              "--nodes",
	"Source.Features":           "--features",
	"Source.Labels":             "--labels",
	"Source.Schema":             "--schema",
	"Source.ID":                 "--id",
	"Source.Label":              "--label",
	"Source.Header":             "--header",
	"Source.RefuseDirected":     "--directed error",
	"Source.Project":            "--project",
	"Source.Columns.Text":       "--text",
	"Source.Columns.Category":   "--category",
	"Source.Columns.Number":     "--number",
	"Source.Columns.Only":       "--only",
	"Source.Columns.Drop":       "--drop",
	"Source.EdgeColumns.Source": "--source",
	"Source.EdgeColumns.Target": "--target",
	"Source.EdgeColumns.Weight": "--weight",
})

// withSettings adds the flags of all settings.
func withSettings(flags map[message.Option]string) map[message.Option]string {
	for _, s := range allSettings {
		flags[s.Name] = "--" + s.Flag
	}
	return flags
}

// flagOf returns the flag of an option, or its name if it has none.
func flagOf(name message.Option) string {
	if flag, ok := optionFlags[name]; ok {
		return flag
	}
	return string(name)
}

// inFlags returns warnings in the words of the command line.
func inFlags(warnings []message.Message) (texts []string) {
	for _, w := range warnings {
		texts = append(texts, w.In(flagOf))
	}
	return texts
}

// messagesVariable is the environment variable that says "json" if another program, such as the
// Python package, reads the warnings, the error and the progress: each is then a line of JSON, see [said] and
// [progress.JSON].
const messagesVariable = "AGEKIT_MESSAGES"

func forProgram() bool { return os.Getenv(messagesVariable) == "json" }

// said is a warning or the error of a command for another program. Texts alternate with options
// ({"option": NAME}), which that program calls by names of its own.
type said struct {
	Warning []any            `json:"warning,omitempty"`
	Error   []any            `json:"error,omitempty"`
	Advice  []message.Advice `json:"advice,omitempty"`
}

// warningLine returns the line on standard error for a warning.
func warningLine(m message.Message) string {
	if !forProgram() {
		return "warning: " + m.In(flagOf)
	}
	return said{Warning: saidParts(m), Advice: m.Advice}.line()
}

// errorLine returns the line on standard error for the error of a command.
func errorLine(err error) string {
	if !forProgram() {
		return message.Shorten("agekit: " + message.In(err, flagOf))
	}
	line := said{Error: []any{message.Shorten(err.Error())}}
	var about *message.Error
	if errors.As(err, &about) {
		before, after, _ := strings.Cut(err.Error(), about.Error())
		line = said{Error: saidParts(about.Message), Advice: about.Advice}
		line.Error = append([]any{before}, append(line.Error, after)...)
	} else if flag, rest, ok := strings.Cut(err.Error(), ": "); ok { // of a value that kong could not read
		for name, optionFlag := range optionFlags {
			if optionFlag == flag {
				line.Error = []any{saidOption(name), message.Shorten(": " + rest)}
			}
		}
	}
	return line.line()
}

func saidParts(m message.Message) (parts []any) {
	for _, part := range m.Parts() {
		if name, ok := part.(message.Option); ok {
			part = saidOption(name)
		}
		parts = append(parts, part)
	}
	return parts
}

func saidOption(name message.Option) any { return map[string]message.Option{"option": name} }

func (s said) line() string {
	line, _ := json.Marshal(s) // texts alone
	return string(line)
}
