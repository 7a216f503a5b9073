package backend

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/readfile"
	"github.com/dustin/go-humanize/english"
	"github.com/gomlx/compute"
	_ "github.com/gomlx/compute/gobackend" // registers "go"
)

// The names that [Resolve] accepts, in addition to xla:PATH with the path of a
// PJRT plugin that the user supplies.
const (
	Auto    = "auto"     // $AGEKIT_BACKEND if set, xla:cuda if there is a GPU and its plugin, else native
	Native  = "native"   // this project's own sparse step, without GoMLX
	Go      = "go"       // GoMLX's pure Go backend
	XLACPU  = "xla:cpu"  // XLA on the CPU
	XLACUDA = "xla:cuda" // XLA on an NVIDIA GPU
)

// Names lists the names that [Resolve] accepts, for help and messages: "auto, native, … or xla:PATH".
func Names() string { return english.WordSeries(append(slices.Clone(named), "xla:PATH"), "or") }

// Named lists the names that [Resolve] accepts without xla:PATH: no path of code is one of them.
func Named() []string { return slices.Clone(named) }

// named are the backends with a name of their own.
var named = []string{Auto, Native, Go, XLACPU, XLACUDA}

// backendVariable names the environment variable with the backend that Auto means. Notebooks use Auto.
const backendVariable = "AGEKIT_BACKEND"

// Errors that callers can distinguish with [errors.Is].
var (
	// ErrUnknown means that no backend, or no plugin to install, has that name.
	ErrUnknown = errors.New("unknown")
	// ErrUnavailable means that the backend cannot run here: the message says why.
	ErrUnavailable = errors.New("backend not available")
)

// kindError is an error that is ErrUnknown or ErrUnavailable, but says more.
type kindError struct {
	kind error
	text string
}

func (e kindError) Error() string { return e.text }
func (e kindError) Unwrap() error { return e.kind }

func unavailable(text string) error { return kindError{ErrUnavailable, text} }

var errForeignPlugin = unavailable("another user could have changed the plugin")

// Choice is a backend that can be opened, and why it was chosen. The key of a stored result has only its
// name, from which the other fields follow.
type Choice struct {
	Name   string `json:"name"`                     // what results report: Native, Go, XLACPU, XLACUDA or xla:PATH
	Config string `json:"config,omitempty" key:"-"` // GoMLX's; empty for Native
	Plugin string `json:"plugin,omitempty" key:"-"` // the path of the PJRT plugin; empty without XLA
	Reason string `json:"reason" key:"-"`           // why this backend was chosen, in a few words
}

// OnGPU reports whether the device is a GPU: whether the PJRT plugin is one for CUDA.
func (c Choice) OnGPU() bool { return strings.Contains(filepath.Base(c.Plugin), "cuda") }

// Environment returns the variables that the program must set before [Open]: XLA reads only
// from XLA_FLAGS where CUDA's tools are. What the user has set stays. The map is nil if
// nothing has to be set.
func (c Choice) Environment() map[string]string { return environment(c.Plugin) }

// Resolve turns the name of a backend into a [Choice]; "" means Auto.
//
// A plugin that Resolve finds itself, and the folders that hold it, must belong to this user
// or to root, and be writable by nobody else. One that the caller names with xla:PATH is the
// caller's decision. The error is [ErrUnknown] or [ErrUnavailable], or says what is wrong
// with the file at that path.
func Resolve(name string) (Choice, error) { return thisMachine.resolve(name) }

// Open opens the GoMLX backend of c. XLA downloads nothing itself. It returns an error if
// the plugin cannot be loaded or finds no device, or if [Choice.Environment] is not set.
// It panics for Native.
func Open(c Choice) (compute.Backend, error) {
	if c.Config == "" {
		panic(fmt.Sprintf("backend: %s is not a GoMLX backend", c.Name))
	}
	b, err := open(c)
	if err != nil {
		return nil, fmt.Errorf("backend %s: %w", c.Name, err)
	}
	return b, nil
}

// open opens a GoMLX backend. What GoMLX reports by a panic is an error.
func open(c Choice) (b compute.Backend, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	switch {
	case c.Plugin != "":
		return openPlugin(c)
	case c.Name == Go:
		return openGo(c.Config)
	}
	return compute.NewWithConfig(c.Config)
}

// openPlugin opens XLA with the choice's plugin.
func openPlugin(c Choice) (compute.Backend, error) {
	if err := checkLibrary(c.Plugin); err != nil {
		return nil, err
	}
	options, err := prepareXLA(c.Plugin)
	if err != nil {
		return nil, err
	}
	return compute.NewWithConfig(c.Config + options)
}

// openGo opens GoMLX's Go backend with the given configuration, so that no operations can wait for each
// other forever: without the bound on workers or, if that cannot be removed, with one operation at a time.
func openGo(config string) (compute.Backend, error) {
	b, err := compute.NewWithConfig(config)
	if err != nil || removeWorkerBound(b) {
		return b, err
	}
	b.Finalize()
	return compute.NewWithConfig(config + ":ops_sequential")
}

// removeWorkerBound removes the bound on the workers of GoMLX's Go backend, and reports whether it
// could. With a bound, operations that hold workers while they wait for more can stop
// forever (github.com/gomlx/compute v0.1.2, whose option parallelism=-1 prints to the
// standard output). Without it, an operation still uses at most one worker per core;
// operations one by one take up to 1.7 times as long.
func removeWorkerBound(b compute.Backend) bool {
	v := reflect.Indirect(reflect.ValueOf(b))
	if v.Kind() != reflect.Struct {
		return false
	}
	workers := v.FieldByName("Workers") // invalid if there is none
	if !workers.CanInterface() {
		return false
	}
	pool, ok := workers.Interface().(interface{ SetMaxParallelism(int) })
	if ok {
		const unbounded = -1
		pool.SetMaxParallelism(unbounded)
	}
	return ok
}

// libraryMagic has the first bytes of a shared library of Linux, of macOS (for one processor and for
// several) and of Windows.
var libraryMagic = []string{"\x7fELF", "\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe", "MZ"}

// checkLibrary returns an error unless the file plugin is a regular one that begins like a shared library.
// The system's loader would wait forever for a pipe, and explain little about other files.
func checkLibrary(plugin string) error {
	f, _, err := readfile.Open(plugin)
	if err != nil {
		return err
	}
	defer f.Close()
	const longestMagic = 4
	begin, err := io.ReadAll(io.LimitReader(f, longestMagic))
	if err != nil {
		return err
	}
	for _, magic := range libraryMagic {
		if strings.HasPrefix(string(begin), magic) {
			return nil
		}
	}
	return fmt.Errorf("%s is no shared library, it begins with %q: want a PJRT plugin", plugin, begin)
}

// machine is what Resolve and Install examine of the machine. Tests substitute another one.
type machine struct {
	xlaLinked    bool            // whether XLA is part of this program
	cacheDir     string          // the folder for installed plugins; empty if there is none
	sitePackages func() []string // returns Python's package folders
	hasGPU       func() bool     // reports whether an NVIDIA device responds
}

// resolve is [Resolve] for the machine m.
func (m *machine) resolve(name string) (Choice, error) {
	reason := "asked for"
	if name == "" || name == Auto {
		if name = os.Getenv(backendVariable); name == "" || name == Auto {
			return m.resolveAuto(), nil
		}
		reason = "set by $" + backendVariable
	}
	switch {
	case name == Native:
		return Choice{Name: Native, Reason: reason}, nil
	case name == Go:
		return Choice{Name: Go, Config: "go", Reason: reason}, nil
	case !strings.HasPrefix(name, "xla:"):
		return Choice{}, kindError{ErrUnknown, "unknown backend " + message.Quote(name) + ": want " + Names()}
	case !m.xlaLinked:
		return Choice{}, fmt.Errorf("backend %s: %w", name, unavailable("this program was built without XLA (cgo disabled, or build tag noxla); "+
			"build it with cgo and without that tag, choose the kernel agekit-xla in notebooks, or use native or go"))
	}
	plugin, err := m.findPlugin(name)
	if err != nil {
		return Choice{}, fmt.Errorf("backend %s: %w", name, err)
	}
	return xlaChoice(name, plugin, reason), nil
}

// resolveAuto chooses the GPU if everything that it needs is present, else Native. The reason says what is
// missing.
func (m *machine) resolveAuto() Choice {
	native := func(why string) Choice { return Choice{Name: Native, Reason: why} }
	if !m.hasGPU() {
		return native("no NVIDIA GPU")
	}
	if !m.xlaLinked {
		return native("NVIDIA GPU found, but this program was built without XLA")
	}
	plugin, err := m.findPlugin(XLACUDA)
	if errors.Is(err, errForeignPlugin) {
		return native("NVIDIA GPU found, but not used: " + err.Error())
	}
	if err != nil {
		return native("NVIDIA GPU found, but no XLA plugin for it; to install one, run agekit backend install cuda13")
	}
	return xlaChoice(XLACUDA, plugin, "NVIDIA GPU and its XLA plugin found")
}

// findPlugin returns the path of the plugin for the name of a backend that begins with "xla:": for xla:cpu
// and xla:cuda the first that is found for the device, and otherwise the file that the name has.
func (m *machine) findPlugin(name string) (string, error) {
	kind := strings.TrimPrefix(name, "xla:")
	switch kind {
	case "":
		return "", fmt.Errorf("no plugin named: want xla:cpu, xla:cuda or xla:PATH")
	case "cuda":
		if !m.hasGPU() {
			return "", unavailable("no NVIDIA GPU found (no /dev/nvidiactl, and nvidia-smi lists none)")
		}
	case "cpu":
	default:
		return namedPlugin(kind)
	}
	found, foreign := m.plugins()
	for _, p := range found {
		if p.Device == kind {
			return p.Path, nil
		}
	}
	if err := foreign[kind]; err != nil {
		return "", fmt.Errorf("%w: %w; install one with `agekit backend install`, or name this one with xla:PATH", errForeignPlugin, err)
	}
	k := slices.IndexFunc(installable, func(i pinned) bool { return i.device == kind })
	return "", unavailable("no plugin found: install it with `agekit backend install " + installable[k].name + "`")
}

// namedPlugin returns the absolute path of the plugin at the path that the user gave. It returns an error if
// no regular file is there.
func namedPlugin(given string) (string, error) {
	path, err := filepath.Abs(given)
	if err != nil {
		return "", err
	}
	if strings.Contains(path, ",") { // GoMLX would take the rest for options
		return "", fmt.Errorf("the plugin's path %s contains a comma: want one without", path)
	}
	f, _, err := readfile.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("no plugin file at %s: want the path of a PJRT plugin (.so)", path)
	}
	if err != nil {
		return "", err
	}
	return path, f.Close()
}

// xlaChoice returns the choice of XLA with the plugin at a path, under a backend's name and for a reason.
func xlaChoice(name, plugin, reason string) Choice {
	return Choice{Name: name, Config: "xla:" + plugin, Plugin: plugin, Reason: reason}
}
