//go:build !linux

package figure

// textWaits always reports false: outside Linux, a pipe cannot be asked for unread text, and
// the pause in afterText has to do.
func textWaits() bool { return false }
