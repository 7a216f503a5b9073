package message

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Option is the name of an option: the field of a struct of the API, or its name in JSON.
type Option string

// Advice is what an option can do about what a message says.
type Advice struct {
	// Effect is a clause with %s in place of the option: "%s keeps it".
	Effect string `json:"effect"`
	Option Option `json:"option"`
	// Value is the value to give to the option; "" if that is the user's choice.
	Value string `json:"value,omitempty"`
}

// Message is a sentence that may name options, with advice.
type Message struct {
	Advice []Advice
	format string
	args   []any
}

// Sprintf returns a message. Arguments of type [Option] are shown by the names that [Message.In] gives
// them.
func Sprintf(format string, args ...any) Message { return Message{format: format, args: args} }

// Advise returns the message with one more piece of advice ([Advice]); m stays as it is.
func (m Message) Advise(effect string, option Option, value string) Message {
	m.Advice = append(slices.Clone(m.Advice), Advice{effect, option, value})
	return m
}

// String returns the message with the names that the packages use.
func (m Message) String() string { return m.In(func(n Option) string { return string(n) }) }

// In returns the message and its advice as text, with the names that the function names returns for the
// options.
func (m Message) In(names func(Option) string) string {
	text := m.text(names)
	for i, a := range m.Advice {
		separator := ", "
		if i == 0 {
			separator = "; "
		}
		option := strings.TrimSpace(names(a.Option) + " " + a.Value)
		text += separator + strings.ReplaceAll(a.Effect, "%s", option)
	}
	return text
}

// Text returns the message without its advice.
func (m Message) Text() string { return m.text(func(n Option) string { return string(n) }) }

// text returns the message without its advice, with other names for the options.
func (m Message) text(names func(Option) string) string { return m.err(names).Error() }

// err returns the message without its advice, with other names for the options, as an error that wraps what
// the format wraps with %w.
func (m Message) err(names func(Option) string) error {
	args := slices.Clone(m.args)
	for i, arg := range args {
		if name, ok := arg.(Option); ok {
			args[i] = names(name)
		}
	}
	return fmt.Errorf(m.format, args...)
}

// Parts returns the message, without its advice, as texts (string) and names (Option) in turn, for a
// program that puts its own names between the texts.
func (m Message) Parts() (parts []any) {
	const mark = "\x00" // in place of each name
	var options []Option
	text := m.text(func(n Option) string { options = append(options, n); return mark })
	texts := strings.Split(text, mark)
	if len(texts) != len(options)+1 { // some text has a mark of its own
		return []any{m.Text()}
	}
	for i, text := range texts {
		if text != "" {
			parts = append(parts, text)
		}
		if i < len(options) {
			parts = append(parts, options[i])
		}
	}
	return parts
}

// Error is an error in the value of an option, or in options that do not suit each other or
// the data. Find it with [errors.As].
type Error struct{ Message }

// Errorf returns an [*Error], formatted as by [Sprintf]. It may wrap an error with %w.
func Errorf(format string, args ...any) error { return &Error{Sprintf(format, args...)} }

func (e *Error) Error() string { return e.String() }

// Unwrap returns the error that the format wraps with %w, nil if there is none.
func (e *Error) Unwrap() error {
	return errors.Unwrap(e.err(func(n Option) string { return string(n) }))
}

// Options returns the options that the error names, without those of its advice.
func (e *Error) Options() (names []Option) {
	for _, part := range e.Parts() {
		if name, ok := part.(Option); ok {
			names = append(names, name)
		}
	}
	return names
}

// In returns the text of err in which options, of err itself or of an [*Error] that it wraps, have the names
// that the function names returns.
func In(err error, names func(Option) string) string {
	text := err.Error()
	var e *Error
	if errors.As(err, &e) {
		text = strings.Replace(text, e.Error(), e.In(names), 1)
	}
	return text
}
