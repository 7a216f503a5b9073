package table

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/agekit/age/internal/message"
)

// Remarks are what a reader says, in sentences for the user.
type Remarks struct {
	Notes    []string  // what was detected and what was done
	Warnings []Warning // what was left out, guessed or changed
}

// Note adds a note.
func (s *Remarks) Note(format string, args ...any) {
	s.Notes = append(s.Notes, fmt.Sprintf(format, args...))
}

// Warn adds a warning.
func (s *Remarks) Warn(format string, args ...any) {
	s.Warnings = append(s.Warnings, message.Sprintf(format, args...))
}

// About adds what the reader of a file said.
func (s *Remarks) About(path string, other Remarks) {
	if len(other.Notes) > 0 {
		s.Note("%s: %s", path, strings.Join(other.Notes, "; "))
	}
	for _, warning := range other.Warnings {
		s.Warn("%s: %s", path, warning.Text())
		s.Warnings[len(s.Warnings)-1].Advice = warning.Advice
	}
}

// Texts returns the notes, then the warnings without advice, which names options.
func (s *Remarks) Texts() []string {
	texts := slices.Clip(s.Notes)
	for _, warning := range s.Warnings {
		texts = append(texts, warning.Text())
	}
	return texts
}

// Warning is a sentence for the user. It may name fields of [input.Source], in place of which a
// program shows its own names ([message.Message.In]).
type Warning = message.Message

// ColumnNotes are notes about columns, with those that say the same together.
type ColumnNotes struct {
	table *Table
	notes []groupedNote
}

type groupedNote struct {
	message.Message
	words   string
	columns []string
	example string // of the first column
}

// NotesOf returns notes about the columns of a table, none as yet.
func NotesOf(t *Table) *ColumnNotes { return &ColumnNotes{table: t} }

// Add adds a note about a column, with an example unless it is "".
func (g *ColumnNotes) Add(column int, note message.Message, example string) {
	words := note.String()
	k := slices.IndexFunc(g.notes, func(n groupedNote) bool { return n.words == words })
	if k < 0 {
		k, g.notes = len(g.notes), append(g.notes, groupedNote{note, words, nil, example})
	}
	g.notes[k].columns = append(g.notes[k].columns, g.table.Label(column))
}

// Lines returns the notes, each with all its columns.
func (g *ColumnNotes) Lines() (lines []message.Message) {
	for _, note := range g.notes {
		what, text := "column", note.Text()
		if len(note.columns) > 1 {
			what = fmt.Sprintf("columns (%d)", len(note.columns))
		}
		if note.example != "" {
			text += ", such as " + note.example
		}
		line := message.Sprintf("%s %s: %s", what, message.Shorten(strings.Join(note.columns, ", ")), text)
		line.Advice = note.Advice
		lines = append(lines, line)
	}
	return lines
}

// WarnOfFormulas warns of the texts that are formulas.
func (s *Remarks) WarnOfFormulas(texts iter.Seq[string]) {
	first, count := "", 0
	for text := range texts {
		if isFormula(text) {
			if count++; first == "" {
				first = text
			}
		}
	}
	if count > 0 {
		s.Warn("%d different texts, such as %s, are formulas to a spreadsheet: CSV and TSV files get an apostrophe before each, which agekit takes off when it reads them", count, message.Quote(first))
	}
}
