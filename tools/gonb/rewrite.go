package main

import (
	"regexp"
	"slices"
	"strings"
)

// Advice that is given in several places.
const (
	capitals    = "What a package offers begins with a capital letter: fmt.Printf, math.Sqrt."
	unknownName = "This name is unknown here. What a cell computes ends with it: compute it again. What cells declare above %% stays: after a restart, run them first."
	canFail     = "This function can fail, and returns an error, too: write agekit.Must(…) around the call."
	noMemory    = "The system ended this program, most likely because the memory was used up. Close other programs, or use a smaller graph or less of it at once."
	cannotFail  = "This function returns no error: leave agekit.Must out."
)

// hints say what to do about the errors of beginners that the compiler finds. A pattern is matched with
// the list that rewriteError makes: lines of cells, each with its errors in the lines below. The advice
// of the first pattern that matches stands above the list. For the errors of a program that runs see failures.
var hints = []struct {
	error  *regexp.Regexp // of the list of errors
	advice string         // or "": see program
}{
	{regexp.MustCompile(`expected declaration, found '%'`), "Write %% at the beginning of its line, without a space before it."},
	{regexp.MustCompile(`expected declaration, found`), "Put a line with only %% above the first statement: above it, a cell can only declare (import, func, type, const, var)."},
	{regexp.MustCompile(`func main\(\) \{\n +expected|expected '}', found 'EOF'`), "A { has no }: each block and each function must be closed, those above %% too."},
	{regexp.MustCompile(`:  func \w.*\n +expected |:  func \(.*\n +expected |:  import\b.*\n +expected `), "Functions and imports stand above the line %%: move this one there."},
	{regexp.MustCompile(`expected '{', found in\b`), "Go goes through a list with range: for i, v := range list { … }"},
	{regexp.MustCompile(`illegal rune literal|more than one character in rune literal`), `Text stands in double quotes: "hello".`},
	{regexp.MustCompile(`\*\*.*\n +invalid operation: cannot indirect|operator \^ not defined on`), "Go has no operator for powers: write x*x, or math.Pow(x, 2) for float64."},
	{regexp.MustCompile(`\b(?:agekit|figure|floats|fmt|mat|math|slices|stat|strings)\.[a-z]\w*.*\n.*undefined: |not exported by package`), capitals},
	{needsNames, ""},
	{regexp.MustCompile(`undefined: `), unknownName},
	{regexp.MustCompile(`no required module provides|is not in std`), "This package is not there, and cells download nothing."},
	{regexp.MustCompile(`as error value in argument to agekit\.Must|not enough arguments in call to agekit\.Must`), cannotFail},
	{regexp.MustCompile(`, error\)\) in single-value context`), canFail},
	{regexp.MustCompile(`\) in single-value context`), "This function returns several values: give them names in a line of its own, such as a, b := f(x)."},
}

// hint returns the advice for a list of errors, or "" if no pattern matches. What the names and types of the
// program say is asked of p.
func hint(list string, p *program) string {
	for _, h := range hints {
		if !h.error.MatchString(list) {
			continue
		}
		if h.advice != "" {
			return h.advice
		}
		if advice := p.about(list); advice != "" {
			return advice
		}
	}
	return ""
}

// Parts of what GoNB sends.
var (
	// exited is a text of standard error that is an exit status alone, after ^C if it was interrupted.
	exited = regexp.MustCompile(`^(?:\^C\n)?((?:exit status|signal:) .*)\n$`)
	// cell is the first line of an entry about a cell: the cell's number, if it has one, and its line's.
	cell = regexp.MustCompile(`^Cell(?:\[(\d+)\]:)? Line (\d+)\n`)
	// caret is the source line of an error, with a ^ below it.
	caret  = regexp.MustCompile(`(?m)^(.*)\n *\^$`)
	colors = regexp.MustCompile(`\x1b\[[0-9;]*m`)
)

// exitStatus returns the exit status of a program, such as "exit status 1", if the content of a message
// of type stream is that alone, which GoNB prints on standard error; otherwise "". If the program was
// that of a cell, the error that follows says the same.
func exitStatus(stream map[string]any) string {
	text, _ := stream["text"].(string)
	if match := exited.FindStringSubmatch(text); match != nil && stream["name"] == "stderr" {
		return match[1]
	}
	return ""
}

// rewriteError makes a readable list of the compiler's errors of the traceback in content, the content of
// an error: each line of a cell that has errors, and below it the errors, without the lines around it
// that GoNB adds. Advice for beginners stands above. The list replaces "evalue" and "traceback" in
// content. If no error is in a cell and there is no advice, content stays as it is, and it returns false.
// That packages can be had by "go get" is left out: cells have no network. For p see hint.
func rewriteError(content map[string]any, p *program) bool {
	trace, _ := content["traceback"].([]any)
	var list []string
	var current string // the line of a cell to which the last error belongs
	inCell := false    // there is an error in a cell
	for _, t := range trace {
		entry, _ := t.(string)
		entry = strings.TrimSuffix(colors.ReplaceAllString(entry, ""), "; to add it:")
		lastLine := entry[strings.LastIndex(entry, "\n")+1:] // of an entry with the lines around, the error
		place := placeInCell(entry)
		switch {
		case place != "":
			inCell = true
			if place != current {
				list = append(list, place)
				current = place
			}
			list = append(list, "    "+lastLine)
		case entry == "" || strings.HasPrefix(entry, "# gonb_"): // the program's package
		case strings.HasPrefix(entry, "\tgo get "):
		case caret.MatchString(entry): // an error at the end of the file, which is in no cell
			list = append(list, lastLine)
		default:
			list = append(list, entry)
		}
	}
	advice := hint(strings.Join(list, "\n"), p)
	if content["evalue"] == "signal: killed" && !p.interrupted {
		advice = noMemory
	}
	if !inCell && advice == "" {
		return false
	}
	if advice != "" {
		list = slices.Insert(list, 0, advice)
	}
	content["evalue"] = strings.Join(list, "\n")
	content["traceback"] = list
	return true
}

// placeInCell returns the cell, the number and the text of the line that an entry of GoNB's is about,
// such as "Cell [3] Line 2:  f(x)", or "" if it is in no cell.
func placeInCell(entry string) string {
	match := cell.FindStringSubmatch(entry)
	if match == nil {
		return ""
	}
	place := "Cell"
	if match[1] != "" {
		place += " [" + match[1] + "]"
	}
	place += " Line " + match[2]
	if source := caret.FindStringSubmatch(entry); source != nil {
		place += ":  " + strings.TrimSpace(source[1])
	}
	return place
}

// keepBeginnings removes from the "matches" of reply, the content of a reply to Tab, those that begin
// otherwise than the first, which gopls likes best. The beginning is as long as what was typed, from
// cursor_start to cursor_end; upper and lower case are the same. JupyterLab replaces what was typed by
// what is common to all matches, so letters would vanish. It reports whether it removed any.
func keepBeginnings(reply map[string]any) bool {
	matches, _ := reply["matches"].([]any)
	start, _ := reply["cursor_start"].(float64)
	end, _ := reply["cursor_end"].(float64)
	beginning := func(match any) string {
		name, _ := match.(string)
		return strings.ToLower(name[:min(int(end-start), len(name))])
	}
	alike := slices.DeleteFunc(slices.Clone(matches), func(match any) bool { return beginning(match) != beginning(matches[0]) })
	reply["matches"] = alike
	return len(alike) < len(matches)
}
