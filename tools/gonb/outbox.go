package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/go-zeromq/zmq4"
)

// outbox is a socket that rewrites messages of the kernel, which locks it to send.
type outbox struct {
	zmq4.Socket
	key []byte
	// held is a message with the text heldStatus, the exit status of a program.
	// It waits for an error that says the same.
	held       *zmq4.Msg
	heldStatus string
}

// SendMulti sends a message of Jupyter's protocol: identities, a delimiter, the
// signature, and four JSON objects: header, parent header, metadata and content.
func (o *outbox) SendMulti(m zmq4.Msg) error {
	at := 0
	for at < len(m.Frames) && string(m.Frames[at]) != "<IDS|MSG>" {
		at++
	}
	if at+6 > len(m.Frames) {
		return o.Socket.SendMulti(m)
	}
	signed := m.Frames[at+2 : at+6]
	var header struct {
		Type string `json:"msg_type"`
	}
	var content map[string]any
	if json.Unmarshal(signed[0], &header) != nil || json.Unmarshal(signed[3], &content) != nil {
		return o.Socket.SendMulti(m)
	}

	rewrite := func(map[string]any) bool { return false }
	switch header.Type {
	case "stream", "status": // a status has no text
		if err := o.release(); err != nil {
			return err
		}
		if status := exitStatus(content); status != "" {
			o.held, o.heldStatus = &m, status
			return nil
		}
		rewrite = rewriteStream
	case "error", "execute_reply":
		if content["evalue"] == o.heldStatus {
			o.held = nil
		}
		rewrite = rewriteError
	case "complete_reply":
		rewrite = keepBeginnings
	}
	if !rewrite(content) {
		return o.Socket.SendMulti(m)
	}

	changed, err := json.Marshal(content)
	if err != nil {
		return err
	}
	signed[3] = changed
	if len(o.key) > 0 {
		mac := hmac.New(sha256.New, o.key)
		mac.Write(bytes.Join(signed, nil))
		m.Frames[at+1] = []byte(hex.EncodeToString(mac.Sum(nil)))
	}
	return o.Socket.SendMulti(m)
}

// release sends the message that was held.
func (o *outbox) release() error {
	if o.held == nil {
		return nil
	}
	m := *o.held
	o.held = nil
	return o.Socket.SendMulti(m)
}
