package table

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// isFormula reports whether a spreadsheet that opens a text file would compute a cell rather than show
// it. Such a cell begins, after white space, with = (or the full-width ＝); or it begins with +, - or @
// and has a sign of a call, "(", of a DDE link, "|", or of a sheet, "!". Numbers, phone numbers and names
// such as @types/node have none of these signs.
func isFormula(cell string) bool {
	switch first, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(cell, unicode.IsSpace)); first {
	case '=', '＝':
		return true
	case '+', '-', '@', '＋', '－', '＠':
		return strings.ContainsAny(cell, "(|!")
	}
	return false
}

// guarded returns a cell as it is written to a text file: with an apostrophe, the sign of spreadsheets for
// text, before a formula. A cell that already is a formula after apostrophes gets one more, so that
// [unguarded] gives every cell back.
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
