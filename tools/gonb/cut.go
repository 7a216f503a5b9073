package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// shownAtFirst is how many bytes a notebook shows of what a cell prints on standard output, and as many of standard
// error, unless the variable outputVariable says otherwise. JupyterLab keeps all in the page: 15 MB make it busy for
// half a minute.
const (
	shownAtFirst   = 200_000
	outputVariable = "AGEKIT_OUTPUT"
)

// cut leaves out of a text in pieces what is beyond a limit.
type cut struct {
	shown int  // the bytes of finished lines so far
	line  int  // those of the line that has not ended
	done  bool // the limit was reached
}

// add takes the next piece and returns what is to be shown of it: with a line at the end if it exceeds the limit,
// and nothing after that. What is overwritten on its line, as progress is, does not count.
func (c *cut) add(piece string) string {
	if c.done {
		return ""
	}
	limit := outputLimit()
	for i := range len(piece) {
		withinLine := c.line > 0
		switch piece[i] {
		case '\n':
			c.shown, c.line = c.shown+c.line+1, 0
		case '\r':
			c.line = 0
		default:
			c.line++
		}
		if c.shown+c.line > limit {
			c.done = true
			shown := strings.ToValidUTF8(piece[:i], "") // without half a letter
			if withinLine {
				shown += "\n"
			}
			more := strings.ReplaceAll(inUnits(10*max(limit, 1)), " ", "")
			return shown + fmt.Sprintf("… The rest is not shown: a cell shows the first %s of what it prints. For more, write %%env %s=%s at the top of the cell.\n", inUnits(limit), outputVariable, more)
		}
	}
	return piece
}

// units are those of sizes, the largest first.
var units = []struct {
	name  string
	bytes int
}{{"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"B", 1}}

// outputLimit returns the size that outputVariable has, such as 5MB, or shownAtFirst if it has none.
func outputLimit() int {
	text := strings.ToLower(strings.ReplaceAll(os.Getenv(outputVariable), " ", ""))
	for _, u := range units {
		number, ok := strings.CutSuffix(text, strings.ToLower(u.name))
		if size, err := strconv.ParseFloat(number, 64); ok && err == nil && size >= 0 {
			return int(size * float64(u.bytes))
		}
	}
	if size, err := strconv.Atoi(text); err == nil && size >= 0 {
		return size
	}
	return shownAtFirst
}

// inUnits returns a size such as 5 MB.
func inUnits(size int) string {
	for _, u := range units {
		if size >= u.bytes && size%u.bytes == 0 {
			return fmt.Sprintf("%d %s", size/u.bytes, u.name)
		}
	}
	return fmt.Sprintf("%d B", size)
}
