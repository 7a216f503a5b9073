package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/go-zeromq/zmq4"
)

// rewriter is a socket that rewrites Jupyter's messages before it sends them.
type rewriter struct {
	zmq4.Socket
	key []byte
}

// SendMulti sends a message of Jupyter's protocol: identities, a delimiter, the
// signature, and four JSON objects: header, parent header, metadata and content.
func (s rewriter) SendMulti(m zmq4.Msg) error {
	const delimiter = "<IDS|MSG>"
	at := 0
	for at < len(m.Frames) && string(m.Frames[at]) != delimiter {
		at++
	}
	if at+6 > len(m.Frames) {
		return s.Socket.SendMulti(m)
	}
	signed := m.Frames[at+2 : at+6]
	var header struct {
		Type string `json:"msg_type"`
	}
	var content map[string]any
	if json.Unmarshal(signed[0], &header) != nil || json.Unmarshal(signed[3], &content) != nil {
		return s.Socket.SendMulti(m)
	}
	switch rewrite(header.Type, content) {
	case unchanged:
		return s.Socket.SendMulti(m)
	case dropped:
		return nil
	}
	changedContent, err := json.Marshal(content)
	if err != nil {
		return err
	}
	signed[3] = changedContent
	if len(s.key) > 0 {
		mac := hmac.New(sha256.New, s.key)
		mac.Write(bytes.Join(signed, nil))
		m.Frames[at+1] = []byte(hex.EncodeToString(mac.Sum(nil)))
	}
	return s.Socket.SendMulti(m)
}

type verdict int

const (
	unchanged verdict = iota
	changed
	dropped
)

// statementOutside is the compiler's message about a statement above the line
// with %%, or without such a line.
const statementOutside = "expected declaration, found"

const statementHint = "Above the line that begins with %%, a cell can only declare: import, func, type, const, var.\n" +
	"Statements belong below it: put a line with only %% above the first one."

var (
	exited = regexp.MustCompile(`^(\^C\n)?(exit status|signal:) .*\n$`)
	// place is a line of the cell as GoNB marks it, with the line of the file
	// that it made from the cells.
	place = regexp.MustCompile(` (\x1b\[7m)\[\[ Cell (.*?) \]\](\x1b\[0m) \S*main(_test)?\.go:\d+( \+0x[0-9a-f]+)?`)
)

// rewrite changes the content of a message for the notebook:
//   - A program's exit status is in the error that ends the cell. GoNB also
//     prints it on standard error.
//   - A line of a cell is named without the temporary file that GoNB compiled.
//   - A statement outside the program gets a hint.
func rewrite(kind string, content map[string]any) verdict {
	switch kind {
	case "stream":
		text, _ := content["text"].(string)
		if content["name"] != "stderr" {
			return unchanged
		}
		if exited.MatchString(text) {
			return dropped
		}
		short := place.ReplaceAllString(text, "${1}Cell ${2}${3}")
		content["text"] = short
		if short == text {
			return unchanged
		}
		return changed
	case "error", "execute_reply":
		value, _ := content["evalue"].(string)
		if !strings.Contains(value, statementOutside) {
			return unchanged
		}
		content["evalue"] = value + "\n" + statementHint
		trace, _ := content["traceback"].([]any)
		if len(trace) == 1 && trace[0] == value { // which GoNB has shown with its line, as HTML
			trace = nil
		}
		content["traceback"] = append(trace, statementHint)
		return changed
	}
	return unchanged
}
