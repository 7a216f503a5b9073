//go:build !linux

package figure

// textWaits is not implemented here: the pause in afterText has to do.
func textWaits() bool { return false }
