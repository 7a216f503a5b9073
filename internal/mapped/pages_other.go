//go:build !linux

package mapped

// LargePages does nothing here: this system decides itself.
func LargePages[T Number]([]T) {}
