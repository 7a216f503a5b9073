package main

import (
	"bufio"
	"bytes"
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

// Runtime is passed to every command.
type Runtime struct {
	Context        context.Context // when to stop
	Stdout, Stderr io.Writer       // where to write
	Flags          []*kong.Flag    // those that the command has, given or not
}

// given returns the first name of a flag whose value is not its default, or "". The command must have all
// of these flags.
func (rt *Runtime) given(names ...string) string {
	for _, name := range names {
		k := slices.IndexFunc(rt.Flags, func(f *kong.Flag) bool { return f.Name == name })
		if !isDefault(rt.Flags[k]) {
			return name
		}
	}
	return ""
}

// givenIn returns the name of the first flag whose value is not its default, or "". The flags are those
// that set one of some variables: fields are pointers to fields of a command, or to structs embedded in
// one, all of whose fields count.
func (rt *Runtime) givenIn(fields ...any) string {
	for _, field := range fields {
		v := reflect.ValueOf(field)
		begin, size := v.Pointer(), v.Type().Elem().Size()
		for _, f := range rt.Flags {
			address := f.Target.Addr().Pointer() // of the variable that the flag sets
			if address >= begin && address < begin+size && !isDefault(f) {
				return f.Name
			}
		}
	}
	return ""
}

// isDefault reports whether the value of a flag is its default, or zero if the flag has no default.
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

// emit writes the report of a command to standard output: value as indented JSON if --json is given, or
// else what text prints.
func (f jsonFlag) emit(rt *Runtime, value any, text func(io.Writer)) error {
	b := bufio.NewWriter(rt.Stdout)
	if !f.JSON {
		text(b)
		return b.Flush()
	}
	enc := json.NewEncoder(b)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return err
	}
	return b.Flush()
}

// standardOutput writes to w and keeps the first error, since a report that was lost must not end in exit
// code 0. It writes ? in place of control characters, which names and files of others may have and a
// terminal would obey.
type standardOutput struct {
	w   io.Writer
	err error // the first one
}

// Write looks at bytes, unlike message.Printable, since p may end within a letter.
func (s *standardOutput) Write(p []byte) (int, error) {
	clean := bytes.Clone(p)
	for k, c := range p {
		switch {
		case c < ' ' && c != '\n' && c != '\t' || c == 0x7f:
			clean[k] = '?'
		case k > 0 && p[k-1] == 0xc2 && c >= 0x80 && c < 0xa0: // the two bytes of U+0080 to U+009F in UTF-8
			clean[k-1], clean[k] = '?', '?'
		}
	}
	n, err := s.w.Write(clean)
	if err != nil && s.err == nil {
		s.err = fmt.Errorf("standard output: %w", err)
	}
	return n, s.err
}
