package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/go-zeromq/zmq4"
)

// sent records what a rewriter sends.
type sent struct {
	zmq4.Socket
	messages []zmq4.Msg
}

func (s *sent) SendMulti(m zmq4.Msg) error {
	s.messages = append(s.messages, m)
	return nil
}

// sign computes a signature as Jupyter's documentation of the protocol says.
func sign(key string, parts [][]byte) string {
	mac := hmac.New(sha256.New, []byte(key))
	for _, p := range parts {
		mac.Write(p)
	}
	return hex.EncodeToString(mac.Sum(nil))
}

// send sends a message through a rewriter and returns its content, or nil if
// it was dropped. It fails if the signature or any other part is wrong.
func send(t *testing.T, kind string, content map[string]any) map[string]any {
	t.Helper()
	data, err := json.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	parts := [][]byte{[]byte(`{"msg_type":"` + kind + `"}`), []byte(`{"parent":1}`), []byte(`{}`), data}
	frames := append([][]byte{[]byte("client"), []byte("<IDS|MSG>"), []byte(sign("key", parts))}, parts...)
	var out sent
	if err := (rewriter{&out, []byte("key")}).SendMulti(zmq4.NewMsgFrom(slices.Clone(frames)...)); err != nil {
		t.Fatal(err)
	}
	if len(out.messages) == 0 {
		return nil
	}
	got := out.messages[0].Frames
	if len(out.messages) != 1 || len(got) != 7 || string(got[2]) != sign("key", got[3:]) {
		t.Fatalf("sent %q", out.messages)
	}
	for _, k := range []int{0, 1, 3, 4, 5} {
		if !bytes.Equal(got[k], frames[k]) {
			t.Errorf("frame %d is %q, want %q", k, got[k], frames[k])
		}
	}
	var result map[string]any
	if err := json.Unmarshal(got[6], &result); err != nil {
		t.Fatal(err)
	}
	return result
}

func TestStreams(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"stderr", "exit status 1\n", ""},
		{"stderr", "^C\nexit status 1\n", ""},
		{"stderr", "signal: killed\n", ""},
		{"stdout", "exit status 1\n", "exit status 1\n"},
		{"stderr", "the exit status 1\n", "the exit status 1\n"},
		{"stderr", "no file\n\t \x1b[7m[[ Cell [3] Line 4 ]]\x1b[0m /tmp/gonb_1a/main.go:12 +0x6a\n", "no file\n\t\x1b[7mCell [3] Line 4\x1b[0m\n"},
		{"stderr", "at /home/me/main.go:12\n", "at /home/me/main.go:12\n"},
	} {
		content := send(t, "stream", map[string]any{"name": c.name, "text": c.text})
		if c.want == "" && content != nil || c.want != "" && content["text"] != c.want {
			t.Errorf("%s %q became %q, want %q", c.name, c.text, content["text"], c.want)
		}
	}
}

func TestHint(t *testing.T) {
	const line = "main.go:3:1: expected declaration, found g"
	for _, kind := range []string{"error", "execute_reply"} {
		for _, c := range []struct {
			trace []string
			lines int
		}{{[]string{line}, 1}, {[]string{"Cell[1]: Line 1", line}, 3}} {
			content := send(t, kind, map[string]any{"ename": "ERROR", "evalue": line, "traceback": c.trace})
			if value := content["evalue"].(string); !strings.HasPrefix(value, line) || !strings.Contains(value, "%%") {
				t.Errorf("%s has evalue %q, want a hint about %%%%", kind, value)
			}
			got := content["traceback"].([]any)
			if !strings.Contains(got[len(got)-1].(string), "%%") || len(got) != c.lines {
				t.Errorf("%s has traceback %q, want %d lines, the last a hint about %%%%", kind, got, c.lines)
			}
		}
	}
	other := send(t, "error", map[string]any{"evalue": "exit status 1", "traceback": []string{"exit status 1"}})
	if other["evalue"] != "exit status 1" || len(other["traceback"].([]any)) != 1 {
		t.Errorf("another error became %v", other)
	}
}

// What is no message of the protocol, and what has no content to change, passes
// as it is.
func TestOthersPass(t *testing.T) {
	for _, frames := range [][][]byte{
		{[]byte("ping")},
		{[]byte("<IDS|MSG>"), []byte("signature")},
		{[]byte("<IDS|MSG>"), []byte("bad"), []byte("{"), []byte("{}"), []byte("{}"), []byte("{}")},
		{[]byte("<IDS|MSG>"), []byte("as it is"), []byte(`{"msg_type":"status"}`), []byte("{}"), []byte("{}"), []byte(`{"b":1, "a":2}`)},
	} {
		var out sent
		if err := (rewriter{&out, nil}).SendMulti(zmq4.NewMsgFrom(slices.Clone(frames)...)); err != nil {
			t.Fatal(err)
		}
		if len(out.messages) != 1 || !slices.EqualFunc(out.messages[0].Frames, frames, bytes.Equal) {
			t.Errorf("%q became %q", frames, out.messages)
		}
	}
}
