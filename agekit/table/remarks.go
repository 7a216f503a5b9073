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

// About adds the remarks of the reader of the file at path, with the path before each.
func (s *Remarks) About(path string, other Remarks) {
	if len(other.Notes) > 0 {
		s.Note("%s: %s", path, strings.Join(other.Notes, "; "))
	}
	for _, warning := range other.Warnings {
		s.Warn("%s: %s", path, warning.Text())
		s.Warnings[len(s.Warnings)-1].Advice = warning.Advice
	}
}

// Texts returns the notes, and then the warnings without their advice, since advice names options that
// not every user has.
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

// ColumnNotes collects notes about the columns of a table, and puts columns with the same note together.
type ColumnNotes struct {
	table *Table
	notes []groupedNote
}

// groupedNote is one note about one or more columns.
type groupedNote struct {
	message.Message
	words   string   // the note as a string, by which the same notes are found
	columns []string // the labels of the columns
	example string   // from the first column; "" for none
}

// NotesOf returns an empty collection of notes about the columns of a table.
func NotesOf(t *Table) *ColumnNotes { return &ColumnNotes{table: t} }

// Add adds a note about the column with an index, and an example from the column, "" for none.
func (g *ColumnNotes) Add(column int, note message.Message, example string) {
	words := note.String()
	k := slices.IndexFunc(g.notes, func(n groupedNote) bool { return n.words == words })
	if k < 0 {
		k, g.notes = len(g.notes), append(g.notes, groupedNote{Message: note, words: words, example: example})
	}
	g.notes[k].columns = append(g.notes[k].columns, g.table.Label(column))
}

// Lines returns a message for each different note, with the names of all columns that it is about.
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

// WarnOfFormulas adds a warning if some of the texts are formulas to a spreadsheet ([isFormula]).
func (s *Remarks) WarnOfFormulas(texts iter.Seq[string]) {
	first, count := "", 0
	for text := range texts {
		if !isFormula(text) {
			continue
		}
		if count == 0 {
			first = text
		}
		count++
	}
	if count > 0 {
		s.Warn("%d different texts, such as %s, are formulas to a spreadsheet: CSV and TSV files get an apostrophe before each, which agekit takes off when it reads them", count, message.Quote(first))
	}
}
