package message

import (
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"testing"
)

var flags = map[Option]string{"dims": "--dims", "Source.Columns.Drop": "--drop", "Source.ID": "--id"}

func flag(n Option) string { return flags[n] }

// TestError: an error names its options in the words of the package and of the program, also
// wrapped, and says in parts what a program of another language needs.
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

// TestAdvice: advice follows the message, and does not change the message that it was added to.
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

// TestPartsOfMarks: a text with the character that Parts looks for is still shown whole.
func TestPartsOfMarks(t *testing.T) {
	m := Sprintf("%s is %s", Option("dims"), "\x00")
	if got, want := m.Parts(), []any{"dims is \x00"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
