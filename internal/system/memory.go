package system

// This part says how much memory input may ask for.

import (
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/pbnjay/memory"
)

// MostColumns is the largest number of features.
const MostColumns = 1 << 24

// MemoryVariable is the environment variable that limits how much memory a single
// matrix or table may ask for. Without it, the limit is the memory that is free.
const MemoryVariable = "AGEKIT_MEMORY"

// CheckMemory returns an error, which begins with what, if so many bytes are more than [FreeMemory]. Call it
// before allocating what a file or setting asks for: Go cannot report that no memory was left.
func CheckMemory(what string, bytes float64) error {
	free, err := FreeMemory()
	if err != nil {
		return err
	}
	if bytes > float64(free) {
		return fmt.Errorf("%s: %s of memory, want at most the %s that are free", what, size(bytes), size(float64(free)))
	}
	return nil
}

// SetMemory sets $AGEKIT_MEMORY to a number of bytes, also for the programs that this one starts, and returns
// a function that sets the variable back to what it was.
func SetMemory(bytes int64) (restore func()) {
	before, wasSet := os.LookupEnv(MemoryVariable)
	_ = os.Setenv(MemoryVariable, strconv.FormatInt(bytes, 10))
	return func() {
		if wasSet {
			_ = os.Setenv(MemoryVariable, before)
		} else {
			_ = os.Unsetenv(MemoryVariable)
		}
	}
}

// FreeMemory returns the bytes of memory that this program can still take: $AGEKIT_MEMORY, or
// else what the system and its control group report, or else half of [TotalMemory].
func FreeMemory() (int64, error) {
	if bytes, err := ByteVariable(MemoryVariable); bytes > 0 || err != nil {
		return bytes, err
	}
	return free(root{"/"}), nil
}

// ByteVariable returns the bytes that an environment variable limits something to, 0 if it
// is not set: a number of bytes, or one with a unit, such as 8GB or 512MiB.
func ByteVariable(name string) (int64, error) {
	v := os.Getenv(name)
	if v == "" {
		return 0, nil
	}
	bytes, err := humanize.ParseBytes(v)
	if err != nil || bytes == 0 || bytes > math.MaxInt64 {
		return 0, fmt.Errorf("$%s is %.60q: want a number of bytes, or one with a unit, such as 8GB", name, v)
	}
	return int64(bytes), nil
}

// TotalMemory returns the machine's memory in bytes, or the limit of the program's control group
// or $AGEKIT_MEMORY, if they are less.
func TotalMemory() int64 {
	all := total(root{"/"})
	if most, err := ByteVariable(MemoryVariable); err == nil && most > 0 {
		all = min(all, most)
	}
	return all
}

// assumed is the memory of a machine that does not report it: 16 GB.
const assumed = 16 << 30

// total returns the memory of the machine in bytes or, if that is less, the limit of the control group.
func total(r root) int64 {
	all := int64(memory.TotalMemory())
	if all <= 0 {
		all = assumed
	}
	if most, _, ok := r.group(); ok {
		all = min(all, most)
	}
	return all
}

// free returns the memory in bytes that the system says is available, half of the total if it does not say
// so, or what the control group leaves if that is less.
func free(r root) int64 {
	kB, ok := r.number("proc/meminfo", "MemAvailable:")
	available := kB * 1024
	if !ok {
		available = total(r) / 2
	}
	if _, inGroup, ok := r.group(); ok {
		available = min(available, inGroup)
	}
	return available
}

// root is the folder that holds proc and sys; tests have one of their own.
type root struct{ dir string }

// noLimit is more than any limit of a control group: version 1 writes a larger number where there is none.
const noLimit = 1 << 60

// group returns the lowest memory limit, most, of the program's control group and of the groups that this
// one is in, as in a job of a cluster, and the least memory that one of them leaves, available; both in
// bytes, with ok false without a limit. Files that the system can drop count as used by a group, but
// not here.
func (r root) group() (most, available int64, ok bool) {
	// The folder and the files of version 2 and of version 1; droppable is a word in memory.stat.
	for _, g := range []struct{ dir, controllers, most, used, droppable string }{
		{"sys/fs/cgroup", "", "memory.max", "memory.current", "inactive_file "},
		{"sys/fs/cgroup/memory", "memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "},
	} {
		for group := r.controlGroup(g.controllers); ; group = path.Dir(group) {
			dir := g.dir + group + "/"
			limit, known := r.number(dir+g.most, "")
			if known && limit <= noLimit {
				used, _ := r.number(dir+g.used, "")
				droppable, _ := r.number(dir+"memory.stat", g.droppable)
				free := max(0, limit-used+droppable)
				if !ok {
					most, available, ok = limit, free, true
				}
				most, available = min(most, limit), min(available, free)
			}
			if group == "/" {
				break
			}
		}
	}
	return most, available, ok
}

// controlGroup returns the path of the program's control group among those of the given controllers, "" for
// version 2, which has none; "/" if it is not known.
func (r root) controlGroup(controllers string) string {
	text, _ := os.ReadFile(filepath.Join(r.dir, "proc/self/cgroup"))
	for line := range strings.Lines(string(text)) { // such as 4:memory:/job/12
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) == 3 && fields[1] == controllers {
			return path.Clean("/" + fields[2])
		}
	}
	return "/"
}

// number returns the number in a file, a path below r, that follows word at the beginning of a line. The
// second result is false if there is none.
func (r root) number(file, word string) (int64, bool) {
	text, err := os.ReadFile(filepath.Join(r.dir, filepath.FromSlash(file)))
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, word); ok {
			var v int64
			n, _ := fmt.Sscan(rest, &v)
			return v, n == 1
		}
	}
	return 0, false
}

// size returns a number of bytes as text, such as "3.0 GB".
func size(bytes float64) string {
	if bytes >= 1e18 { // which uint64 may not hold
		return fmt.Sprintf("%.0e bytes", bytes)
	}
	return humanize.Bytes(uint64(bytes))
}
