package backend

import (
	"cmp"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/agekit/age/internal/testutil"
)

// bare returns a machine with XLA linked and nothing else: no plugin, no GPU.
func bare(t *testing.T) *machine {
	return &machine{
		xlaLinked:    true,
		cacheDir:     t.TempDir(),
		sitePackages: func() []string { return nil },
		hasGPU:       func() bool { return false },
	}
}

// put writes an empty file, which stands for a plugin, at path, and returns the path.
func put(t *testing.T, path string) string {
	t.Helper()
	testutil.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	testutil.NoError(t, os.WriteFile(path, nil, 0o644))
	return path
}

// TestResolve: each name of a backend on machines with and without GPU, plugins and XLA gives the documented
// choice with its reason, or an error of the documented kind.
func TestResolve(t *testing.T) {
	site := t.TempDir()
	sitePlugin := put(t, filepath.Join(site, "jax_plugins/xla_cuda13/xla_cuda_plugin.so"))
	explicit := put(t, filepath.Join(t.TempDir(), "mine.so"))
	others := t.TempDir()
	open := put(t, filepath.Join(others, "xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so"))
	for _, path := range []string{open, put(t, filepath.Join(others, "jax_plugins/xla_cuda13/xla_cuda_plugin.so"))} {
		testutil.NoError(t, os.Chmod(path, 0o666))
	}
	foreign := func(m *machine) { m.sitePackages = func() []string { return []string{others} } }
	gpu := func(m *machine) { m.hasGPU = func() bool { return true } }
	noxla := func(m *machine) { m.xlaLinked = false }
	python := func(m *machine) { m.sitePackages = func() []string { return []string{site} } }

	for _, test := range []struct {
		about  string
		name   string
		env    string
		with   []func(*machine) // change the bare machine
		want   Choice           // whose Reason is a part of the reason
		failed string           // a part of the error; "" for none
		is     error            // the error that callers can test for, if any
	}{
		{about: "empty is auto", name: "", want: Choice{Name: "native", Reason: "no NVIDIA GPU"}},
		{about: "auto on a CPU", name: "auto", with: []func(*machine){python}, want: Choice{Name: "native", Reason: "no NVIDIA GPU"}},
		{about: "auto, GPU without plugin", name: "auto", with: []func(*machine){gpu}, want: Choice{Name: "native", Reason: "agekit backend install cuda13"}},
		{about: "auto, GPU without XLA", name: "auto", with: []func(*machine){gpu, python, noxla}, want: Choice{Name: "native", Reason: "without XLA"}},
		{about: "auto, GPU and plugin", name: "auto", with: []func(*machine){gpu, python},
			want: Choice{Name: "xla:cuda", Config: "xla:" + sitePlugin, Plugin: sitePlugin, Reason: "found"}},
		{about: "native", name: "native", with: []func(*machine){gpu, python}, want: Choice{Name: "native", Reason: "asked for"}},
		{about: "go", name: "go", with: []func(*machine){noxla}, want: Choice{Name: "go", Config: "go", Reason: "asked for"}},
		{about: "the user's own plugin", name: "xla:" + explicit, want: Choice{Name: "xla:" + explicit, Config: "xla:" + explicit, Plugin: explicit, Reason: "asked for"}},
		{about: "cuda from Python", name: "xla:cuda", with: []func(*machine){gpu, python},
			want: Choice{Name: "xla:cuda", Config: "xla:" + sitePlugin, Plugin: sitePlugin, Reason: "asked for"}},

		{about: "auto by variable", name: "auto", env: "go", with: []func(*machine){gpu, python},
			want: Choice{Name: "go", Config: "go", Reason: "AGEKIT_BACKEND"}},
		{about: "a name overrides the variable", name: "native", env: "go", want: Choice{Name: "native", Reason: "asked for"}},

		{about: "unknown in the variable", name: "", env: "tpu", failed: `unknown backend "tpu"`, is: ErrUnknown},
		{about: "unknown", name: "tpu", failed: `unknown backend "tpu": want ` + strings.Join(named, ", ") + " or xla:PATH", is: ErrUnknown},
		{about: "xla alone", name: "xla", failed: "unknown backend", is: ErrUnknown},
		{about: "xla: alone", name: "xla:", failed: "no plugin named"},
		{about: "xla without plugin", name: "xla:cpu", failed: "agekit backend install cpu", is: ErrUnavailable},
		{about: "cuda without GPU", name: "xla:cuda", with: []func(*machine){python}, failed: "no NVIDIA GPU found", is: ErrUnavailable},
		{about: "cuda without plugin", name: "xla:cuda", with: []func(*machine){gpu}, failed: "agekit backend install cuda13", is: ErrUnavailable},
		{about: "no such plugin file", name: "xla:" + explicit + ".gone", failed: "no plugin file at " + explicit + ".gone"},
		{about: "a folder for a plugin", name: "xla:" + site, failed: site + " is a folder: want a regular file"},
		{about: "a comma in a plugin's path", name: "xla:" + explicit + ",x", failed: "contains a comma"},
		{about: "a plugin that others can write, from Python", name: "xla:cpu", with: []func(*machine){foreign},
			failed: "xla_cpu_pjrt.so can be written by everybody (mode 0666): want mode 0644; install one with `agekit backend install`", is: ErrUnavailable},
		{about: "auto, GPU and a plugin that others can write", name: "auto", with: []func(*machine){gpu, foreign},
			want: Choice{Name: "native", Reason: "can be written by everybody"}},
		{about: "the user's own decision", name: "xla:" + open, want: Choice{Name: "xla:" + open, Config: "xla:" + open, Plugin: open, Reason: "asked for"}},
		{about: "a long name", name: strings.Repeat("x", 1<<20), failed: `xxx"… (1048576 bytes): want auto`, is: ErrUnknown},
		{about: "built without XLA", name: "xla:cpu", with: []func(*machine){noxla}, failed: "built without XLA", is: ErrUnavailable},
	} {
		t.Run(test.about, func(t *testing.T) {
			t.Setenv(backendVariable, test.env)
			m := bare(t)
			for _, change := range test.with {
				change(m)
			}
			got, err := m.resolve(test.name)
			if test.failed != "" {
				if err == nil || !strings.Contains(err.Error(), test.failed) {
					t.Fatalf("error %v, want one with %q", err, test.failed)
				}
				for _, kind := range []error{ErrUnknown, ErrUnavailable} {
					if errors.Is(err, kind) != (kind == test.is) {
						t.Errorf("error %v: is %q %v", err, kind, kind != test.is)
					}
				}
				return
			}
			testutil.NoError(t, err)
			if !strings.Contains(got.Reason, test.want.Reason) {
				t.Errorf("reason %q, want one with %q", got.Reason, test.want.Reason)
			}
			got.Reason, test.want.Reason = "", ""
			if got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}

// TestInstalledPluginComesFirst: a plugin in the folder of Install is preferred to one in Python's packages,
// and both are listed.
func TestInstalledPluginComesFirst(t *testing.T) {
	m, site := bare(t), t.TempDir()
	m.sitePackages = func() []string { return []string{site} }
	put(t, filepath.Join(site, "xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so"))
	mine := put(t, filepath.Join(m.installDir(installable[0]), "xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so"))
	c, err := m.resolve("xla:cpu")
	if err != nil || c.Plugin != mine {
		t.Errorf("got %q (%v), want %q", c.Plugin, err, mine)
	}
	if found, _ := m.plugins(); len(found) != 2 {
		t.Errorf("plugins %+v, want both", found)
	}
}

// TestOpenBrokenPlugin: opening an empty file as a plugin is an error that names the file, and no crash.
func TestOpenBrokenPlugin(t *testing.T) {
	if !xlaLinked {
		t.Skip("built without XLA")
	}
	broken := put(t, filepath.Join(t.TempDir(), "broken.so"))
	c := testutil.Value(Resolve("xla:" + broken)).OrFatal(t)
	if b, err := Open(c); err == nil {
		t.Errorf("opened %s", b.Description())
	} else if !strings.Contains(err.Error(), broken) {
		t.Errorf("error %v does not name the plugin", err)
	}
}

// TestOpenGo: GoMLX's Go backend computes a known product, with its usual configuration and with one
// operation at a time.
func TestOpenGo(t *testing.T) {
	c := testutil.Value(Resolve("go")).OrFatal(t)
	checkArithmetic(t, c)
	c.Config += ":ops_sequential" // what Open falls back to
	checkArithmetic(t, c)
}

// TestProductsSideBySide: a sum of many large products, which can be computed side by side, is computed
// many times without hanging, and is the sum that was found by hand. With GoMLX's bound on workers it
// hangs within a few rounds.
func TestProductsSideBySide(t *testing.T) {
	b := testutil.Value(Open(Choice{Name: Go, Config: "go"})).OrFatal(t)
	defer b.Finalize()
	if !removeWorkerBound(b) {
		t.Error("GoMLX's Go backend has other workers than it had")
	}
	const products, n, rounds = 16, 256, 30
	exec := testutil.Value(graph.NewExec(b, func(x *graph.Node) *graph.Node {
		sum := x
		for k := range products {
			sum = graph.Add(sum, graph.Dot(graph.AddScalar(x, float32(k)), x).Product())
		}
		return sum
	})).OrFatal(t)
	x := tensors.FromFlatDataAndDimensions(slices.Repeat([]float32{1}, n*n), n, n)
	done := make(chan float32)
	go func() {
		var last float32
		for range rounds {
			out, err := exec.Call1(x)
			if err != nil {
				t.Error(err)
				break
			}
			last = out.Value().([][]float32)[0][0]
		}
		done <- last
	}()
	select {
	case got := <-done:
		// 1 + Σₖ n·(1+k)
		if want := float32(1 + n*products*(products+1)/2); got != want {
			t.Errorf("the sum is %v, want %v", got, want)
		}
	case <-time.After(5 * time.Minute):
		t.Fatal("the products do not end")
	}
}

// TestOpenXLA: the XLA backend that AGEKIT_TEST_XLA names, by default xla:cpu, computes a known product.
// Without its plugin the test is skipped, or fails if AGEKIT_REQUIRE_XLA is set, as `make test` does after
// it has installed the plugin.
func TestOpenXLA(t *testing.T) {
	c, err := Resolve(cmp.Or(os.Getenv("AGEKIT_TEST_XLA"), XLACPU))
	if err != nil {
		if os.Getenv("AGEKIT_REQUIRE_XLA") != "" && xlaLinked {
			t.Fatalf("AGEKIT_REQUIRE_XLA is set: %v", err)
		}
		t.Skipf("XLA IS NOT TESTED: %v", err)
	}
	for name, value := range c.Environment() {
		t.Setenv(name, value)
	}
	checkArithmetic(t, c)
}

// checkArithmetic opens c and compares a product of two matrices with the one found by hand.
func checkArithmetic(t *testing.T, c Choice) {
	t.Helper()
	b := testutil.Value(Open(c)).OrFatal(t)
	defer b.Finalize()
	got := multiply(t, b, [][]float32{{1, 2}, {3, 4}}, [][]float32{{5, 6}, {7, 8}})
	for i, want := range [][]float32{{19, 22}, {43, 50}} {
		for j := range want {
			if math.Abs(float64(got[i][j]-want[j])) > 1e-5 {
				t.Fatalf("%s: product %v, want [[19 22] [43 50]]", c.Name, got)
			}
		}
	}
}

// multiply returns the matrix product of x and y, computed by b.
func multiply(t *testing.T, b compute.Backend, x, y [][]float32) [][]float32 {
	t.Helper()
	out := testutil.Value(graph.CallOnce(b, graph.MatMul,
		tensors.FromValue(x), tensors.FromValue(y))).OrFatal(t)
	return out.Value().([][]float32)
}

// TestXLAOptions: prepareXLA turns TF32 off for a CUDA plugin, and has no options for a CPU plugin. Before
// XLA_FLAGS says where CUDA is, a CUDA plugin is an error.
func TestXLAOptions(t *testing.T) {
	if !xlaLinked {
		t.Skip("built without XLA")
	}
	const gpu = "/p/jax_plugins/xla_cuda13/xla_cuda_plugin.so"
	t.Setenv("XLA_FLAGS", "")
	if got, err := prepareXLA(gpu); err == nil {
		t.Errorf("options %q for a GPU without XLA_FLAGS", got)
	}
	for name, value := range environment(gpu) {
		t.Setenv(name, value)
	}
	if got, err := prepareXLA(gpu); err != nil || got != ",tf32=false" {
		t.Errorf("options %q for a GPU, error %v", got, err)
	}
	if got, err := prepareXLA("/p/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so"); err != nil || got != "" {
		t.Errorf("options %q for the CPU, error %v", got, err)
	}
}

// TestTools: for a CUDA plugin, Choice.Environment adds to the user's XLA_FLAGS the folder of the CUDA 13 or
// 12 tools in the same Python packages, quoted if necessary, or else the usual folder, and turns tuning
// off. It does not repeat what the user has set. For a CPU plugin it changes nothing.
func TestTools(t *testing.T) {
	if !xlaLinked {
		t.Skip("built without XLA")
	}
	const noTuning = "--xla_gpu_autotune_level=0 --xla_gpu_enable_triton_gemm=false"
	for _, test := range []struct {
		plugin string // its path in the Python packages, SITE
		tools  string // the folder of CUDA tools there
		flags  string // the user's XLA_FLAGS
		want   string // XLA_FLAGS
	}{
		{"jax_plugins/xla_cuda13/xla_cuda_plugin.so", "nvidia/cu13", "", noTuning + " --xla_gpu_cuda_data_dir=SITE/nvidia/cu13"},
		{"jax_plugins/xla_cuda12/xla_cuda_plugin.so", "nvidia/cuda_nvcc", "--a=b", "--a=b " + noTuning + " --xla_gpu_cuda_data_dir=SITE/nvidia/cuda_nvcc"},
		{"jax_plugins/xla_cuda13/xla_cuda_plugin.so", "nvidia/cu13", "--xla_gpu_cuda_data_dir=/opt/cuda", "--xla_gpu_cuda_data_dir=/opt/cuda " + noTuning},
		{"jax_plugins/xla_cuda13/xla_cuda_plugin.so", "nvidia/other", "--xla_gpu_autotune_level=4", "--xla_gpu_autotune_level=4 --xla_gpu_cuda_data_dir=/usr/local/cuda"},
		{"a 'b\"/jax_plugins/xla_cuda13/xla_cuda_plugin.so", "a 'b\"/nvidia/cu13", "", noTuning + ` --xla_gpu_cuda_data_dir="SITE/a 'b\"/nvidia/cu13"`},
		{"xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so", "nvidia/cu13", "", ""},
	} {
		site := t.TempDir()
		put(t, filepath.Join(site, filepath.FromSlash(test.tools), "nvvm", "libdevice", "libdevice.10.bc"))
		t.Setenv("XLA_FLAGS", test.flags)
		choice := Choice{Plugin: filepath.Join(site, filepath.FromSlash(test.plugin))}
		for name, value := range choice.Environment() {
			t.Setenv(name, value)
		}
		if got, want := os.Getenv("XLA_FLAGS"), strings.ReplaceAll(test.want, "SITE", site); got != want {
			t.Errorf("%s with %s and %q: XLA_FLAGS %q, want %q", test.plugin, test.tools, test.flags, got, want)
		}
	}
}

// TestOnGPU: whether a plugin is for a GPU follows from its file's name, not from its folder.
func TestOnGPU(t *testing.T) {
	for plugin, want := range map[string]bool{
		"":                        false, // GoMLX's Go backend
		"/p/xla_cpu_plugin.so":    false,
		"/cuda/xla_cpu_plugin.so": false,
		"/site-packages/jax_plugins/xla_cuda12/xla_cuda_plugin.so": true,
		"/p/pjrt_c_api_cuda_plugin.so":                             true,
	} {
		if got := (Choice{Plugin: plugin}).OnGPU(); got != want {
			t.Errorf("%q: %v, want %v", plugin, got, want)
		}
	}
}
