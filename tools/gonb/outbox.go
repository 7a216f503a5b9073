package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/go-zeromq/zmq4"
)

// outbox is a socket that rewrites messages of the kernel before it sends them. The kernel sends one
// message at a time.
type outbox struct {
	zmq4.Socket
	key []byte // with which messages are signed; empty if they are not
	// stderr rewrites what the program of a cell prints on standard error. Cells run one after the other.
	stderr lines
	// program is what the cells are made into. The sockets of a kernel share it.
	program *program
	// piece is the latest message of standard error, whose frames are used again to send its end.
	piece packet
	// held is a message that was not sent yet: its text, heldStatus, is the exit status of a program. If
	// an error follows that says the same, it is left out.
	held       *zmq4.Msg
	heldStatus string
	// printed cuts what the cell prints, by the name of the stream.
	printed map[string]*cut
}

// SendMulti sends a message, rewritten if it is one of Jupyter's protocol. It may keep a text of standard
// error back, or send what was kept before.
func (o *outbox) SendMulti(m zmq4.Msg) error {
	p, ok := parse(m)
	if !ok {
		return o.Socket.SendMulti(m)
	}
	changed := false
	switch p.header["msg_type"] {
	case "stream":
		if err := o.release(); err != nil {
			return err
		}
		text, _ := p.content["text"].(string)
		if status := exitStatus(p.content); status != "" {
			o.held, o.heldStatus = &m, status
			o.program.interrupted = strings.HasPrefix(text, "^C")
			return o.finish()
		}
		name, _ := p.content["name"].(string)
		shown := text
		if name == "stderr" {
			shown = o.stderr.add(text)
			o.piece = p
		}
		shown = o.cut(name, shown)
		if shown == "" && text != "" { // all is kept back or cut
			return nil
		}
		p.content["text"] = shown
		changed = shown != text
	case "status": // the cell begins or has ended
		if err := o.finish(); err != nil {
			return err
		}
		if err := o.release(); err != nil {
			return err
		}
		o.printed = nil
	case "error", "execute_reply":
		if err := o.finish(); err != nil {
			return err
		}
		if p.content["evalue"] == o.heldStatus {
			o.held = nil // the error says it
		}
		changed = rewriteError(p.content, o.program)
	case "complete_reply":
		changed = keepBeginnings(p.content)
	}
	if !changed {
		return o.Socket.SendMulti(m)
	}
	return o.send(p)
}

// finish sends what was kept back of standard error, if anything, once the program that printed it has
// ended.
func (o *outbox) finish() error {
	rest := o.cut("stderr", o.stderr.end())
	if rest == "" {
		return nil
	}
	// The beginning of this piece may have been sent, and each message has an id of its own.
	o.piece.header["msg_id"] = rand.Text()
	o.piece.content["text"] = rest
	return o.send(o.piece)
}

// cut returns what is to be shown of a piece that the cell prints on the stream of this name.
func (o *outbox) cut(name, piece string) string {
	if o.printed == nil {
		o.printed = map[string]*cut{}
	}
	if o.printed[name] == nil {
		o.printed[name] = &cut{}
	}
	return o.printed[name].add(piece)
}

// release sends the message that was held, if there is one.
func (o *outbox) release() error {
	if o.held == nil {
		return nil
	}
	m := *o.held
	o.held = nil
	return o.Socket.SendMulti(m)
}

// send sends p with the header and the content that p has now, and signs it again.
func (o *outbox) send(p packet) error {
	header, err := json.Marshal(p.header)
	if err != nil {
		return err
	}
	content, err := json.Marshal(p.content)
	if err != nil {
		return err
	}
	frames := slices.Clone(p.frames)
	signed := frames[p.signature+1:][:4] // header, parent header, metadata, content
	signed[0], signed[3] = header, content
	if len(o.key) > 0 {
		mac := hmac.New(sha256.New, o.key)
		mac.Write(bytes.Join(signed, nil))
		frames[p.signature] = []byte(hex.EncodeToString(mac.Sum(nil)))
	}
	return o.Socket.SendMulti(zmq4.NewMsgFrom(frames...))
}

// packet is a message of Jupyter's protocol: identities, a delimiter, the signature, and
// four JSON objects: header, parent header, metadata and content.
type packet struct {
	frames          [][]byte
	signature       int // the index of its frame
	header, content map[string]any
}

// parse returns the parts of m, and reports whether m is a message of Jupyter's protocol.
func parse(m zmq4.Msg) (p packet, ok bool) {
	delimiter := slices.IndexFunc(m.Frames, func(frame []byte) bool { return string(frame) == "<IDS|MSG>" })
	p = packet{frames: m.Frames, signature: delimiter + 1}
	if delimiter < 0 || len(m.Frames) < p.signature+5 {
		return packet{}, false
	}
	signed := p.frames[p.signature+1:] // header, parent header, metadata, content
	ok = json.Unmarshal(signed[0], &p.header) == nil && json.Unmarshal(signed[3], &p.content) == nil
	return p, ok
}
