package exercise

import (
	"os"
	"testing"
)

// TestMain gives the checks that train a store of their own, so that they do not
// find results of earlier versions.
func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "agekit-test-*")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		os.Setenv("AGE_STORE", dir)
		os.Setenv("AGE_BACKEND", "native")
		return m.Run()
	}())
}
