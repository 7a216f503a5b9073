package backend

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/agekit/age/internal/system"
)

// Plugin is a PJRT plugin found on this machine.
type Plugin struct {
	Device string `json:"device"` // "cpu" or "cuda"
	Path   string `json:"path"`   // its shared library
	Source string `json:"source"` // "agekit backend install" or "Python packages"
}

// Plugins lists the XLA plugins found, from [Install] and then in Python's package folders,
// but none that another user could have written. The first one of a device is used.
func Plugins() []Plugin {
	found, _ := thisMachine.plugins()
	return found
}

// HasGPU reports whether an NVIDIA GPU responds on this machine.
func HasGPU() bool { return thisMachine.hasGPU() }

// thisMachine asks Python and the driver, which are slow, only once per process.
var thisMachine = &machine{
	xlaLinked:    xlaLinked,
	cacheDir:     pluginCache(),
	sitePackages: sync.OnceValue(pythonFolders),
	hasGPU:       sync.OnceValue(hasNVIDIA),
}

// wheels lists the Python packages that contain a plugin: the device that it
// drives and its path within a folder of Python packages.
var wheels = []struct{ device, file string }{
	{"cpu", "xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so"},
	{"cuda", "jax_plugins/xla_cuda13/xla_cuda_plugin.so"},
	{"cuda", "jax_plugins/xla_cuda12/xla_cuda_plugin.so"},
}

// plugins returns the plugins found, in the order in which they are preferred. foreign has, for a device
// with a plugin that another user could have written, what is wrong with the first such plugin.
func (m *machine) plugins() (found []Plugin, foreign map[string]error) {
	found, foreign = []Plugin{}, map[string]error{}
	// consider adds the plugin for the device in the folder dir, if there is one, to found or foreign.
	consider := func(dir, device, source string) {
		p, ok := pluginIn(dir, device, source)
		if !ok {
			return
		}
		err := system.CheckTrusted(p.Path)
		switch {
		case err == nil:
			found = append(found, p)
		case foreign[device] == nil:
			foreign[device] = err
		}
	}
	if m.cacheDir != "" {
		for _, i := range installable {
			consider(m.installDir(i), i.device, installed)
		}
	}
	for _, dir := range m.sitePackages() {
		consider(dir, "cpu", fromPython)
		consider(dir, "cuda", fromPython)
	}
	return found, foreign
}

// The values of Plugin.Source.
const (
	installed  = "agekit backend install"
	fromPython = "Python packages"
)

// pluginIn returns the plugin for a device in a folder of Python packages, with the given source, or false
// if the folder has none.
func pluginIn(dir, device, source string) (Plugin, bool) {
	for _, w := range wheels {
		if w.device != device {
			continue
		}
		path := filepath.Join(dir, filepath.FromSlash(w.file))
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return Plugin{Device: device, Path: path, Source: source}, true
		}
	}
	return Plugin{}, false
}

// pluginCache returns the folder that Install writes to: agekit/plugins in the user's cache directory. It
// returns "" if the user has none; a temporary folder would not do, since anybody can write there.
func pluginCache() string {
	dir, err := os.UserCacheDir()
	if err != nil || !filepath.IsAbs(dir) {
		return ""
	}
	return filepath.Join(dir, "agekit", "plugins")
}

// pythonFolders returns the folders that python3 searches for packages, in its order, and then the user's
// own. The flag -I makes Python ignore the current folder and PYTHONPATH, so that files there neither
// run nor count as plugins.
func pythonFolders() []string {
	out := system.ProgramAnswer("python3", "-I", "-c", `import site, sys; print("\n".join(sys.path + [site.getusersitepackages()]))`)
	return slices.DeleteFunc(strings.Split(strings.TrimSpace(out), "\n"), func(dir string) bool { return !filepath.IsAbs(dir) })
}

// hasNVIDIA reports whether there is an NVIDIA GPU: whether the driver's device file exists or, where there
// is none (as in the Windows Subsystem for Linux), whether nvidia-smi lists a GPU.
func hasNVIDIA() bool {
	_, err := os.Stat("/dev/nvidiactl")
	return err == nil || strings.Contains(system.ProgramAnswer("nvidia-smi", "--list-gpus"), "GPU 0")
}
