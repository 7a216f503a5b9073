package main

import (
	_ "embed"
	"strings"

	"github.com/alecthomas/kong"
)

// details are the second parts of the commands' help, each below a line with # and the
// command.
//
//go:embed help.txt
var details string

// addDetails gives the commands the second part of their help.
func addDetails(k *kong.Kong) error {
	texts := map[string]string{}
	for section := range strings.SplitSeq("\n"+details, "\n# ") {
		command, text, _ := strings.Cut(section, "\n")
		texts[command] = strings.TrimSuffix(text, "\n")
	}
	return kong.Visit(k.Model, func(v kong.Visitable, next kong.Next) error {
		if n, ok := v.(*kong.Node); ok {
			n.Detail = texts[n.Path()]
		}
		return next(nil)
	})
}
