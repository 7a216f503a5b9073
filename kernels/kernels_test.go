package kernels

import (
	"bytes"
	"encoding/json"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// project creates a folder that looks like a checkout of this project, and returns its path. The
// folder's GoNB is a script that prints its arguments, GOPROXY and PATH.
func project(t *testing.T) string {
	// The name has what the shell or Jupyter could take for something else than a path.
	root := filepath.Join(t.TempDir(), `a b $(touch made) $HOME ' "c`)
	if err := os.MkdirAll(filepath.Join(root, ".bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string, mode os.FileMode) {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module github.com/agekit/age\n", 0o644)
	write(".bin/gonb", "#!/bin/sh\necho \"$@\" \"GOPROXY=$GOPROXY\" \"PATH=$PATH\"\n", 0o755)
	return root
}

// launch starts the kernel in the folder dir as Jupyter does, by its kernel.json, and returns what
// it prints.
func launch(t *testing.T, dir string) (string, error) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "kernel.json"))
	if err != nil {
		t.Fatal(err)
	}
	var spec struct {
		Argv []string
		Env  map[string]string
	}
	if err := json.Unmarshal(data, &spec); err != nil {
		t.Fatal(err)
	}
	for k := range spec.Argv {
		spec.Argv[k] = strings.NewReplacer("{resource_dir}", dir, "{connection_file}", "the-connection").Replace(spec.Argv[k])
	}
	cmd := exec.Command(spec.Argv[0], spec.Argv[1:]...)
	cmd.Env = os.Environ()
	for name, value := range spec.Env { // Jupyter fills in the variables
		value = os.Expand(value, func(name string) string {
			if name == "$" {
				return "$"
			}
			return os.Getenv(name)
		})
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestInstalledKernelsStart: both kernels start the project's GoNB with the project's folder, its
// programs first on PATH, and no network for modules. Without GoNB, the list and the kernel that is
// started say what to do; without the project, the list does.
func TestInstalledKernelsStart(t *testing.T) {
	root, data := project(t), t.TempDir()
	installed, err := Install(data, root)
	if err != nil {
		t.Fatal(err)
	}
	for k, name := range Names {
		if got := installed[k]; got.Name != name || got.Root != root || got.Problem != "" {
			t.Errorf("installed %+v", got)
		}
		out, err := launch(t, installed[k].Dir)
		if err != nil {
			t.Fatalf("%s: %v: %s", name, err, out)
		}
		for _, want := range []string{"-go_work=" + root, "-kernel the-connection", "GOPROXY=off", "PATH=" + filepath.Join(root, ".bin") + ":"} {
			if !strings.Contains(out, want) {
				t.Errorf("%s was started without %q: %s", name, want, out)
			}
		}
	}

	if err := os.Remove(filepath.Join(root, ".bin", "gonb")); err != nil {
		t.Fatal(err)
	}
	for _, k := range List([]string{data}) {
		out, err := launch(t, k.Dir)
		if err == nil || !strings.Contains(out, "make tools") {
			t.Errorf("%s without GoNB: start %v: %s", k.Name, err, out)
		}
		if !strings.Contains(k.Problem, "make tools") {
			t.Errorf("%s without GoNB: problem %q", k.Name, k.Problem)
		}
	}
	if err := os.Remove(filepath.Join(root, "go.mod")); err != nil {
		t.Fatal(err)
	}
	for _, k := range List([]string{data}) {
		if !strings.Contains(k.Problem, "no project in "+root) {
			t.Errorf("%s without its project: problem %q", k.Name, k.Problem)
		}
	}
}

// TestEmptyPath: with an empty PATH, which means the current folder, launch.sh runs no program from
// there, not even those called as the ones that it uses, and GoNB's PATH has no empty entry.
func TestEmptyPath(t *testing.T) {
	root := project(t)
	installed, err := Install(t.TempDir(), root)
	if err != nil {
		t.Fatal(err)
	}
	current := t.TempDir()
	for _, name := range []string{"dirname", "pwd"} {
		if err := os.WriteFile(filepath.Join(current, name), []byte("#!/bin/sh\necho foreign\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("/bin/sh", filepath.Join(installed[0].Dir, "launch.sh"), "the-connection")
	cmd.Dir = current
	cmd.Env = []string{"AGEKIT_ROOT=" + root, "AGEKIT_GONB=" + gonbOf(root), "PATH="}
	out, err := cmd.CombinedOutput()
	want := "PATH=" + filepath.Join(root, ".bin") + ":/usr/local/go/bin\n"
	if err != nil || !strings.HasSuffix(string(out), want) {
		t.Errorf("%v: %s, want %s", err, out, want)
	}
}

// TestKernelsInPlace: copies of this repository's kernels in a project's folder are found and start
// without installation, as with JUPYTER_PATH=$PWD.
func TestKernelsInPlace(t *testing.T) {
	root := project(t)
	for _, name := range Names {
		if err := os.CopyFS(filepath.Join(root, "kernels", name), os.DirFS(name)); err != nil {
			t.Fatal(err)
		}
	}
	found := List([]string{root})
	if len(found) != len(Names) {
		t.Fatalf("found %+v", found)
	}
	for _, k := range found {
		out, err := launch(t, k.Dir)
		if err != nil || k.Root != root || !strings.Contains(out, "-go_work="+root) {
			t.Errorf("%+v: %v: %s", k, err, out)
		}
	}
}

// TestListNamesABrokenKernel: a kernel whose kernel.json is damaged is listed with its problem,
// and the other one without.
func TestListNamesABrokenKernel(t *testing.T) {
	data := t.TempDir()
	if _, err := Install(data, project(t)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "kernels", "agekit", "kernel.json"), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	found := List([]string{data})
	if len(found) != 2 || !strings.Contains(found[0].Problem, "kernel.json") || found[1].Problem != "" {
		t.Errorf("found %+v", found)
	}
}

// TestDataDirs: the folders are in Jupyter's order, as its documentation has it.
func TestDataDirs(t *testing.T) {
	t.Setenv("JUPYTER_PATH", "/a"+string(os.PathListSeparator)+"/b")
	t.Setenv("JUPYTER_DATA_DIR", "/user")
	t.Setenv("VIRTUAL_ENV", "/venv")
	want := []string{"/a", "/b", "/user", "/venv/share/jupyter", "/usr/local/share/jupyter", "/usr/share/jupyter"}
	if got := DataDirs(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestFiles: both kernels have the same launch.sh, and logos of the sizes that Jupyter requires.
func TestFiles(t *testing.T) {
	var scripts [][]byte
	for _, name := range Names {
		script, err := specFiles.ReadFile(name + "/launch.sh")
		if err != nil {
			t.Fatal(err)
		}
		scripts = append(scripts, script)
		for file, size := range map[string]int{"logo-32x32.png": 32, "logo-64x64.png": 64} {
			data, err := specFiles.ReadFile(name + "/" + file)
			if err != nil {
				t.Fatal(err)
			}
			logo, err := png.DecodeConfig(bytes.NewReader(data))
			if err != nil || logo.Width != size || logo.Height != size {
				t.Errorf("%s/%s: %v, %v", name, file, logo, err)
			}
		}
	}
	if !bytes.Equal(scripts[0], scripts[1]) {
		t.Error("the two copies of launch.sh differ")
	}
}
