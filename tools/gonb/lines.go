package main

import (
	"regexp"
	"strconv"
	"strings"
)

// failures say what to do about the errors of beginners that a program prints on standard
// error: how the line of the error begins, what it has, and the advice.
var failures = []struct {
	begins string
	error  *regexp.Regexp
	advice string
}{
	{"panic: ", regexp.MustCompile(`dimension mismatch|lengths do not match`), "Sizes do not fit: look at the lengths in the line of your cell that is named below."},
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

// lines is what a program prints on standard error: a hint stands above the line of an
// error, and where a stack trace names the file that GoNB made from the cells, it names the
// cell and its line.
//
// It comes in pieces. Go prints a panic in some dozen writes, and a write may be read in
// parts. So of a line that has not ended, what may be the beginning of such a text is kept
// until the line or the program ends. All else is shown at once: progress, questions.
type lines struct {
	folder string         // that of the file that GoNB makes from the cells
	place  *regexp.Regexp // a line of that file
	// cells returns those of the program that runs now, or nil if they are unknown.
	cells      func() cellOf
	running    cellOf // of the program that printed the last piece
	unshown    string // what was kept of the last pieces
	withinLine bool   // unshown stands within a line, whose beginning was shown
}

// cellOf returns the cell, and its line, that a line of a program comes from, as text, or "".
// Lines count from 1.
type cellOf func(line int) string

// mark is how GoNB begins to mark such a place, if it reads it in one piece.
const mark = " \x1b[7m[[ Cell "

func newLines(folder string, cells func() cellOf) lines {
	place := regexp.MustCompile(`(?: \x1b\[7m\[\[ (Cell .*?) \]\]\x1b\[0m )?(` + regexp.QuoteMeta(folder) + `/main(?:_test)?\.go:(\d+)(?: \+0x[0-9a-f]+)?)`)
	return lines{folder: folder, place: place, cells: cells}
}

// add takes a piece and returns what is to be shown now.
func (l *lines) add(piece string) string {
	l.running = l.cells()
	text := l.unshown + piece
	lastLine := strings.LastIndex(text, "\n") + 1
	withinLine := lastLine == 0 && l.withinLine
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

// certain returns the length of the beginning of an unfinished line that stays as it is,
// whatever follows. withinLine says that the line began before.
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

// mayBegin reports whether text, or text and what may follow, begins with start.
func mayBegin(text, start string) bool {
	n := min(len(text), len(start))
	return text[:n] == start[:n]
}

// rewrite returns text with advice above the errors of beginners, and cells in place of the file.
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

// namePlaces has a line name the cell and not the file. Where the lines of the program are
// known, GoNB's mark does not count: it may have read a part of the number only.
func (l *lines) namePlaces(line string) string {
	return l.place.ReplaceAllStringFunc(line, func(found string) string {
		match := l.place.FindStringSubmatch(found)
		marked, file := match[1], match[2]
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
