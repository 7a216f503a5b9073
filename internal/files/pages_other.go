//go:build !linux

package files

// LargePages does nothing here: this system decides itself.
func LargePages[T Number]([]T) {}
