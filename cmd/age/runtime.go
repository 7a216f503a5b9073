package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Runtime is what every command gets: when to stop and where to write.
type Runtime struct {
	Context        context.Context
	Stdout, Stderr io.Writer
}

// usageError is an error of the command line itself: the exit code is 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// misused returns a usageError with a formatted message.
func misused(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

// exitCode is 0 for done, 1 for failed and 2 for misused.
func exitCode(err error) int {
	var misuse usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &misuse):
		return 2
	}
	return 1
}

// emit writes value as indented JSON when asJSON is set, else what text prints.
func emit(rt *Runtime, asJSON bool, value any, text func(io.Writer)) error {
	if !asJSON {
		text(rt.Stdout)
		return nil
	}
	enc := json.NewEncoder(rt.Stdout)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(value)
}
