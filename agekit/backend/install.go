package backend

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// The requirements pin version and SHA-256 of every wheel, for x86-64 and arm64.
var (
	//go:embed requirements/cpu.txt
	cpuRequirements string
	//go:embed requirements/cuda13.txt
	cuda13Requirements string
)

// pinned is a plugin that Install can fetch.
type pinned struct{ name, device, requirements string }

var installable = []pinned{
	{"cpu", "cpu", cpuRequirements},
	{"cuda13", "cuda", cuda13Requirements},
}

// Installable lists the names that Install knows.
func Installable() []string {
	var names []string
	for _, i := range installable {
		names = append(names, i.name)
	}
	return names
}

// Install fetches the XLA plugin called name, one of Installable, into the
// user's cache directory with Python's pip, and returns where it is. A plugin
// that is there already is left as it is, and fresh is false.
//
// cpu is XLA's CPU plugin (64 MB to fetch, 260 MB on disk). cuda13 is the one for
// NVIDIA GPUs together with NVIDIA's CUDA 13 libraries (2.9 GB on disk); it
// needs a driver for CUDA 13.
//
// pip checks every file against its pinned SHA-256, and nothing is put in place
// before all of it is there. Install returns an error for an unknown name, on a
// platform without that plugin, without python3 or network, and when ctx is
// cancelled.
func Install(ctx context.Context, name string) (p Plugin, fresh bool, err error) {
	return thisMachine.install(ctx, name)
}

func (m *machine) install(ctx context.Context, name string) (p Plugin, fresh bool, err error) {
	k := slices.IndexFunc(installable, func(i pinned) bool { return i.name == name })
	if k < 0 {
		return Plugin{}, false, fmt.Errorf("no plugin called %q: want %s", name, strings.Join(Installable(), " or "))
	}
	target := m.installDir(installable[k])
	if p, ok := pluginIn(target, installable[k].device, installed); ok {
		return p, false, nil
	}
	if platform := runtime.GOOS + "/" + runtime.GOARCH; platform != "linux/amd64" && platform != "linux/arm64" {
		return Plugin{}, false, fmt.Errorf("no %s plugin for %s, only for linux/amd64 and linux/arm64: use the backends native or go", name, platform)
	}
	if err := fetch(ctx, installable[k].requirements, target); err != nil {
		return Plugin{}, false, fmt.Errorf("install %s: %w", name, err)
	}
	p, ok := pluginIn(target, installable[k].device, installed)
	if !ok {
		return Plugin{}, false, fmt.Errorf("install %s: pip filled %s, but no plugin is in it", name, target)
	}
	return p, true, nil
}

// installDir is where a plugin goes. The pins are part of its name, so that new
// pins are fetched and old files never taken for them.
func (m *machine) installDir(p pinned) string {
	sum := sha256.Sum256([]byte(p.requirements))
	return filepath.Join(m.cacheDir, fmt.Sprintf("%s-%x", p.name, sum[:4]))
}

// fetch lets pip install the pinned wheels into target, a folder that appears
// only when it is complete.
func fetch(ctx context.Context, requirements, target string) error {
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp(filepath.Dir(target), "fetch-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	python, err := pythonWithPip(ctx, work)
	if err != nil {
		return err
	}
	pins, packages := filepath.Join(work, "requirements.txt"), filepath.Join(work, "packages")
	if err := os.WriteFile(pins, []byte(requirements), 0o644); err != nil {
		return err
	}
	if err := run(ctx, python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input",
		"--no-cache-dir", "--no-deps", "--require-hashes", "--only-binary=:all:", "--target", packages, "-r", pins); err != nil {
		return fmt.Errorf("pip could not fetch the pinned packages (a network is needed): %w", err)
	}
	return os.Rename(packages, target)
}

// pythonWithPip returns a Python that has pip: python3 itself, or a virtual
// environment made in work for systems that ship python3 without it.
func pythonWithPip(ctx context.Context, work string) (string, error) {
	python, err := exec.LookPath("python3")
	if err != nil {
		return "", fmt.Errorf("python3 is needed to fetch it, and is not on the PATH")
	}
	if run(ctx, python, "-m", "pip", "--version") == nil {
		return python, nil
	}
	venv := filepath.Join(work, "venv")
	if err := run(ctx, python, "-m", "venv", venv); err != nil {
		return "", fmt.Errorf("python3 has neither pip nor venv; install one of them (on Debian: python3-venv): %w", err)
	}
	return filepath.Join(venv, "bin", "python"), nil
}

// run runs a command; its error ends with the last lines that it printed.
func run(ctx context.Context, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
		return fmt.Errorf("%w\n%s", err, bytes.Join(lines[max(0, len(lines)-5):], []byte("\n")))
	}
	return nil
}
