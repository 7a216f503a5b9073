package message

import (
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"testing"
)

var flags = map[Option]string{"dims": "--dims", "Source.Columns.Drop": "--drop", "Source.ID": "--id"}

// flag returns the name of an option in the program.
func flag(n Option) string { return flags[n] }

// TestError: an error, wrapped in another one, names its options as the package does, or by flags where In
// is asked for them. The options and parts of the error are found, and the error that it wraps. In
// leaves an error without options as it is.
func TestError(t *testing.T) {
	err := Errorf("%s is %d: want less than %s: %w", Option("dims"), 7, Option("Source.ID"), fs.ErrExist)
	wrapped := fmt.Errorf("training: %w; stopped", err)
	if got, want := wrapped.Error(), "training: dims is 7: want less than Source.ID: file already exists; stopped"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := In(wrapped, flag), "training: --dims is 7: want less than --id: file already exists; stopped"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if !errors.Is(wrapped, fs.ErrExist) {
		t.Error("the error does not wrap its cause")
	}
	var e *Error
	if !errors.As(wrapped, &e) || !reflect.DeepEqual(e.Options(), []Option{"dims", "Source.ID"}) {
		t.Errorf("options %v", e.Options())
	}
	if got, want := e.Parts(), []any{Option("dims"), " is 7: want less than ", Option("Source.ID"), ": file already exists"}; !reflect.DeepEqual(got, want) {
		t.Errorf("parts %q, want %q", got, want)
	}
	if got := In(errors.New("plain"), flag); got != "plain" {
		t.Errorf("%q", got)
	}
}

// TestAdvice: two pieces of advice follow the message, with flags and a value, and the message that they
// were added to stays as it was.
func TestAdvice(t *testing.T) {
	plain := Sprintf("column %q numbers the rows", "row")
	m := plain.Advise("%s leaves it out", "Source.Columns.Drop", "row").Advise("%s names the ids", "Source.ID", "")
	if got, want := m.In(flag), `column "row" numbers the rows; --drop row leaves it out, --id names the ids`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := plain.String(), `column "row" numbers the rows`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestPartsOfMarks: a message whose text has the character by which Parts finds names is one part, whole.
func TestPartsOfMarks(t *testing.T) {
	m := Sprintf("%s is %s", Option("dims"), "\x00")
	if got, want := m.Parts(), []any{"dims is \x00"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
