package table

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

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

// guarded returns a cell as tables of text hold it: one that is a formula has an apostrophe
// before it, the sign of spreadsheets for text. So has one that only looks as if it had been
// guarded, so that unguarded gives every cell back.
func guarded(cell string) string {
	if isFormula(strings.TrimLeft(cell, "'")) {
		return "'" + cell
	}
	return cell
}

// unguarded returns the cell that [guarded] was given.
func unguarded(cell string) string {
	if strings.HasPrefix(cell, "'") && isFormula(strings.TrimLeft(cell, "'")) {
		return cell[1:]
	}
	return cell
}
