package backend

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/system"
)

// The requirements pin the version and SHA-256 hash of every wheel, by architecture.
var (
	//go:embed requirements/cpu.txt
	cpuRequirements string
	//go:embed requirements/cuda13.txt
	cuda13Requirements string
)

// pinned is a plugin that Install can install.
type pinned struct {
	name         string // for Install
	device       string // that the plugin drives, "cpu" or "cuda"
	requirements string // the pinned wheels, in pip's format
}

// installable are the plugins that Install can install.
var installable = []pinned{
	{name: "cpu", device: "cpu", requirements: cpuRequirements},
	{name: "cuda13", device: "cuda", requirements: cuda13Requirements},
}

// Install uses Python's pip to install the XLA plugin called name in the user's cache
// directory, and returns it: "cpu", XLA's CPU plugin (a download of 64 MB, 260 MB on disk),
// or "cuda13", the plugin for NVIDIA GPUs with NVIDIA's CUDA 13 libraries (2.9 GB on disk),
// which needs a driver that supports CUDA 13. An installed plugin stays unchanged, and fresh
// is false. If another process is installing a plugin, Install waits for it. log, unless
// nil, receives a line before a download and before a wait.
//
// pip checks every file against its pinned SHA-256 hash, and nothing is put in place
// until everything has been downloaded. The error is [ErrUnknown] for another name, and
// [ErrUnavailable] if other users can write that directory.
func Install(ctx context.Context, name string, log func(line string)) (p Plugin, fresh bool, err error) {
	return thisMachine.install(ctx, name, log)
}

// install is [Install] for the machine m.
func (m *machine) install(ctx context.Context, name string, log func(line string)) (p Plugin, fresh bool, err error) {
	if log == nil {
		log = func(string) {}
	}
	k := slices.IndexFunc(installable, func(i pinned) bool { return i.name == name })
	if k < 0 {
		return p, false, kindError{ErrUnknown, "unknown plugin " + message.Quote(name) + ": want cpu or cuda13"}
	}
	defer func() {
		if err != nil {
			p, fresh, err = Plugin{}, false, fmt.Errorf("install %s: %w", name, err)
		}
	}()
	if m.cacheDir == "" {
		return p, false, errors.New("no folder for it: set HOME or XDG_CACHE_HOME to an absolute path")
	}
	if platform := runtime.GOOS + "/" + runtime.GOARCH; platform != "linux/amd64" && platform != "linux/arm64" {
		return p, false, fmt.Errorf("no %s plugin for %s, only for linux/amd64 and linux/arm64: use the backends native or go", name, platform)
	}
	if err := os.MkdirAll(m.cacheDir, 0o755); err != nil {
		return p, false, err
	}
	if err := checkTrusted(m.cacheDir); err != nil { // before a long download
		return p, false, err
	}
	plugin := installable[k]
	target := m.installDir(plugin)
	p, isThere := pluginIn(target, plugin.device, installed)
	if !isThere {
		log("downloading the XLA plugin " + name)
		waiting := func() { log("another process is installing a plugin: waiting for it") }
		if fresh, err = fetch(ctx, plugin.requirements, target, waiting); err != nil {
			return p, false, err
		}
		if p, isThere = pluginIn(target, plugin.device, installed); !isThere {
			return p, false, fmt.Errorf("%s contains no plugin: remove it", target)
		}
	}
	return p, fresh, checkTrusted(p.Path)
}

// checkTrusted returns an error if another user could have written what is at path.
func checkTrusted(path string) error {
	if err := system.CheckTrusted(path); err != nil {
		return fmt.Errorf("%w: %w", errForeignPlugin, err)
	}
	return nil
}

// installDir returns the folder in which the plugin p is installed. Its name has a hash of the pins, so that
// files of earlier pins are never taken for those of the present ones.
func (m *machine) installDir(p pinned) string {
	sum := sha256.Sum256([]byte(p.requirements))
	return filepath.Join(m.cacheDir, fmt.Sprintf("%s-%x", p.name, sum[:4]))
}

// fetch lets pip install the wheels that requirements pin into the folder target, which appears only when
// it is complete. It calls waiting before it waits for another process that does the same. fresh is false
// if that process has installed them.
func fetch(ctx context.Context, requirements, target string, waiting func()) (fresh bool, err error) {
	return fresh, atomicfile.WriteTree(ctx, target, waiting, func(packages string) error {
		fresh = true
		return system.Pip(ctx, packages, requirements, "install", "--target", packages)
	})
}
