//go:build !(goexperiment.simd && amd64)

package simd

import "testing"

func atEveryLevel(t *testing.T, test func(t *testing.T)) { t.Run(Level(), test) }
