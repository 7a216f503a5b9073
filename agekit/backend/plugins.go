package backend

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Plugin is a PJRT plugin found on this machine.
type Plugin struct {
	// Device is "cpu" or "cuda".
	Device string `json:"device"`
	// Path is the plugin's shared library.
	Path string `json:"path"`
	// Source is "age backend install" or "Python packages".
	Source string `json:"source"`
}

// Plugins lists the XLA plugins found, those from [Install] before those in
// Python's package folders. For each device, the first one is used.
func Plugins() []Plugin { return thisMachine.plugins() }

// HasGPU reports whether an NVIDIA GPU responds on this machine.
func HasGPU() bool { return thisMachine.hasGPU() }

// thisMachine queries Python and the driver only once per process, because
// both are slow.
var thisMachine = &machine{
	xlaLinked:    xlaLinked,
	cacheDir:     pluginCache(),
	sitePackages: sync.OnceValue(pythonPath),
	hasGPU:       sync.OnceValue(nvidiaAnswers),
}

// wheels lists the Python packages that contain a plugin: the device that it
// drives and its path within a folder of Python packages.
var wheels = []struct{ device, file string }{
	{"cpu", "xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so"},
	{"cuda", "jax_plugins/xla_cuda13/xla_cuda_plugin.so"},
	{"cuda", "jax_plugins/xla_cuda12/xla_cuda_plugin.so"},
}

func (m *machine) plugins() []Plugin {
	found := []Plugin{}
	for _, i := range installable {
		if p, ok := pluginIn(m.installDir(i), i.device, installed); ok {
			found = append(found, p)
		}
	}
	for _, dir := range m.sitePackages() {
		for _, device := range []string{"cpu", "cuda"} {
			if p, ok := pluginIn(dir, device, fromPython); ok {
				found = append(found, p)
			}
		}
	}
	return found
}

// The values of Plugin.Source.
const (
	installed  = "age backend install"
	fromPython = "Python packages"
)

// pluginIn looks for a device's plugin in a folder of Python packages.
func pluginIn(dir, device, source string) (Plugin, bool) {
	for _, w := range wheels {
		path := filepath.Join(dir, filepath.FromSlash(w.file))
		if info, err := os.Stat(path); w.device == device && err == nil && info.Mode().IsRegular() {
			return Plugin{Device: device, Path: path, Source: source}, true
		}
	}
	return Plugin{}, false
}

// pluginCache is the folder that Install writes to: agekit/plugins in the
// user's cache directory, or in the temporary directory for a user without a
// home directory.
func pluginCache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	return filepath.Join(dir, "agekit", "plugins")
}

// pythonPath returns the folders that python3 searches for packages, in its
// order, or nil if there is no python3.
func pythonPath() []string {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "python3", "-c", `import sys; print("\n".join(filter(None, sys.path)))`).Output()
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// nvidiaAnswers looks for the driver's device file or, if there is none (as in
// the Windows Subsystem for Linux), for a GPU that nvidia-smi lists.
func nvidiaAnswers() bool {
	if _, err := os.Stat("/dev/nvidiactl"); err == nil {
		return true
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "nvidia-smi", "--list-gpus").Output()
	return err == nil && strings.Contains(string(out), "GPU 0")
}
