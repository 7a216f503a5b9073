package report

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// policy returns the Content-Security-Policy of the page: the browser runs the page's own
// scripts and applies its own style sheet, which it knows by their hashes, and loads nothing.
// Attributes may have style, which runs nothing. Pictures are drawn as data and blobs.
func (v *view) policy() string {
	return "default-src 'none'; img-src data: blob:; base-uri 'none'; form-action 'none'; " +
		"script-src " + hashes(v.mapScript, string(v.Script)) + "; " +
		"style-src 'unsafe-inline'; style-src-elem " + hashes(string(v.Style)) + "; style-src-attr 'unsafe-inline'"
}

// hashes returns texts as sources of a Content-Security-Policy.
func hashes(texts ...string) string {
	var all []string
	for _, text := range texts {
		sum := sha256.Sum256([]byte(text))
		all = append(all, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
	}
	return strings.Join(all, " ")
}
