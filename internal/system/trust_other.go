//go:build !unix

package system

import "os"

// check is [CheckTrusted], of which only that path exists is left here.
func check(path string, _, _ int) error {
	_, err := os.Stat(path)
	return err
}

// sameOwner is [SameOwner], which is always so here.
func sameOwner(string, string) bool { return true }
