package engine

// This part writes texts of users, such as the names of their folders, into SQL that Spark reads and into
// commands that its executors have bash run.

import (
	"fmt"
	"regexp"
	"strings"
)

// plainWord matches a word that means itself to bash, to Spark's SQL, and to spark-sql, which looks for
// semicolons, quotes, comments (--) and variables (${…}) by rules of its own.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9/._]+(-[A-Za-z0-9/._]+)*$`)

// word returns text as one word of bash. A text with other characters than those of a plain word is written
// as $'…', in which each other byte is \xHH: nothing of it is left that a reader on the way could take for
// its own, and it does not matter in which encoding Java reads.
func word(text string) string {
	if plainWord.MatchString(text) {
		return text
	}
	var b strings.Builder
	b.WriteString("$'")
	for _, c := range []byte(text) {
		if plainWord.Match([]byte{c}) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, `\x%02x`, c)
		}
	}
	return b.String() + "'"
}

// literal returns text as a string of Spark's SQL (with spark.sql.parser.escapedStringLiterals=false, its
// default).
func literal(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}
