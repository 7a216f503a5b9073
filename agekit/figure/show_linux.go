package figure

import "golang.org/x/sys/unix"

// textWaits reports whether standard output is a pipe with text that nobody has read yet.
func textWaits() bool {
	n, err := unix.IoctlGetInt(unix.Stdout, unix.TIOCINQ)
	return err == nil && n > 0
}
