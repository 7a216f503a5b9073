package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Runtime is passed to every command: when to stop and where to write.
type Runtime struct {
	Context        context.Context
	Stdout, Stderr io.Writer
}

// usageError is an error in the command line itself; the exit code is 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// misused returns a usageError with a formatted message.
func misused(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

// exitCode is 0 for success, 1 for failure and 2 for misuse.
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

// emit writes value as indented JSON if asJSON is set, else what text prints.
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
