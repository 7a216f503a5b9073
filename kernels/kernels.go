// Package kernels holds the Jupyter kernels of this project: agekit (pure Go with SIMD)
// and agekit-xla (with GoMLX's XLA). It installs them where Jupyter looks for kernels,
// lists and removes them. In the project's folder, JUPYTER_PATH=$PWD makes them visible
// without installation.
package kernels

import (
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/readfile"
)

//go:embed agekit agekit-xla
var specFiles embed.FS

// Names are the kernels' names, as `jupyter --kernel` takes them.
var Names = []string{"agekit", "agekit-xla"}

// Kernel describes a kernel as Jupyter finds it.
type Kernel struct {
	Name    string `json:"name"`
	Dir     string `json:"dir"`               // the folder with its kernel.json
	Root    string `json:"root"`              // the folder of the project whose module the cells use
	Problem string `json:"problem,omitempty"` // why it can't start; empty when it can
}

// maxSpec is the largest kernel.json that is read, in bytes.
const maxSpec = 1 << 20

// The environment variables in kernel.json that launch.sh reads.
const (
	rootVariable = "AGEKIT_ROOT"
	gonbVariable = "AGEKIT_GONB"
)

// Install writes both kernels to dataDir/kernels, over what was there before. Their cells
// use the module in root, an absolute path, and the GoNB in root/.bin.
func Install(dataDir, root string) ([]Kernel, error) {
	names, err := fs.Glob(specFiles, "*/*")
	for _, name := range names { // such as "agekit/kernel.json"
		if err := install(name, filepath.Join(dataDir, "kernels", filepath.FromSlash(name)), root); err != nil {
			return nil, fmt.Errorf("install kernel %s: %w", path.Dir(name), err)
		}
	}
	return List([]string{dataDir}), err
}

// install writes the embedded file called name, such as "agekit/kernel.json", to the path target,
// whose folder it creates. A kernel.json gets the paths of the project in the folder root.
func install(name, target, root string) error {
	data, err := specFiles.ReadFile(name)
	if err == nil && path.Base(name) == "kernel.json" {
		data, err = withPaths(data, root)
	}
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	return atomicfile.Write(target, atomicfile.Bytes(data))
}

// Jupyter replaces $name and ${name} in kernel.json's environment, and $$ by $, so a $ in a path is
// doubled when it is written there, and halved when it is read.
var doubleDollars, halveDollars = strings.NewReplacer("$", "$$"), strings.NewReplacer("$$", "$")

// withPaths returns a kernel.json with the paths of the project in the folder root, and of its
// GoNB, in the environment that it sets.
func withPaths(kernelJSON []byte, root string) ([]byte, error) {
	var spec map[string]any
	if err := json.Unmarshal(kernelJSON, &spec); err != nil {
		return nil, err
	}
	env := spec["env"].(map[string]any)
	env[rootVariable] = doubleDollars.Replace(root)
	env[gonbVariable] = doubleDollars.Replace(gonbOf(root))
	return json.MarshalIndent(spec, "", "  ")
}

// List returns the kernels of this project that are in Jupyter's data folders, in the order of the
// folders. A kernel whose kernel.json cannot be read has that as its Problem.
func List(dataDirs []string) []Kernel {
	found := []Kernel{} // not nil, which would be null in JSON
	for _, data := range dataDirs {
		for _, name := range Names {
			dir := filepath.Join(data, "kernels", name)
			if k, err := read(dir); err == nil {
				found = append(found, k)
			} else if !errors.Is(err, fs.ErrNotExist) {
				found = append(found, Kernel{Name: name, Dir: dir, Problem: err.Error()})
			}
		}
	}
	return found
}

// read reads the kernel in the folder dir and says as its Problem what it lacks to start: the
// project or GoNB. A kernel.json without paths belongs to the project that dir is part of. The
// error is about kernel.json.
func read(dir string) (Kernel, error) {
	data, err := readfile.All(filepath.Join(dir, "kernel.json"), maxSpec)
	if err != nil {
		return Kernel{}, err
	}
	var spec struct{ Env map[string]string }
	if err := json.Unmarshal(data, &spec); err != nil {
		return Kernel{}, fmt.Errorf("kernel.json: %w", err)
	}
	above := filepath.Dir(filepath.Dir(dir)) // root, if dir is root/kernels/agekit
	k := Kernel{Name: filepath.Base(dir), Dir: dir, Root: cmp.Or(halveDollars.Replace(spec.Env[rootVariable]), above)}
	gonb := cmp.Or(halveDollars.Replace(spec.Env[gonbVariable]), gonbOf(k.Root))
	if _, err := os.Stat(filepath.Join(k.Root, "go.mod")); err != nil {
		k.Problem = fmt.Sprintf("no project in %s: run `agekit kernel install` in its folder", k.Root)
	} else if _, err := os.Stat(gonb); err != nil {
		k.Problem = fmt.Sprintf("no GoNB at %s: run `make tools` in %s", gonb, k.Root)
	}
	return k, nil
}

// Remove deletes the folders of both kernels from dataDir/kernels, as far as they have a
// kernel.json, and returns the folders that it deleted.
func Remove(dataDir string) ([]string, error) {
	removed := []string{}
	for _, name := range Names {
		dir := filepath.Join(dataDir, "kernels", name)
		if _, err := os.Stat(filepath.Join(dir, "kernel.json")); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := os.RemoveAll(dir); err != nil {
			return removed, err
		}
		removed = append(removed, dir)
	}
	return removed, nil
}

// UserDataDir returns the user's Jupyter data folder: $JUPYTER_DATA_DIR if set, otherwise
// ~/Library/Jupyter on macOS, and $XDG_DATA_HOME/jupyter, by default
// ~/.local/share/jupyter, elsewhere.
func UserDataDir() (string, error) {
	if dir := os.Getenv("JUPYTER_DATA_DIR"); dir != "" {
		return dir, nil
	}
	home, err := os.UserHomeDir()
	switch data := os.Getenv("XDG_DATA_HOME"); {
	case data != "" && runtime.GOOS != "darwin":
		return filepath.Join(data, "jupyter"), nil
	case err != nil:
		return "", err
	case runtime.GOOS == "darwin":
		return filepath.Join(home, "Library", "Jupyter"), nil
	}
	return filepath.Join(home, ".local", "share", "jupyter"), nil
}

// DataDirs lists the folders in which Jupyter looks for kernels, in order:
// $JUPYTER_PATH, the user's, the active virtual environment's, the system's.
func DataDirs() []string {
	dirs := filepath.SplitList(os.Getenv("JUPYTER_PATH"))
	if user, err := UserDataDir(); err == nil {
		dirs = append(dirs, user)
	}
	if venv := os.Getenv("VIRTUAL_ENV"); venv != "" {
		dirs = append(dirs, filepath.Join(venv, "share", "jupyter"))
	}
	return append(dirs, "/usr/local/share/jupyter", "/usr/share/jupyter")
}

// gonbOf returns the path of the GoNB that `make tools` installs in the project's folder root.
func gonbOf(root string) string { return filepath.Join(root, ".bin", "gonb") }
