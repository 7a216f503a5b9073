package files

import (
	"context"
	"testing"
)

// Interrupt is testutil.Interrupt. Tests in this package cannot import it, because testutil
// imports this package; those outside can, and set it.
var Interrupt func(t *testing.T, what string, least int, run func(context.Context) error)
