package system

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMemory reads the limits of made-up machines.
func TestMemory(t *testing.T) {
	for _, test := range []struct {
		name  string
		files map[string]string
		free  int64
	}{
		{"no group", map[string]string{"proc/meminfo": "MemTotal: 100 kB\nMemAvailable:  60 kB\n"}, 60 << 10},
		{"group without a limit", map[string]string{"proc/meminfo": "MemAvailable: 60 kB\n", "sys/fs/cgroup/memory.max": "max\n"}, 60 << 10},
		{"group", map[string]string{"proc/meminfo": "MemAvailable: 60 kB\n", "sys/fs/cgroup/memory.max": "50000\n",
			"sys/fs/cgroup/memory.current": "30000\n", "sys/fs/cgroup/memory.stat": "anon 1\ninactive_file 4000\n"}, 24000},
		{"full group", map[string]string{"proc/meminfo": "MemAvailable: 60 kB\n", "sys/fs/cgroup/memory.max": "50000\n", "sys/fs/cgroup/memory.current": "60000\n"}, 0},
		{"version 1", map[string]string{"proc/meminfo": "MemAvailable: 60 kB\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "20000\n",
			"sys/fs/cgroup/memory/memory.usage_in_bytes": "15000\n", "sys/fs/cgroup/memory/memory.stat": "total_inactive_file 1000\n"}, 6000},
		{"a job's group", map[string]string{"proc/meminfo": "MemAvailable: 60 kB\n", "proc/self/cgroup": "4:memory:/other\n0::/job/step\n", "sys/fs/cgroup/job/memory.max": "30000\n",
			"sys/fs/cgroup/job/memory.current": "2000\n", "sys/fs/cgroup/job/step/memory.max": "max\n", "sys/fs/cgroup/memory.max": "50000\n", "sys/fs/cgroup/memory.current": "49000\n", "sys/fs/cgroup/memory.stat": "inactive_file 40000\n"}, 28000},
		{"a job's group, version 1", map[string]string{"proc/meminfo": "MemAvailable: 60 kB\n", "proc/self/cgroup": "9:name=systemd:/none\n4:memory:/job\n", "sys/fs/cgroup/memory/job/memory.limit_in_bytes": "20000\n",
			"sys/fs/cgroup/memory/job/memory.usage_in_bytes": "15000\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 5000},
		{"version 1 without a limit", map[string]string{"proc/meminfo": "MemAvailable: 60 kB\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 60 << 10},
	} {
		r := root{t.TempDir()}
		for name, text := range test.files {
			path := filepath.Join(r.dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := free(r); got != test.free {
			t.Errorf("%s: %d bytes free, want %d", test.name, got, test.free)
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
