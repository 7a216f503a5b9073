package main

import (
	"regexp"
	"slices"
	"strings"
)

// hints say what to do about the errors of beginners. The first that fits stands above the
// error: a pattern of the line of the cell and what the compiler says. For those of a program
// see failures.
var hints = []struct {
	error *regexp.Regexp
	says  string
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

// hint returns what to do about an error, or "".
func hint(text string) string {
	for _, h := range hints {
		if h.error.MatchString(text) {
			return h.says
		}
	}
	return ""
}

var (
	exited = regexp.MustCompile(`^(?:\^C\n)?((?:exit status|signal:) .*)\n$`)
	cell   = regexp.MustCompile(`^Cell(?:\[(\d+)\]:)? Line (\d+)\n`)
	caret  = regexp.MustCompile(`(?m)^(.*)\n *\^$`)
	colors = regexp.MustCompile(`\x1b\[[0-9;]*m`)
)

// exitStatus returns a program's exit status that GoNB prints on standard error,
// or "". If it ends a cell, the error that follows says it again.
func exitStatus(stream map[string]any) string {
	text, _ := stream["text"].(string)
	if match := exited.FindStringSubmatch(text); match != nil && stream["name"] == "stderr" {
		return match[1]
	}
	return ""
}

// rewriteError makes a readable list of the compiler's errors: each line of a cell that
// has errors, and these below it, without the lines around it that GoNB adds, also from no
// cell. It reports whether content is such a list.
func rewriteError(content map[string]any) bool {
	trace, _ := content["traceback"].([]any)
	var list []string
	var where string
	found := false
	for _, t := range trace {
		entry, _ := t.(string)
		entry = colors.ReplaceAllString(entry, "")
		if place := cell.FindStringSubmatch(entry); place != nil {
			found = true
			line := "Cell"
			if place[1] != "" {
				line += " [" + place[1] + "]"
			}
			line += " Line " + place[2]
			if source := caret.FindStringSubmatch(entry); source != nil {
				line += ":  " + strings.TrimSpace(source[1])
			}
			if line != where {
				list = append(list, line)
				where = line
			}
			entry = "    " + entry[strings.LastIndex(entry, "\n")+1:]
		} else if entry == "" || strings.HasPrefix(entry, "# gonb_") { // the program's package
			continue
		} else if caret.MatchString(entry) { // the end of the file, which is in no cell
			entry = entry[strings.LastIndex(entry, "\n")+1:]
		}
		list = append(list, entry)
	}
	says := hint(strings.Join(list, "\n"))
	if !found && says == "" {
		return false
	}
	if says != "" {
		list = slices.Insert(list, 0, says)
	}
	content["evalue"], content["traceback"] = strings.Join(list, "\n"), list
	return true
}

// keepBeginnings removes matches that begin otherwise than the first, which gopls likes
// best: JupyterLab replaces what was typed by what is common to all, so letters would
// vanish. It reports whether there were any.
func keepBeginnings(reply map[string]any) bool {
	matches, _ := reply["matches"].([]any)
	start, _ := reply["cursor_start"].(float64)
	end, _ := reply["cursor_end"].(float64)
	beginning := func(match any) string {
		name, _ := match.(string)
		return strings.ToLower(name[:min(int(end-start), len(name))])
	}
	kept := slices.DeleteFunc(slices.Clone(matches), func(match any) bool { return beginning(match) != beginning(matches[0]) })
	reply["matches"] = kept
	return len(kept) < len(matches)
}
