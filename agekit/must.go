package agekit

import "github.com/agekit/age/internal/cell"

// Must returns value, or exits the cell with the error. It keeps cells short:
//
//	g := agekit.Must(agekit.Load("cora"))
func Must[T any](value T, err error) T {
	Check(err)
	return value
}

// Check prints err and the line of the cell, and exits the cell, unless err is nil.
func Check(err error) { cell.Check(err) }

// Show shows figures and tables in the cell's output, one after the other. If
// one of them holds an error, Show prints it and exits the cell.
func Show(parts ...interface{ Show() error }) {
	for _, p := range parts {
		Check(p.Show())
	}
}
