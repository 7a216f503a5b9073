// Package play is what the pages of the site ask of agekit. A [Player] holds a page's
// graph and training, and answers one [Request] after the other: the page decides when the
// next epoch is trained, so it can pause, step, go back and change settings. Package
// program answers the same requests in the browser, compiled to WebAssembly.
package play
