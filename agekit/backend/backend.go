package backend

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	_ "github.com/gomlx/compute/gobackend" // registers "go"
)

// The names that Resolve accepts, besides xla:PATH with the path of a PJRT
// plugin of the user's own.
const (
	Auto    = "auto"     // $AGE_BACKEND if set, xla:cuda where a GPU and its plugin are there, else native
	Native  = "native"   // this project's own sparse step, no GoMLX
	Go      = "go"       // GoMLX's pure Go backend
	XLACPU  = "xla:cpu"  // XLA on the CPU
	XLACUDA = "xla:cuda" // XLA on an NVIDIA GPU
)

// Variable is the environment variable that says what Auto chooses. Notebooks
// leave the choice to Auto, so that one variable runs them on another backend.
const Variable = "AGE_BACKEND"

// Errors of [Resolve] that callers tell apart with [errors.Is]. The message around
// them says what to do.
var (
	// ErrUnknown says that no backend has the name.
	ErrUnknown = errors.New("unknown backend")
	// ErrNoXLA says that the program was built without XLA.
	ErrNoXLA = errors.New("this program was built without XLA")
	// ErrNoGPU says that no NVIDIA GPU answers.
	ErrNoGPU = errors.New("no NVIDIA GPU found")
	// ErrNoPlugin says that XLA's plugin for the device is not installed;
	// [Install] fetches it.
	ErrNoPlugin = errors.New("no plugin found")
)

// Choice is a backend that can be opened, and why it was chosen.
type Choice struct {
	// Name is what results report: Native, Go, XLACPU, XLACUDA or xla:PATH.
	Name string `json:"name"`
	// Config is the GoMLX backend configuration; empty for Native.
	Config string `json:"config,omitempty"`
	// Plugin is the path of the PJRT plugin; empty without XLA.
	Plugin string `json:"plugin,omitempty"`
	// Reason says in a few words why this one was chosen.
	Reason string `json:"reason"`
}

// Resolve turns the name of a backend into a choice. An empty name means Auto.
//
// The error is [ErrUnknown], [ErrNoXLA], [ErrNoGPU] or [ErrNoPlugin], or says that
// the plugin at the user's path is not a file.
func Resolve(name string) (Choice, error) { return thisMachine.resolve(name) }

// Open returns the GoMLX backend of c. XLA never downloads anything by itself
// here: plugins come from Install or from the user.
//
// It returns an error where the plugin cannot be loaded or finds no device. It
// panics for Native, which is not a GoMLX backend.
func Open(c Choice) (b compute.Backend, err error) {
	if c.Config == "" {
		panic(fmt.Sprintf("backend: %s is not a GoMLX backend", c.Name))
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("backend %s: %v", c.Name, r)
		}
	}()
	config := c.Config
	if c.Plugin != "" {
		prepareXLA(c.Plugin)
		config += xlaOptions(c.Plugin)
	}
	b, err = compute.NewWithConfig(config)
	if err != nil {
		return nil, fmt.Errorf("backend %s: %w", c.Name, err)
	}
	return b, nil
}

// machine is what Resolve looks at, so that tests can put another in its place.
type machine struct {
	xlaLinked    bool            // XLA is part of this program
	cacheDir     string          // where Install puts plugins
	sitePackages func() []string // Python's package folders
	hasGPU       func() bool     // an NVIDIA device answers
}

func (m *machine) resolve(name string) (Choice, error) {
	reason := "asked for"
	if name == "" || name == Auto {
		if name = os.Getenv(Variable); name == "" || name == Auto {
			return m.automatic(), nil
		}
		reason = "named in $" + Variable
	}
	switch {
	case name == Native || name == Go:
		c := Choice{Name: name, Reason: reason}
		if name == Go {
			c.Config = "go"
		}
		return c, nil
	case !strings.HasPrefix(name, "xla:"):
		return Choice{}, fmt.Errorf("%w %q: want auto, native, go, xla:cpu, xla:cuda or xla:PATH", ErrUnknown, name)
	case !m.xlaLinked:
		return Choice{}, fmt.Errorf("backend %s: %w (cgo off, or build tag noxla); "+
			"build it with cgo and without that tag, in notebooks choose the kernel agekit-xla, or use native or go", name, ErrNoXLA)
	}
	plugin, err := m.find(name)
	if err != nil {
		return Choice{}, fmt.Errorf("backend %s: %w", name, err)
	}
	return xlaChoice(name, plugin, reason), nil
}

// automatic chooses a GPU where everything for it is there.
func (m *machine) automatic() Choice {
	native := func(why string) Choice { return Choice{Name: Native, Reason: why} }
	if !m.hasGPU() {
		return native("no NVIDIA GPU")
	}
	if !m.xlaLinked {
		return native("an NVIDIA GPU is here, but this program was built without XLA")
	}
	plugin, err := m.find(XLACUDA)
	if err != nil {
		return native("an NVIDIA GPU is here, but no XLA plugin for it: age backend install cuda13")
	}
	return xlaChoice(XLACUDA, plugin, "NVIDIA GPU and its XLA plugin found")
}

// find returns the path of the plugin for an xla:… name.
func (m *machine) find(name string) (string, error) {
	kind := strings.TrimPrefix(name, "xla:")
	switch kind {
	case "":
		return "", fmt.Errorf("no plugin named: want xla:cpu, xla:cuda or xla:PATH")
	case "cuda":
		if !m.hasGPU() {
			return "", fmt.Errorf("%w (no /dev/nvidiactl, and nvidia-smi lists none)", ErrNoGPU)
		}
	case "cpu":
	default:
		path, err := filepath.Abs(kind)
		if err != nil {
			return "", err
		}
		if info, err := os.Stat(path); err != nil || info.IsDir() {
			return "", fmt.Errorf("no plugin file at %s: want the path of a PJRT plugin (.so)", path)
		}
		return path, nil
	}
	for _, p := range m.plugins() {
		if p.Device == kind {
			return p.Path, nil
		}
	}
	k := slices.IndexFunc(installable, func(i pinned) bool { return i.device == kind })
	return "", fmt.Errorf("%w: install it with `age backend install %s`", ErrNoPlugin, installable[k].name)
}

func xlaChoice(name, plugin, reason string) Choice {
	return Choice{Name: name, Config: "xla:" + plugin, Plugin: plugin, Reason: reason}
}
