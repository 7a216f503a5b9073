package main

import (
	"regexp"
	"slices"
	"strings"
)

// hints say what to do about the errors of beginners that the compiler finds. A pattern is matched with
// the list that rewriteError makes: lines of cells, each with its errors in the lines below. The advice
// of the first pattern that matches stands above the list. For the errors of a program see failures.
var hints = []struct {
	error  *regexp.Regexp // of the list of errors
	advice string
}{
	{regexp.MustCompile(`expected declaration, found '%'`), "Write %% at the beginning of its line, without a space before it."},
	{regexp.MustCompile(`expected declaration, found`), "Put a line with only %% above the first statement: above it, a cell can only declare (import, func, type, const, var)."},
	{regexp.MustCompile(`func main\(\) \{\n +expected|expected '}', found 'EOF'`), "A { has no }: each block and each function must be closed, those above %% too."},
	{regexp.MustCompile(`expected '{', found in\b`), "Go goes through a list with range: for i, v := range list { … }"},
	{regexp.MustCompile(`illegal rune literal|more than one character in rune literal`), `Text stands in double quotes: "hello".`},
	{regexp.MustCompile(`\b(?:agekit|figure|floats|fmt|mat|math|slices|stat|strings)\.[a-z]\w*.*\n.*undefined: |not exported by package`), "What a package offers begins with a capital letter: fmt.Printf, math.Sqrt."},
	{regexp.MustCompile(`undefined: `), "This name is unknown here. What a cell computes ends with it: compute it again. What cells declare above %% stays: after a restart, run them first."},
	{regexp.MustCompile(`assignment mismatch: 1 variable but .* returns 2 values|, error\)\) in single-value context`), "This function can fail, and returns an error, too: write agekit.Must(…) around the call."},
}

// hint returns the advice for a list of errors, or "" if no pattern matches.
func hint(text string) string {
	for _, h := range hints {
		if h.error.MatchString(text) {
			return h.advice
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
func rewriteError(content map[string]any) bool {
	trace, _ := content["traceback"].([]any)
	var list []string
	var current string // the line of a cell to which the last error belongs
	inCell := false    // there is an error in a cell
	for _, t := range trace {
		entry, _ := t.(string)
		entry = colors.ReplaceAllString(entry, "")
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
		case caret.MatchString(entry): // an error at the end of the file, which is in no cell
			list = append(list, lastLine)
		default:
			list = append(list, entry)
		}
	}
	advice := hint(strings.Join(list, "\n"))
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
