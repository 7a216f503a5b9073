package main

import (
	"regexp"
	"strconv"
	"strings"
)

// failures say what to do about the errors of beginners that a program prints on standard error.
var failures = []struct {
	begins string         // how the line begins
	error  *regexp.Regexp // which the line matches, too
	advice string
}{
	{"panic: ", regexp.MustCompile(`dimension mismatch|lengths do not match`), "Sizes do not fit: look at the lengths in the line of your cell that is named below."},
	{"fatal error: ", regexp.MustCompile(`runtime: (?:out of memory|cannot allocate)`), noMemory},
	{"unknown data set ", regexp.MustCompile(`^unknown data set "[^"]*[A-Z]`), `Names of data sets have small letters: agekit.Load("cora").`},
}

// failure returns what to do about the error that a line names, or "".
func failure(line string) string {
	for _, f := range failures {
		if strings.HasPrefix(line, f.begins) && f.error.MatchString(line) {
			return f.advice
		}
	}
	return ""
}

// lines rewrites what a program prints on standard error: advice is put above the line of an error of
// beginners, and where a stack trace names the file that GoNB made from the cells, the cell and its line
// are named.
//
// The text comes in pieces. Go prints a panic in some dozen writes, and a write may be read in
// parts. So of a line that has not ended, what may be the beginning of such a text is kept
// until the line or the program ends. All else is shown at once: progress, questions.
type lines struct {
	folder string         // that of the file that GoNB makes from the cells
	place  *regexp.Regexp // a line of that file
	// cells returns where the lines of the program that runs now come from, or nil if that is unknown.
	cells      func() cellOf
	running    cellOf // what cells returned for the last piece
	unshown    string // what was kept back of the last pieces
	withinLine bool   // unshown stands within a line, whose beginning was shown
}

// cellOf returns the cell, and its line, that a line of a program comes from, as text, or "".
// Lines count from 1.
type cellOf func(line int) string

// mark is the beginning of the mark that GoNB puts in front of the file's path, if the line is in a cell and
// GoNB reads path and line in one piece.
const mark = " \x1b[7m[[ Cell "

// newLines returns lines for programs that GoNB makes in a folder; cells is as in lines.
func newLines(folder string, cells func() cellOf) lines {
	// Groups: what GoNB's mark says, if there is one; the file with its line; the line's number.
	place := regexp.MustCompile(`(?: \x1b\[7m\[\[ (Cell .*?) \]\]\x1b\[0m )?(` + regexp.QuoteMeta(folder) + `/main(?:_test)?\.go:(\d+)(?: \+0x[0-9a-f]+)?)`)
	return lines{folder: folder, place: place, cells: cells}
}

// add takes the next piece and returns what is to be shown now. The rest is kept back in l.unshown.
func (l *lines) add(piece string) string {
	l.running = l.cells()
	text := l.unshown + piece
	lastLine := strings.LastIndex(text, "\n") + 1
	withinLine := lastLine == 0 && l.withinLine // the last line began in an earlier piece
	end := lastLine + l.certain(text[lastLine:], withinLine)
	l.unshown = text[end:]
	return l.rewrite(text[:end])
}

// end returns what is still to be shown when the program has ended.
func (l *lines) end() string {
	rest := l.rewrite(l.unshown)
	l.unshown, l.withinLine = "", false
	return rest
}

// certain returns how many bytes of an unfinished line can be shown at once, since they stay as they are
// whatever follows. withinLine says that the beginning of the line was shown before.
func (l *lines) certain(line string, withinLine bool) int {
	for _, f := range failures {
		if !withinLine && mayBegin(line, f.begins) {
			return 0
		}
	}
	for i := range len(line) {
		if mayBegin(line[i:], mark) || mayBegin(line[i:], l.folder+"/main") {
			return i
		}
	}
	return len(line)
}

// mayBegin reports whether text begins with start, or may do so with what follows.
func mayBegin(text, start string) bool {
	n := min(len(text), len(start))
	return text[:n] == start[:n]
}

// rewrite returns text with advice above the errors of beginners, and cells in place of the file. It sets
// l.withinLine for what follows.
func (l *lines) rewrite(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if advice := failure(line); advice != "" && !l.withinLine {
			out.WriteString(advice + "\n")
		}
		out.WriteString(l.namePlaces(line))
		l.withinLine = !strings.HasSuffix(line, "\n")
	}
	return out.String()
}

// namePlaces returns a line with cells in place of the file that GoNB made. Where the places of the
// program's lines are known, GoNB's mark does not count: GoNB may have read a part of the number only.
func (l *lines) namePlaces(line string) string {
	return l.place.ReplaceAllStringFunc(line, func(found string) string {
		match := l.place.FindStringSubmatch(found)
		marked, file := match[1], match[2] // the cell by GoNB's mark, or ""; the path and the line
		cell := marked
		if l.running != nil {
			line, _ := strconv.Atoi(match[3])
			cell = l.running(line)
		}
		if cell == "" {
			return file
		}
		return "\x1b[7m" + cell + "\x1b[0m"
	})
}
