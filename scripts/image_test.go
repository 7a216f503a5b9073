//go:build unix

package scripts

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agekit/age/internal/testutil"
)

// read returns the text of a file.
func read(t *testing.T, path string) string {
	t.Helper()
	data := testutil.Value(os.ReadFile(path)).OrFatal(t)
	return string(data)
}

// write writes a text to a file, which can be run, in a folder that need not exist.
func write(t *testing.T, path, text string) {
	t.Helper()
	testutil.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	testutil.NoError(t, os.WriteFile(path, []byte(text), 0o755))
}

// first returns what the group of a regular expression matches in text, at its first match. ^ and $ match at
// the ends of lines. Without a match, the test fails.
func first(t *testing.T, expression, text string) string {
	t.Helper()
	m := regexp.MustCompile("(?m)" + expression).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("nothing matches %s", expression)
	}
	return m[1]
}

// TestDevcontainer: what devcontainer.json names exists: the folder, the stage and the user of the Dockerfile,
// the Makefile's targets, and the kernels in JUPYTER_PATH. Dev Containers would find a mistake only after
// minutes of building.
func TestDevcontainer(t *testing.T) {
	text := regexp.MustCompile(`(?m)^\s*//.*$`).ReplaceAllString(read(t, "../.devcontainer/devcontainer.json"), "")
	var c struct {
		Build                            struct{ Dockerfile, Context, Target string }
		RemoteUser, UpdateContentCommand string
		RemoteEnv                        map[string]string
	}
	testutil.NoError(t, json.Unmarshal([]byte(text), &c))
	dockerfile := read(t, filepath.Join("../.devcontainer", c.Build.Dockerfile))
	context := testutil.Value(os.Stat(filepath.Join("../.devcontainer", c.Build.Context))).OrFatal(t)
	if root, err := os.Stat(".."); err != nil || !os.SameFile(context, root) {
		t.Errorf("the build's context %q is not the project's folder (%v)", c.Build.Context, err)
	}
	if stage := first(t, `^FROM .* AS (\w+)$`, dockerfile); stage != c.Build.Target {
		t.Errorf("the target is %q, want the Dockerfile's first stage %q", c.Build.Target, stage)
	}
	if user := first(t, `^ARG NB_USER=(\w+)$`, dockerfile); user != c.RemoteUser {
		t.Errorf("the user is %q, want the Dockerfile's %q", c.RemoteUser, user)
	}
	goals, isMake := strings.CutPrefix(c.UpdateContentCommand, "make ")
	makefile := read(t, "../Makefile")
	for goal := range strings.FieldsSeq(goals) {
		if !isMake || !strings.Contains(makefile, "\n"+goal+":") {
			t.Errorf("%q: no rule for %q in the Makefile", c.UpdateContentCommand, goal)
		}
	}
	if got := c.RemoteEnv["JUPYTER_PATH"]; got != "${containerWorkspaceFolder}" {
		t.Errorf("JUPYTER_PATH is %q: there are no kernels", got)
	}
	if _, err := os.Stat("../kernels/agekit/kernel.json"); err != nil {
		t.Error(err)
	}
}

// TestOneGo: the Dockerfile takes Go's image by its digest, and colab.sh installs the same version of Go, with a
// checksum.
func TestOneGo(t *testing.T) {
	image := first(t, `^FROM golang:([0-9.]+)-bookworm@sha256:[0-9a-f]{64} `, read(t, "../Dockerfile"))
	colab := read(t, "colab.sh")
	if got := first(t, `^version=([0-9.]+)$`, colab); got != image {
		t.Errorf("colab.sh installs Go %s, and the image has %s", got, image)
	}
	first(t, `^sha256=([0-9a-f]{64})$`, colab) // of Go's archive: it is there
}

// TestDockerignore: each pattern of .gitignore is in .dockerignore too, in Docker's notation, so that what git
// ignores, such as a machine's own programs, does not get into the image.
func TestDockerignore(t *testing.T) {
	ignored := "\n" + read(t, "../.dockerignore")
	for line := range strings.Lines(read(t, "../.gitignore")) {
		pattern := strings.TrimSpace(line)
		if trimmed, atRoot := strings.CutPrefix(pattern, "/"); atRoot {
			pattern = strings.TrimSuffix(trimmed, "/")
		} else { // at any depth, which Docker has to be told
			pattern = "**/" + strings.TrimSuffix(pattern, "/")
		}
		if !strings.Contains(ignored, "\n"+pattern+"\n") {
			t.Errorf("no line %s in .dockerignore", pattern)
		}
	}
}

// TestColab runs colab.sh with stubs for curl, make and agekit, which record their calls. It refuses to run
// outside of Colab. If the download is not the Go whose checksum it has, it installs and calls nothing. With
// that Go installed, it calls make and agekit kernel install, and names the kernel as Jupyter does.
func TestColab(t *testing.T) {
	for _, tool := range []string{"bash", "sha256sum"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	project, prefix := t.TempDir(), t.TempDir()
	calls := filepath.Join(project, "calls")
	script := read(t, "colab.sh")
	write(t, filepath.Join(project, "scripts/colab.sh"), script)
	for _, name := range []string{"stubs/make", ".bin/agekit"} {
		write(t, filepath.Join(project, name), "#!/bin/sh\necho \"${0##*/} $*\" >>"+calls+"\n")
	}
	// curl downloads something else than Go.
	write(t, filepath.Join(project, "stubs/curl"), "#!/bin/sh\nfor file; do case $file in */go.tar.gz) echo other >\"$file\"; exit;; esac; done\n")
	installed := filepath.Join(prefix, "go/bin/go")
	const oldGo = "#!/bin/sh\necho go1.2.3\n"
	write(t, installed, oldGo)
	run := func(environment ...string) (string, error) {
		cmd := exec.Command("bash", filepath.Join(project, "scripts/colab.sh"), prefix)
		cmd.Env = append(os.Environ(), "PATH="+filepath.Join(project, "stubs")+":"+os.Getenv("PATH"), "COLAB_RELEASE_TAG=")
		cmd.Env = append(cmd.Env, environment...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}

	if out, err := run(); err == nil || !strings.Contains(out, "this is not Google Colab") {
		t.Errorf("outside of Colab: %v\n%s", err, out)
	}
	out, err := run("COLAB_RELEASE_TAG=x")
	if err == nil || !strings.Contains(out, "nothing was installed") || read(t, installed) != oldGo {
		t.Errorf("with another download than Go: %v\n%s", err, out)
	}
	if _, err := os.Stat(calls); err == nil {
		t.Errorf("called nevertheless: %s", read(t, calls))
	}

	// A Go of the version that colab.sh wants is there: nothing is downloaded.
	write(t, installed, "#!/bin/sh\necho go"+first(t, `^version=(.*)$`, script)+"\n")
	out, err = run("COLAB_RELEASE_TAG=x")
	if err != nil || !strings.Contains(out, "Change runtime type > Go: agekit") {
		t.Errorf("with Go installed: %v\n%s", err, out)
	}
	if got, want := read(t, calls), "make build tools warm\nagekit kernel install\n"; got != want {
		t.Errorf("called\n%s, want\n%s", got, want)
	}
	if name := first(t, `"display_name": "([^"]+)"`, read(t, "../kernels/agekit/kernel.json")); !strings.Contains(out, name+".") {
		t.Errorf("the kernel is called %q, and colab.sh says\n%s", name, out)
	}
}
