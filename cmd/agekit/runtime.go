package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"

	"github.com/alecthomas/kong"

	"github.com/agekit/age/internal/message"
)

// Runtime is passed to every command: when to stop, where to write, and its flags.
type Runtime struct {
	Context        context.Context
	Stdout, Stderr io.Writer
	Flags          []*kong.Flag
}

// given returns the first of the named flags whose value is not its default, or "".
func (rt *Runtime) given(names ...string) string {
	for _, name := range names {
		k := slices.IndexFunc(rt.Flags, func(f *kong.Flag) bool { return f.Name == name })
		f := rt.Flags[k]
		unset := f.Default
		if !f.HasDefault {
			unset = fmt.Sprint(reflect.Zero(f.Target.Type()))
		}
		if fmt.Sprint(f.Target) != unset {
			return name
		}
	}
	return ""
}

// usageError is an error in the command line itself; the exit code is 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// misused returns a usageError with a formatted message, which may name options.
func misused(format string, args ...any) error {
	return usageError{message.Errorf(format, args...)}
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

// jsonFlag is the flag of the commands that print a report.
type jsonFlag struct {
	JSON bool `name:"json" key:"-" help:"Print JSON."`
}

// emit writes value as indented JSON if --json is given, else what text prints.
func (f jsonFlag) emit(rt *Runtime, value any, text func(io.Writer)) error {
	b := bufio.NewWriter(rt.Stdout)
	if !f.JSON {
		text(b)
		return b.Flush()
	}
	enc := json.NewEncoder(b)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return cmp.Or(enc.Encode(value), b.Flush())
}

// standardOutput keeps the first error of a writer, since a report that was lost must not end
// in exit code 0, and writes ? in place of control characters, which names and files of others
// may have and a terminal would obey. It changes bytes, unlike message.Printable, since a write
// may end within a letter.
type standardOutput struct {
	w   io.Writer
	err error
}

func (s *standardOutput) Write(p []byte) (int, error) {
	clean := bytes.Clone(p)
	for k, c := range clean {
		high := c >= 0x80 && c < 0xa0 && k > 0 && p[k-1] == 0xc2 // as UTF-8
		if high || c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
			clean[k] = '?'
		}
		if high {
			clean[k-1] = '?'
		}
	}
	n, err := s.w.Write(clean)
	if err != nil && s.err == nil {
		s.err = fmt.Errorf("standard output: %w", err)
	}
	return n, s.err
}
