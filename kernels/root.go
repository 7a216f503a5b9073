package kernels

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/agekit/age/internal/readfile"
	"github.com/agekit/age/internal/system"
)

// moduleLine is the line of go.mod by which this project is known.
var moduleLine = regexp.MustCompile(`(?m)^module github\.com/agekit/age$`)

// maxModFile is the largest go.mod that is read, in bytes.
const maxModFile = 1 << 20

// ProjectRoot returns the folder start or its nearest parent folder that contains this project's
// go.mod. Programs in that folder are run later, so a parent folder must have the same owner as
// start, or belong to the user and be safe from others.
func ProjectRoot(start string) (string, error) {
	start, err := filepath.Abs(start)
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if data, err := readfile.All(filepath.Join(dir, "go.mod"), maxModFile); err == nil && moduleLine.Match(data) {
			// The user chose the folder to start from, but not what is above it.
			if err := system.CheckTrusted(dir); err != nil && !system.SameOwner(start, dir) {
				return "", fmt.Errorf("%s has this project's go.mod, but %w; to use it nevertheless, run this in that folder", dir, err)
			}
			return dir, nil
		}
		if dir == filepath.Dir(dir) { // the root of the file system
			return "", errors.New("the current folder is not in the project's folder: run this where go.mod says github.com/agekit/age")
		}
	}
}

// OwnProject returns the folder of the project that this program was built in, such as that of .bin/agekit.
// The program may be started by a link.
func OwnProject() (string, error) {
	program, err := os.Executable()
	if err != nil {
		return "", err
	}
	return projectOf(program)
}

// projectOf is [OwnProject] for the program at a path.
func projectOf(program string) (string, error) {
	program, err := filepath.EvalSymlinks(program)
	if err != nil {
		return "", err
	}
	return ProjectRoot(filepath.Dir(program))
}

// PythonPath returns the path of the Python interpreter that scripts/jupyter.sh installs in the
// project's folder root.
func PythonPath(root string) string { return filepath.Join(root, ".venv", "bin", "python") }

// CheckSetup returns an error that says what the project's folder root lacks to run a notebook with
// a kernel, or only to convert one if kernel is "".
func CheckSetup(root, kernel string) error {
	if separators := string([]rune{',', os.PathListSeparator}); strings.ContainsAny(root, separators) {
		return fmt.Errorf("the project's folder %s contains one of %s, which separate paths for Jupyter and GoNB: move it", root, separators)
	}
	if _, err := os.Stat(PythonPath(root)); err != nil {
		return fmt.Errorf("no Jupyter in %s: run `make jupyter` there", root)
	}
	for _, k := range List([]string{root}) {
		if k.Name == kernel && k.Problem != "" {
			return fmt.Errorf("kernel %s: %s", k.Name, k.Problem)
		}
	}
	return nil
}
