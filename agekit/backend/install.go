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

// The requirements pin the version and SHA-256 hash of every wheel, for x86-64
// and arm64.
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

// Installable lists the names that [Install] accepts.
func Installable() []string {
	var names []string
	for _, i := range installable {
		names = append(names, i.name)
	}
	return names
}

// Install uses Python's pip to install the XLA plugin called name, one of
// [Installable], in the user's cache directory, and returns the plugin. If it
// is already installed, it is left unchanged and fresh is false.
//
// cpu is XLA's CPU plugin (a download of 64 MB, 260 MB on disk). cuda13 is the
// plugin for NVIDIA GPUs together with NVIDIA's CUDA 13 libraries (2.9 GB on
// disk); it needs a driver that supports CUDA 13.
//
// pip checks every file against its pinned SHA-256 hash, and nothing is put in
// place until everything has been downloaded. Install returns an error for an
// unknown name, on a platform without that plugin, without python3 or network
// access, and if ctx is canceled.
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
		return Plugin{}, false, fmt.Errorf("install %s: pip installed its packages in %s, but they contain no plugin", name, target)
	}
	return p, true, nil
}

// installDir returns the folder of a plugin. Its name contains a hash of the
// pins, so that changed pins are fetched and old files are never mistaken for
// them.
func (m *machine) installDir(p pinned) string {
	sum := sha256.Sum256([]byte(p.requirements))
	return filepath.Join(m.cacheDir, fmt.Sprintf("%s-%x", p.name, sum[:4]))
}

// fetch has pip install the pinned wheels into target, a folder that appears
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
		return fmt.Errorf("pip could not fetch the pinned packages (this needs network access): %w", err)
	}
	return os.Rename(packages, target)
}

// pythonWithPip returns a Python that has pip: python3 itself, or a virtual
// environment created in work on systems that ship python3 without it.
func pythonWithPip(ctx context.Context, work string) (string, error) {
	python, err := exec.LookPath("python3")
	if err != nil {
		return "", fmt.Errorf("python3 is needed to fetch it, but is not on the PATH")
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

// run runs a command; its error ends with the last lines that the command
// printed.
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
