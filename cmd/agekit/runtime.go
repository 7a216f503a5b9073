package main

import (
	"bytes"
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
	var b bytes.Buffer
	if asJSON {
		enc := json.NewEncoder(&b)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		if err := enc.Encode(value); err != nil {
			return err
		}
	} else {
		text(&b)
	}
	_, err := rt.Stdout.Write(b.Bytes())
	return err
}

// standardOutput keeps the first error of a writer, since a report that was
// lost must not end in exit code 0.
type standardOutput struct {
	w   io.Writer
	err error
}

func (s *standardOutput) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	if err != nil && s.err == nil {
		s.err = fmt.Errorf("standard output: %w", err)
	}
	return n, s.err
}
