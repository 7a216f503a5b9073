package backend

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agekit/age/internal/system"
	"github.com/agekit/age/internal/testutil"
)

// nothingLeft checks that an installation that failed left no files behind.
func nothingLeft(t *testing.T, m *machine) {
	t.Helper()
	remaining := testutil.Value(os.ReadDir(m.cacheDir)).OrFatal(t)
	for _, entry := range remaining {
		if info, err := entry.Info(); err != nil || info.IsDir() || info.Size() > 0 { // a lock is empty
			t.Errorf("left %v, %v", entry, err)
		}
	}
}

// pipScript returns a fake Python with pip. It runs the given shell code with
// the folder of --target in $target, and refuses to install without pins and
// hashes.
func pipScript(install string) string {
	return `#!/bin/sh
[ "$1" = -I ] || { echo "not isolated"; exit 3; }
[ "$2" = -c ] && { echo "$0"; exit; }
[ "$4" = --version ] && exit 0
while [ $# -gt 0 ]; do
  case "$1" in --target) target=$2; shift ;; --require-hashes) hashes=yes ;; -r) grep -q sha256: "$2" && pinned=yes; shift ;; esac
  shift
done
[ "$hashes$pinned" = yesyes ] || { echo "not pinned"; exit 3; }
` + install + "\n"
}

// putPlugin is shell code that installs a plugin for the CPU.
const putPlugin = `mkdir -p "$target/xla_plugins/xla_cpu_pjrt"; echo x > "$target/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so"`

// fakePython puts a script on the PATH as python3.
func fakePython(t *testing.T, script string) {
	dir := t.TempDir()
	testutil.NoError(t, os.WriteFile(filepath.Join(dir, "python3"), []byte(script), 0o755))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// TestInstall: an unknown plugin and a failing pip are errors that leave nothing; an installed plugin is the
// one that is found, and is not installed again. A script stands for Python.
func TestInstall(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("plugins are published for linux only")
	}
	m := bare(t)
	if _, _, err := m.install(t.Context(), "rocm", nil); err == nil || !strings.Contains(err.Error(), "want cpu or cuda13") {
		t.Errorf("unknown plugin: error %v", err)
	}

	// If pip fails, nothing is left behind, and the error contains its last
	// lines of output.
	fakePython(t, pipScript(`mkdir -p "$target"; echo "hashes do not match"; exit 1`))
	if _, _, err := m.install(t.Context(), "cpu", nil); err == nil || !strings.Contains(err.Error(), "hashes do not match") {
		t.Errorf("failing pip: error %v", err)
	}
	nothingLeft(t, m)

	fakePython(t, pipScript(putPlugin))
	p, fresh, err := m.install(t.Context(), "cpu", nil)
	if err != nil || !fresh {
		t.Fatalf("first install: fresh %v, error %v", fresh, err)
	}
	if c, err := m.resolve("xla:cpu"); err != nil || c.Plugin != p.Path {
		t.Errorf("installed at %q, found at %q (%v)", p.Path, c.Plugin, err)
	}

	// Once the plugin is installed, nothing is run again.
	fakePython(t, "#!/bin/sh\nexit 1\n")
	again, fresh, err := m.install(t.Context(), "cpu", nil)
	if err != nil || fresh || again != p {
		t.Errorf("second install: %+v, fresh %v, error %v", again, fresh, err)
	}
}

// TestInstallWithoutPip: where python3 has no pip, as on Debian, a plugin is installed by the pip of a virtual
// environment.
func TestInstallWithoutPip(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("plugins are published for linux only")
	}
	fakePython(t, `#!/bin/sh
[ "$2" = -c ] && { echo "$0"; exit; }
[ "$1$3" = -Ivenv ] || exit 1
mkdir -p "$4/bin"
cat > "$4/bin/python" <<'END'
`+pipScript(putPlugin)+`END
chmod +x "$4/bin/python"
`)
	if _, fresh, err := bare(t).install(t.Context(), "cpu", nil); err != nil || !fresh {
		t.Errorf("fresh %v, error %v", fresh, err)
	}
}

// TestInstallStops: an installation that is canceled while pip runs ends with context.Canceled and leaves no
// files.
func TestInstallStops(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("plugins are published for linux only")
	}
	started := filepath.Join(t.TempDir(), "started")
	fakePython(t, pipScript(`touch `+started+`; exec sleep 600`))
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for {
			if _, err := os.Stat(started); err == nil {
				cancel()
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	m := bare(t)
	if _, _, err := m.install(ctx, "cpu", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that it was canceled", err)
	}
	nothingLeft(t, m)
}

// TestInstallWithoutPython: without python3 on the PATH, the error of an installation asks for it.
func TestInstallWithoutPython(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("plugins are published for linux only")
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := exec.LookPath("python3"); err == nil {
		t.Fatal("python3 is still on the PATH")
	}
	if _, _, err := bare(t).install(t.Context(), "cpu", nil); err == nil || !strings.Contains(err.Error(), "python3 is needed") {
		t.Errorf("error %v, want one that asks for python3", err)
	}
}

// slowPip returns the script of a pip that appends its process id to the file runs, writes a part of the
// plugin, and writes the rest once the file release exists.
func slowPip(runs, release string) string {
	return pipScript(`echo $$ >> ` + runs + `; mkdir -p "$target/part" "$TMPDIR/download"; echo x > "$target/part/file"
while [ ! -e ` + release + ` ]; do sleep 0.02; done
` + putPlugin)
}

// await waits until a file has content; the test's own time limit ends it.
func await(path string) {
	for {
		if info, err := os.Stat(path); err == nil && info.Size() > 0 {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// TestTwoInstalls: of two installations of a plugin at once, one waits for the other. Both return the same
// plugin, one of them as fresh, and pip runs once.
func TestTwoInstalls(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("plugins are published for linux only")
	}
	dir, m := t.TempDir(), bare(t)
	runs, release := filepath.Join(dir, "runs"), filepath.Join(dir, "release")
	fakePython(t, slowPip(runs, release))
	type result struct {
		p     Plugin
		fresh bool
		err   error
	}
	results := make(chan result)
	install := func(log func(string)) {
		p, fresh, err := m.install(t.Context(), "cpu", log)
		results <- result{p, fresh, err}
	}
	go install(nil)
	await(runs)
	go install(func(line string) {
		if strings.Contains(line, "waiting") {
			os.WriteFile(release, nil, 0o600)
		}
	})
	first, second := <-results, <-results
	if first.err != nil || second.err != nil || first.p != second.p || first.fresh == second.fresh {
		t.Errorf("%+v and %+v: want one plugin, fetched once", first, second)
	}
	if text, _ := os.ReadFile(runs); strings.Count(string(text), "\n") != 1 {
		t.Errorf("pip ran as processes %q: want one", text)
	}
}

// TestKilledInstall: if a process that installs is killed, its pip ends, too, and the next installation
// succeeds and leaves only its own files. The test runs itself again as the process to kill.
func TestKilledInstall(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("plugins are published for linux only")
	}
	const variable = "AGEKIT_TEST_INSTALL_TO"
	if dir := os.Getenv(variable); dir != "" {
		m := bare(t)
		m.cacheDir = dir
		m.install(t.Context(), "cpu", nil)
		return
	}
	dir, m := t.TempDir(), bare(t)
	runs, release := filepath.Join(dir, "runs"), filepath.Join(dir, "release")
	fakePython(t, slowPip(runs, release))
	self := testutil.Value(os.Executable()).OrFatal(t)
	process := exec.Command(self, "-test.run=^TestKilledInstall$")
	process.Env = append(os.Environ(), variable+"="+m.cacheDir)
	testutil.NoError(t, process.Start())
	await(runs)
	testutil.NoError(t, process.Process.Kill())
	process.Wait()
	pid := testutil.Value(os.ReadFile(runs)).OrFatal(t)
	for { // until pip has ended, too
		state, err := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/stat")
		if err != nil || strings.Contains(string(state), ") Z ") {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	testutil.NoError(t, os.WriteFile(release, nil, 0o600))
	p, fresh, err := m.install(t.Context(), "cpu", nil)
	if err != nil || !fresh {
		t.Fatalf("%+v, fresh %v, error %v", p, fresh, err)
	}
	var remaining []string
	filepath.WalkDir(m.cacheDir, func(path string, d os.DirEntry, _ error) error {
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
			remaining = append(remaining, filepath.Base(path))
		}
		return nil
	})
	if want := []string{"file", "xla_cpu_pjrt.so"}; !slices.Equal(remaining, want) {
		t.Errorf("files %v, want %v", remaining, want)
	}
}

// TestForeignCode: in a folder with modules named like those that an installation uses, which is also in
// PYTHONPATH, Python runs none of these, and the folder is not among those with plugins.
func TestForeignCode(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("needs python3")
	}
	here := t.TempDir()
	t.Chdir(here)
	t.Setenv("PYTHONPATH", ":"+here)
	for _, module := range []string{"pip", "venv", "site", "ensurepip", "sitecustomize"} {
		testutil.NoError(t, os.Mkdir(module, 0o755))
		for _, file := range []string{"__init__.py", "__main__.py"} {
			testutil.NoError(t, os.WriteFile(filepath.Join(module, file), []byte("open('"+here+"/foreign', 'w')\n"), 0o644))
		}
	}
	system.Pip(t.Context(), t.TempDir(), "", "--version")
	dirs := pythonFolders()
	if _, err := os.Stat("foreign"); err == nil {
		t.Error("a module of the current folder ran")
	}
	if len(dirs) == 0 || slices.Contains(dirs, here) {
		t.Errorf("folders for plugins: %q", dirs)
	}
	for _, dir := range dirs {
		if !filepath.IsAbs(dir) {
			t.Errorf("a folder for plugins is %q", dir)
		}
	}
}

// TestWithoutHome: the folder for plugins follows from HOME and XDG_CACHE_HOME. Without an absolute one there
// is none, so no plugin is found or installed.
func TestWithoutHome(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the variables are those of Linux")
	}
	for _, test := range []struct{ home, cache, want string }{
		{"/home/a", "", "/home/a/.cache/agekit/plugins"},
		{"", "/cache", "/cache/agekit/plugins"},
		{"", "", ""},
		{"/home/a", "cache", ""},
		{"home", "", ""},
	} {
		t.Setenv("HOME", test.home)
		t.Setenv("XDG_CACHE_HOME", test.cache)
		if got := pluginCache(); got != test.want {
			t.Errorf("HOME=%s XDG_CACHE_HOME=%s: %q, want %q", test.home, test.cache, got, test.want)
		}
	}
	m := bare(t)
	m.cacheDir = ""
	t.Chdir(t.TempDir())
	put(t, filepath.Join(m.installDir(installable[0]), "xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so")) // in the current folder
	if found, _ := m.plugins(); len(found) != 0 {
		t.Errorf("found %v", found)
	}
	if _, _, err := m.install(t.Context(), "cpu", nil); err == nil || !strings.Contains(err.Error(), "set HOME or XDG_CACHE_HOME") {
		t.Errorf("error %v", err)
	}
}

// TestInstallWhereOthersWrite: if everybody can write the folder for plugins, an installation is
// ErrUnavailable, before pip, which would fail here, runs.
func TestInstallWhereOthersWrite(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("plugins are published for linux only")
	}
	m := bare(t)
	testutil.NoError(t, os.Chmod(m.cacheDir, 0o777))
	fakePython(t, "#!/bin/sh\nexit 1\n")
	if _, _, err := m.install(t.Context(), "cpu", nil); !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), m.cacheDir+" can be written by everybody") {
		t.Errorf("error %v", err)
	}
}
