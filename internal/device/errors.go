package device

import (
	"fmt"
	"strings"
)

// Recovered returns what recover returned as an error, or nil if nothing
// panicked. GoMLX panics on errors in graph code.
func Recovered(r any) error {
	err, ok := r.(error)
	if !ok && r != nil {
		err = fmt.Errorf("%v", r)
	}
	return err
}

// Error says what failed and, if the device ran out of memory, how to need less.
func Error(what, less string, err error) error {
	text := strings.ToLower(err.Error())
	if strings.Contains(text, "resource_exhausted") || strings.Contains(text, "out of memory") {
		return fmt.Errorf("%s: the device has too little memory: %s, or set AGEKIT_DEVICE_MEMORY to the free memory: %w", what, less, err)
	}
	return fmt.Errorf("%s: %w", what, err)
}
