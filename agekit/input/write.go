package input

import (
	"io"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/files"
)

// TableWriter returns the function that writes a table in the format of path's extension.
func TableWriter(path string) (func(w io.Writer, t *Table) error, error) {
	f, err := formatOf(path, "table", func(f Format) bool { return f.WriteTable != nil })
	return f.WriteTable, err
}

// GraphWriter returns the function that writes a graph with ids in the format that the
// extension of path selects: see [Format.WriteTables].
func GraphWriter(path string) (func(w io.Writer, nodes *Table, a *graph.CSR, place *Place) error, error) {
	f, err := formatOf(path, "graph", func(f Format) bool { return f.WriteTables != nil })
	return f.WriteTables, err
}

// Place says where the nodes of a graph are drawn, and in which color.
type Place struct {
	// X and Y are the coordinates.
	X, Y []float64
	// Color returns a node's color: red, green and blue from 0 to 255.
	Color func(node int) (r, g, b uint8)
}

// isFormula reports whether a spreadsheet that opens a text file would compute a cell rather
// than show it: one that begins, after white space, with = (also the wide one), or with +, -
// or @ and has a sign of a call, a DDE link or a sheet, which numbers, phone numbers and
// names such as @types/node have not.
func isFormula(cell string) bool {
	switch first, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(cell, unicode.IsSpace)); first {
	case '=', '＝':
		return true
	case '+', '-', '@', '＋', '－', '＠':
		return strings.ContainsAny(cell, "(|!")
	}
	return false
}

// Guarded returns a cell as tables of text hold it: one that is a formula has an apostrophe
// before it, the sign of spreadsheets for text. So has one that only looks as if it had been
// guarded, so that unguarded gives every cell back.
func Guarded(cell string) string {
	if isFormula(strings.TrimLeft(cell, "'")) {
		return "'" + cell
	}
	return cell
}

// unguarded returns the cell that [Guarded] was given.
func unguarded(cell string) string {
	if strings.HasPrefix(cell, "'") && isFormula(strings.TrimLeft(cell, "'")) {
		return cell[1:]
	}
	return cell
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
		s.Warn("%d different texts, such as %s, are formulas to a spreadsheet: CSV and TSV files get an apostrophe before each, which agekit takes off when it reads them", count, files.Quote(first))
	}
}
