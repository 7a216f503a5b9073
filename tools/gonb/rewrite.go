package main

import (
	"regexp"
	"slices"
	"strings"
)

// statementOutside is what the compiler says about a statement above the line
// with %%, or without such a line.
const statementOutside = "expected declaration, found"

const statementHint = "Put a line with only %% above the first statement. Above that line, a cell can only\n" +
	"declare: import, func, type, const, var."

var (
	exited = regexp.MustCompile(`^(?:\^C\n)?((?:exit status|signal:) .*)\n$`)
	// place is a line of a cell in a stack trace as GoNB marks it, followed by the
	// line of the file that it made from the cells.
	place  = regexp.MustCompile(` (\x1b\[7m)\[\[ (Cell .*?) \]\](\x1b\[0m) \S*main(?:_test)?\.go:\d+(?: \+0x[0-9a-f]+)?`)
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

// shortenPlaces removes GoNB's temporary file from the lines of a stack trace, which name
// the cell and its line. It reports whether there were any.
func shortenPlaces(stream map[string]any) bool {
	text, _ := stream["text"].(string)
	short := place.ReplaceAllString(text, "${1}${2}${3}")
	stream["text"] = short
	return short != text
}

// rewriteError makes a readable list of the compiler's errors: each line of a cell that
// has errors, and these below it, without the lines around it that GoNB adds, also from no
// cell. It reports whether content is such a list.
func rewriteError(content map[string]any) bool {
	trace, _ := content["traceback"].([]any)
	var list []string
	var where string
	found, hint := false, false
	for _, t := range trace {
		entry, _ := t.(string)
		entry = colors.ReplaceAllString(entry, "")
		if at := cell.FindStringSubmatch(entry); at != nil {
			found = true
			line := "Cell"
			if at[1] != "" {
				line += " [" + at[1] + "]"
			}
			line += " Line " + at[2]
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
		}
		hint = hint || strings.Contains(entry, statementOutside)
		list = append(list, entry)
	}
	if !found {
		return false
	}
	if hint {
		list = append(list, statementHint)
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
