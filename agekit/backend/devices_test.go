package backend

import (
	"errors"
	"strings"
	"testing"
)

// TestDevices: an error says how many devices a backend has, and which, and that XLA's
// devices on a processor need threads.
func TestDevices(t *testing.T) {
	failed := func(c Choice, want string) {
		t.Helper()
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s with %d devices: error %v, want one with %q", c.Name, c.Devices, err, want)
		} else if errors.Is(err, ErrUnavailable) != strings.Contains(want, "found") {
			t.Errorf("error %v: is %q %v", err, ErrUnavailable, errors.Is(err, ErrUnavailable))
		}
	}
	native, pure := Choice{Name: Native, Devices: 1}, Choice{Name: Go, Config: "go", Devices: 1}
	for _, c := range []Choice{native, pure} {
		if err := c.Check(); err != nil || c.Environment() != nil {
			t.Errorf("%s: error %v, variables %v", c.Name, err, c.Environment())
		}
		c.Devices = 2
		failed(c, "backend "+c.Name+": 2 devices wanted, found 1; XLA alone has several")
	}
	c, err := Resolve(XLACPU)
	if err != nil {
		t.Skipf("XLA IS NOT TESTED: %v", err)
	}
	t.Setenv("NPROC", "2")
	if c.Devices = 4; len(c.Environment()) != 1 {
		t.Fatalf("variables %v, want one", c.Environment())
	}
	failed(c, `NPROC is "2": want `)
	for name, value := range c.Environment() {
		t.Setenv(name, value)
	}
	if err := c.Check(); err != nil || c.Environment() != nil {
		t.Errorf("error %v, variables %v", err, c.Environment())
	}
	c.Devices = 5
	t.Setenv("NPROC", c.Environment()["NPROC"])
	failed(c, "backend xla:cpu: 5 devices wanted, found 4 (TFRT_CPU_0, TFRT_CPU_1, TFRT_CPU_2, TFRT_CPU_3)")
}
