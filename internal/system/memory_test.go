package system

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMemory: on made-up machines, folders with files as Linux has them, the free memory is what the system
// says is available or, if that is less, the limit of a control group less what it uses and cannot drop.
// A variable goes before both, and one that is no number of bytes is an error.
func TestMemory(t *testing.T) {
	const v1, v2 = "sys/fs/cgroup/memory/", "sys/fs/cgroup/"
	const noLimit = "9223372036854771712\n" // as version 1 writes it
	const available = 60 << 10              // bytes, by proc/meminfo
	for name, test := range map[string]struct {
		files map[string]string // besides proc/meminfo, which has 60 kB available
		free  int64             // bytes
	}{
		"no group":              {nil, available},
		"group without a limit": {map[string]string{v2 + "memory.max": "max\n"}, available},
		"group": {map[string]string{
			v2 + "memory.max": "50000\n", v2 + "memory.current": "30000\n", v2 + "memory.stat": "anon 1\ninactive_file 4000\n",
		}, 50000 - 30000 + 4000},
		"full group": {map[string]string{v2 + "memory.max": "50000\n", v2 + "memory.current": "60000\n"}, 0},
		"version 1": {map[string]string{
			v1 + "memory.limit_in_bytes": "20000\n", v1 + "memory.usage_in_bytes": "15000\n", v1 + "memory.stat": "total_inactive_file 1000\n",
		}, 20000 - 15000 + 1000},
		"a job's group": {map[string]string{
			"proc/self/cgroup": "4:memory:/other\n0::/job/step\n",
			v2 + "memory.max":  "50000\n", v2 + "memory.current": "49000\n", v2 + "memory.stat": "inactive_file 40000\n",
			v2 + "job/memory.max": "30000\n", v2 + "job/memory.current": "2000\n",
			v2 + "job/step/memory.max": "max\n",
		}, 30000 - 2000},
		"a job's group, version 1": {map[string]string{
			"proc/self/cgroup":               "9:name=systemd:/none\n4:memory:/job\n",
			v1 + "memory.limit_in_bytes":     noLimit,
			v1 + "job/memory.limit_in_bytes": "20000\n", v1 + "job/memory.usage_in_bytes": "15000\n",
		}, 20000 - 15000},
		"version 1 without a limit": {map[string]string{v1 + "memory.limit_in_bytes": noLimit}, available},
	} {
		r := root{t.TempDir()}
		files := map[string]string{"proc/meminfo": "MemTotal: 100 kB\nMemAvailable:  60 kB\n"}
		maps.Copy(files, test.files)
		for name, text := range files {
			path := filepath.Join(r.dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := free(r); got != test.free {
			t.Errorf("%s: %d bytes free, want %d", name, got, test.free)
		}
	}
	t.Setenv(MemoryVariable, "2kB")
	if all := TotalMemory(); all != 2000 {
		t.Errorf("%d bytes in all, want those of the variable", all)
	}
	if err := CheckMemory("the weights", 2000); err != nil {
		t.Error(err)
	}
	if err := CheckMemory("the weights", 3e9); err == nil || err.Error() != "the weights: 3.0 GB of memory, want at most the 2.0 kB that are free" {
		t.Errorf("error %v", err)
	}
	t.Setenv(MemoryVariable, "much")
	if err := CheckMemory("the weights", 1); err == nil || !strings.Contains(err.Error(), `$AGEKIT_MEMORY is "much": want a number of bytes`) {
		t.Errorf("error %v", err)
	}
}
