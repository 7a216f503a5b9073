package system

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Pip runs a command of Python's pip, such as "download", with these arguments, for the wheels that the text
// requirements pins by version and SHA-256 hash. Temporary files, with a virtual environment if python3
// has no pip, are in the folder dir/.work, which must not exist: nothing stays where dir is removed.
func Pip(ctx context.Context, dir, requirements, command string, args ...string) error {
	work := filepath.Join(dir, ".work")
	if err := os.Mkdir(work, 0o700); err != nil {
		return err
	}
	python, err := pythonWithPip(ctx, work)
	if err != nil {
		return err
	}
	pins := filepath.Join(work, "requirements.txt")
	if err := os.WriteFile(pins, []byte(requirements), 0o600); err != nil {
		return err
	}
	all := append([]string{"-I", "-m", "pip", command, "--quiet", "--disable-pip-version-check", "--no-input",
		"--no-cache-dir", "--no-deps", "--require-hashes", "--only-binary=:all:", "-r", pins}, args...)
	if err := runIn(ctx, work, python, all...); err != nil {
		return fmt.Errorf("pip could not fetch the pinned packages (this needs network access): %w", err)
	}
	return os.RemoveAll(work)
}

// pythonWithPip returns the path of a Python that has pip: python3 itself, or that of a virtual environment
// created in the folder work. The option -I, here and in [Pip], keeps a module of the current folder from
// running in pip's place. pip's configuration, such as a mirror, remains the user's: the hashes decide
// what is accepted.
func pythonWithPip(ctx context.Context, work string) (string, error) {
	// On the PATH, python3 may be a script that starts Python, which would outlive
	// the script if this process is killed.
	out, err := ProgramOutput(ctx, "python3", "-I", "-c", "import sys; print(sys.executable)")
	if err != nil {
		return "", fmt.Errorf("python3 is needed to fetch it: %w", err)
	}
	python := strings.TrimSpace(string(out))
	if runIn(ctx, work, python, "-I", "-m", "pip", "--version") == nil {
		return python, nil
	}
	venv := filepath.Join(work, "venv")
	if err := runIn(ctx, work, python, "-I", "-m", "venv", venv); err != nil {
		return "", fmt.Errorf("python3 has neither pip nor venv; install one of them (on Debian: python3-venv): %w", err)
	}
	return filepath.Join(venv, "bin", "python"), nil
}

// runIn runs the program called name, which puts its temporary files in the folder work. The error ends with
// the last lines that the program printed.
func runIn(ctx context.Context, work, name string, args ...string) error {
	cmd, err := Command(ctx, name, args...)
	if err != nil {
		return err
	}
	cmd.Env = append(os.Environ(), "TMPDIR="+work)
	var printed []byte
	err = RunProgram(func() error { printed, err = cmd.CombinedOutput(); return err })
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("%w\n%s", err, LastLines(printed, 5))
	}
	return nil
}
