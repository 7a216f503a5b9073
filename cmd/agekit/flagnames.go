package main

import (
	"regexp"
	"strings"
)

// reworded is an error of the packages in the words of the command line.
type reworded struct {
	error
	words func(string) string
}

func (e reworded) Error() string { return e.words(e.error.Error()) }

func (e reworded) Unwrap() error { return e.error }

// settingFlags replaces the settings of a run by the flags that set them.
var settingFlags = strings.NewReplacer(
	"pos_start", "--pos-start", "pos_end", "--pos-end", "neg_start", "--neg-start", "neg_end", "--neg-end",
	"batch_size", "--batch", "update_every", "--update", "learning_rate", "--learning-rate", "epoch_pairs", "--epoch-pairs",
	"lower dims", "lower --dims", "clusters is ", "--clusters is ", "sample is ", "--sample is ",
).Replace

var sourceField = regexp.MustCompile(`\bSource\.(?:Columns\.|EdgeColumns\.)?([A-Z]\w*)`)

// sourceFlags replaces the names of fields of [input.Source] by the flags'.
func sourceFlags(text string) string {
	return sourceField.ReplaceAllStringFunc(text, func(field string) string {
		switch name := sourceField.FindStringSubmatch(field)[1]; name {
		case "Graph":
			return "--dataset"
		case "Neighbors":
			return "--knn"
		case "RefuseDirected":
			return "--directed error"
		default:
			return "--" + strings.ToLower(name)
		}
	})
}
