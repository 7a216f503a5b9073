package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/go-zeromq/zmq4"
)

// wire records what an outbox sends.
type wire struct {
	zmq4.Socket
	messages []zmq4.Msg
}

func (w *wire) SendMulti(m zmq4.Msg) error {
	w.messages = append(w.messages, m)
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

// message is one message of Jupyter's protocol: its type, such as "stream", and its content.
type message struct {
	kind    string
	content map[string]any
}

// pass sends messages through an outbox, whose program has the cells of cellOfTest, and returns the messages
// that come out. The test fails if a signature is wrong, if anything but the content is changed, or if two
// messages have one id.
func pass(t *testing.T, messages ...message) []message {
	t.Helper()
	var out wire
	box := &outbox{Socket: &out, key: []byte("key"), program: &program{}, stderr: newLines(folder, func() cellOf { return cellOfTest })}
	for i, m := range messages {
		data, err := json.Marshal(m.content)
		if err != nil {
			t.Fatal(err)
		}
		parts := [][]byte{fmt.Appendf(nil, `{"msg_id":"%d","msg_type":"%s"}`, i, m.kind), []byte(`{"parent":1}`), []byte(`{}`), data}
		frames := append([][]byte{[]byte("client"), []byte("<IDS|MSG>"), []byte(sign("key", parts))}, parts...)
		if err := box.SendMulti(zmq4.NewMsgFrom(frames...)); err != nil {
			t.Fatal(err)
		}
	}
	var passed []message
	sent := map[string]bool{}
	for _, m := range out.messages {
		f := m.Frames
		if len(f) != 7 || string(f[0]) != "client" || string(f[2]) != sign("key", f[3:]) || string(f[4]) != `{"parent":1}` {
			t.Fatalf("sent %q", f)
		}
		var header struct {
			ID   string `json:"msg_id"`
			Type string `json:"msg_type"`
		}
		var content map[string]any
		if err := json.Unmarshal(f[3], &header); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(f[6], &content); err != nil {
			t.Fatal(err)
		}
		if sent[header.ID] {
			t.Fatalf("sent another message with the id of %q", f)
		}
		sent[header.ID] = true
		passed = append(passed, message{header.Type, content})
	}
	return passed
}

// stream returns the message of a text on stdout or stderr.
func stream(name, text string) message {
	return message{"stream", map[string]any{"name": name, "text": text}}
}

// stderr returns the message of a text on standard error.
func stderr(text string) message { return stream("stderr", text) }

// failed returns the message of an error that ends a cell: what it says, and its traceback.
func failed(value string, trace ...string) message {
	return message{"error", map[string]any{"evalue": value, "traceback": trace}}
}

// idle is the message that a cell has ended.
var idle = message{"status", map[string]any{"execution_state": "idle"}}

// TestExitStatusOnce: an exit status on standard error is left out if the error that ends the cell says the
// same. Otherwise it is shown: a shell command that fails ends no cell, and a program may print such a line
// itself.
func TestExitStatusOnce(t *testing.T) {
	status := stderr("exit status 1\n")
	interrupted := stderr("^C\nsignal: interrupt\n")
	figure := message{"display_data", map[string]any{}}
	for name, c := range map[string]struct{ sent, want []message }{
		"a program":        {[]message{stderr("no file\n"), status, failed("exit status 1"), idle}, []message{stderr("no file\n"), failed("exit status 1"), idle}},
		"a late figure":    {[]message{status, figure, failed("exit status 1"), idle}, []message{figure, failed("exit status 1"), idle}},
		"an interrupt":     {[]message{interrupted, failed("signal: interrupt"), idle}, []message{failed("signal: interrupt"), idle}},
		"a shell command":  {[]message{status, idle}, []message{status, idle}},
		"two commands":     {[]message{status, status, idle}, []message{status, status, idle}},
		"another error":    {[]message{status, failed("exit status 2"), idle}, []message{failed("exit status 2"), status, idle}},
		"a line like that": {[]message{stderr("the exit status 1\n"), failed("exit status 1")}, []message{stderr("the exit status 1\n"), failed("exit status 1")}},
	} {
		same := func(a, b message) bool {
			return a.kind == b.kind && a.content["text"] == b.content["text"] && a.content["evalue"] == b.content["evalue"]
		}
		if passed := pass(t, c.sent...); !slices.EqualFunc(passed, c.want, same) {
			t.Errorf("%s: passed %v, want %v", name, passed, c.want)
		}
	}
}

// TestKilled: a program that the system has killed gets the advice about memory, in the error and in the reply
// that the cell has failed. One that the user has interrupted, and that did not end until it was killed, gets none.
func TestKilled(t *testing.T) {
	byKernel := map[string]any{"evalue": "signal: killed", "traceback": []string{"signal: killed"}}
	for text, want := range map[string]string{
		"signal: killed\n":     noMemory + "\nsignal: killed",
		"^C\nsignal: killed\n": "signal: killed",
	} {
		for _, kind := range []string{"error", "execute_reply"} {
			passed := pass(t, stderr(text), message{kind, byKernel}, idle)
			if got := passed[0].content["evalue"]; got != want {
				t.Errorf("%q, %s: the error is %q, want %q", text, kind, got, want)
			}
		}
	}
}

// TestOthersPass: frames that are no message of Jupyter's protocol, and messages that need no change, pass the
// outbox byte for byte.
func TestOthersPass(t *testing.T) {
	for _, frames := range [][][]byte{
		{[]byte("ping")},
		{[]byte("<IDS|MSG>"), []byte("signature")},
		{[]byte("<IDS|MSG>"), []byte("bad"), []byte("{"), []byte("{}"), []byte("{}"), []byte("{}")},
		{[]byte("<IDS|MSG>"), []byte("as it is"), []byte(`{"msg_type":"status"}`), []byte("{}"), []byte("{}"), []byte(`{"b":1, "a":2}`)},
		{[]byte("<IDS|MSG>"), []byte("as it is"), []byte(`{"msg_type":"error"}`), []byte("{}"), []byte("{}"), []byte(`{"traceback":["a", 1], "evalue":2}`)},
	} {
		var out wire
		if err := (&outbox{Socket: &out, program: &program{}}).SendMulti(zmq4.NewMsgFrom(slices.Clone(frames)...)); err != nil {
			t.Fatal(err)
		}
		if len(out.messages) != 1 || !slices.EqualFunc(out.messages[0].Frames, frames, bytes.Equal) {
			t.Errorf("%q became %q", frames, out.messages)
		}
	}
}
