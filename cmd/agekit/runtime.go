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
		if !isDefault(rt.Flags[k]) {
			return name
		}
	}
	return ""
}

// givenIn returns the name of the first flag whose value is not its default, or "", of the flags
// that set a field of a command, or a field of an embedded struct: fields are pointers to them.
func (rt *Runtime) givenIn(fields ...any) string {
	for _, field := range fields {
		v := reflect.ValueOf(field)
		first, size := v.Pointer(), v.Type().Elem().Size()
		for _, f := range rt.Flags {
			address := f.Target.Addr().Pointer()
			if address >= first && address < first+size && !isDefault(f) {
				return f.Name
			}
		}
	}
	return ""
}

// isDefault reports whether the value of a flag is its default, or zero without one.
func isDefault(f *kong.Flag) bool {
	unset := f.Default
	if !f.HasDefault {
		unset = fmt.Sprint(reflect.Zero(f.Target.Type()))
	}
	return fmt.Sprint(f.Target) == unset
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
	for k, c := range p {
		switch {
		case c < ' ' && c != '\n' && c != '\t' || c == 0x7f:
			clean[k] = '?'
		case k > 0 && p[k-1] == 0xc2 && c >= 0x80 && c < 0xa0: // U+0080 to U+009F, in UTF-8
			clean[k-1], clean[k] = '?', '?'
		}
	}
	n, err := s.w.Write(clean)
	if err != nil && s.err == nil {
		s.err = fmt.Errorf("standard output: %w", err)
	}
	return n, s.err
}
