package main

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/agekit/age/internal/message"
)

// optionFlags has the flag of each option that errors and warnings of the packages name.
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
	"Source.Header=false":       "--no-header",
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

// withSettings adds the flags of all settings to flags, and returns flags.
func withSettings(flags map[message.Option]string) map[message.Option]string {
	for _, s := range allSettings {
		flags[s.Name] = "--" + s.Flag
	}
	return flags
}

// flagOf returns the flag of an option, or the option's name if it has no flag.
func flagOf(name message.Option) string {
	if flag, ok := optionFlags[name]; ok {
		return flag
	}
	return string(name)
}

// inFlags returns the texts of warnings, in which options are called by their flags.
func inFlags(warnings []message.Message) (texts []string) {
	for _, w := range warnings {
		texts = append(texts, w.In(flagOf))
	}
	return texts
}

// messagesVariable is the environment variable that says "json" if another program, such as the
// Python package, reads the warnings, the error and the progress: each is then a line of JSON, see
// [jsonMessage] and [progress.JSON].
const messagesVariable = "AGEKIT_MESSAGES"

// forProgram reports whether another program reads the messages.
func forProgram() bool { return os.Getenv(messagesVariable) == "json" }

// jsonMessage is a warning or the error of a command for another program, as its parts: texts, and
// options ({"option": NAME}), which that program calls by names of its own.
type jsonMessage struct {
	Warning []any            `json:"warning,omitempty"`
	Error   []any            `json:"error,omitempty"`
	Advice  []message.Advice `json:"advice,omitempty"`
}

// warningLine returns the line on standard error for a warning.
func warningLine(m message.Message) string {
	if !forProgram() {
		return "warning: " + m.In(flagOf)
	}
	return jsonMessage{Warning: jsonParts(m), Advice: m.Advice}.line()
}

// errorLine returns the line on standard error for the error of a command: for another program as JSON.
func errorLine(err error) string {
	if !forProgram() {
		return message.Shorten("agekit: " + message.In(err, flagOf))
	}
	var withOptions *message.Error
	if errors.As(err, &withOptions) {
		before, after, _ := strings.Cut(err.Error(), withOptions.Error()) // what it is wrapped in
		parts := slices.Concat([]any{before}, jsonParts(withOptions.Message), []any{after})
		return jsonMessage{Error: parts, Advice: withOptions.Advice}.line()
	}
	parts := []any{message.Shorten(err.Error())}
	if flag, problem, ok := strings.Cut(err.Error(), ": "); ok { // if kong could not read the value of a flag
		for name, optionFlag := range optionFlags {
			if optionFlag == flag {
				parts = []any{jsonOption(name), message.Shorten(": " + problem)}
			}
		}
	}
	return jsonMessage{Error: parts}.line()
}

// jsonParts returns the parts of a message, with options as jsonOption writes them.
func jsonParts(m message.Message) (parts []any) {
	for _, part := range m.Parts() {
		if name, ok := part.(message.Option); ok {
			part = jsonOption(name)
		}
		parts = append(parts, part)
	}
	return parts
}

// jsonOption returns an option as a part of a [jsonMessage].
func jsonOption(name message.Option) any { return map[string]message.Option{"option": name} }

// line returns the message as a line of JSON.
func (m jsonMessage) line() string {
	line, _ := json.Marshal(m) // it has texts alone, which cannot fail
	return string(line)
}
