package mapped

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"unsafe"
)

// region is where a file is mapped, and how long and how old it was then.
type region struct {
	path       string
	start, end uintptr
	info       os.FileInfo
}

// regions are those of all files that are mapped for reading, for [Guard].
var regions struct {
	sync.Mutex
	all []region
}

// remember adds the region of a file that was mapped from path.
func remember(path string, info os.FileInfo, memory []byte) {
	start := uintptr(unsafe.Pointer(&memory[0]))
	regions.Lock()
	defer regions.Unlock()
	regions.all = append(regions.all, region{path, start, start + uintptr(len(memory)), info})
}

// forget removes the region of a file that is unmapped.
func forget(memory []byte) {
	start := uintptr(unsafe.Pointer(&memory[0]))
	regions.Lock()
	defer regions.Unlock()
	regions.all = slices.DeleteFunc(regions.all, func(r region) bool { return r.start == start })
}

// Changed returns the paths of the files that are mapped and were written to since, in the order in which they
// were opened: what was read of them may be of both. A file that another one has replaced is read as it was.
func Changed() (paths []string) {
	regions.Lock()
	defer regions.Unlock()
	for _, r := range regions.all {
		info, err := os.Stat(r.path)
		if err == nil && os.SameFile(info, r.info) && (info.Size() != r.info.Size() || !info.ModTime().Equal(r.info.ModTime())) {
			paths = append(paths, r.path)
		}
	}
	return paths
}

// Guard makes an error of a fault that reading a mapped file causes in this goroutine: the system sends one
// where the file was cut after it was mapped, or where the disk fails. Without it, the program crashes. Call
// it as defer Guard(&err)(), around all that reads mapped files. Other goroutines must pass their panics on,
// and have faults as panics, as [linalg.Parallel] does. Other panics go on.
func Guard(err *error) (end func()) {
	before := debug.SetPanicOnFault(true)
	return func() {
		debug.SetPanicOnFault(before)
		r := recover()
		if r == nil {
			if fault := faultOf(*err); fault != nil { // which a guard of something else has made an error of
				*err = fault
			}
			return
		}
		panicked, _ := r.(error)
		fault := faultOf(panicked)
		if fault == nil {
			panic(r)
		}
		*err = fault
	}
}

// faultOf returns the error for the user of an error about a fault in the memory of a mapped file; nil for
// other errors.
func faultOf(err error) error {
	var fault interface{ Addr() uintptr } // of package runtime, for [debug.SetPanicOnFault]
	if !errors.As(err, &fault) {
		return nil
	}
	address := fault.Addr()
	regions.Lock()
	defer regions.Unlock()
	k := slices.IndexFunc(regions.all, func(r region) bool { return address >= r.start && address < r.end })
	if k < 0 {
		return nil
	}
	r := regions.all[k]
	info, err := os.Stat(r.path)
	size := r.info.Size()
	if err != nil || info.Size() == size {
		return fmt.Errorf("%s cannot be read any more: the file changed while it was read, or the disk fails", r.path)
	}
	return fmt.Errorf("%s has %d bytes, and had %d when it was opened: the file changed while it was read", r.path, info.Size(), size)
}
