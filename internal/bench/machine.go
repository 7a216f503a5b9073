package bench

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/internal/device"
	"github.com/agekit/age/internal/simd"
)

// Machine describes the machine that a measurement ran on.
type Machine struct {
	CPU   string `json:"cpu"`
	Cores int    `json:"cores"`
	OS    string `json:"os"`
	Arch  string `json:"arch"`
	SIMD  string `json:"simd"`
	Go    string `json:"go"`
	GPU   string `json:"gpu,omitempty"` // with its driver
}

func (m Machine) String() string {
	text := fmt.Sprintf("%s, %d cores, %s/%s, %s, %s", m.CPU, m.Cores, m.OS, m.Arch, m.SIMD, m.Go)
	if m.GPU != "" {
		text += ", " + m.GPU
	}
	return text
}

func thisMachine() Machine {
	m := Machine{Cores: runtime.GOMAXPROCS(0), OS: runtime.GOOS, Arch: runtime.GOARCH, SIMD: simd.Level(), Go: runtime.Version()}
	m.GPU, _ = device.GPU()
	info, _ := os.ReadFile("/proc/cpuinfo") // Linux; elsewhere the name stays empty
	for line := range strings.Lines(string(info)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			m.CPU = strings.TrimSpace(value)
			break
		}
	}
	return m
}

// Product is the dense product 2708×1433×500.
type Product struct {
	Backend string  `json:"backend"`
	Seconds float64 `json:"seconds"`
}

// ProductBackend returns the backend for the dense product: the named one, or by default
// XLA on the CPU if it is installed, else GoMLX's own.
func ProductBackend(name string) (backend.Choice, error) {
	if name == "" {
		if choice, err := backend.Resolve(backend.XLACPU); err == nil {
			return choice, nil
		}
		name = backend.Go
	}
	choice, err := backend.Resolve(name)
	if err == nil && choice.Name == backend.Native {
		err = fmt.Errorf("%s multiplies sparse matrices only: want go, xla:cpu, xla:cuda or xla:PATH", name)
	}
	return choice, err
}
