package report

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// policy returns the Content-Security-Policy of the page. By this policy, the browser runs only
// the scripts and applies only the style sheet whose hashes the policy has, which are the
// page's own, and loads nothing. Style attributes are allowed, since they run nothing.
// Pictures may come from data: and blob: addresses, as the map makes them.
func (v *view) policy() string {
	return "default-src 'none'; img-src data: blob:; base-uri 'none'; form-action 'none'; " +
		"script-src " + hashes(v.mapScript, string(v.Script)) + "; " +
		"style-src 'unsafe-inline'; style-src-elem " + hashes(string(v.Style)) + "; style-src-attr 'unsafe-inline'"
}

// hashes returns the SHA-256 hashes of texts in the form of a Content-Security-Policy,
// separated by spaces.
func hashes(texts ...string) string {
	var all []string
	for _, text := range texts {
		sum := sha256.Sum256([]byte(text))
		all = append(all, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
	}
	return strings.Join(all, " ")
}
