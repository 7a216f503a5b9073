//go:build unix

package linalg

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/internal/mapped"
)

// TestParallelFault: where a mapped matrix was cut, a pass over its rows on several cores, in assembly and in
// Go, is an error of the caller's guard, and no crash.
func TestParallelFault(t *testing.T) {
	before := runtime.GOMAXPROCS(4)
	defer runtime.GOMAXPROCS(before)
	const rows, columns = 4096, 64
	path := filepath.Join(t.TempDir(), "x.f32")
	if err := os.WriteFile(path, make([]byte, 4*rows*columns), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := mapped.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	x := blas32.General{Rows: rows, Cols: columns, Stride: columns, Data: mapped.Numbers[float32](f.Bytes())}
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	for name, pass := range map[string]func(){
		"assembly": func() { Normalize(x) },
		"Go": func() {
			sum := make([]float32, rows)
			Parallel(rows, 16, func(lo, hi int) {
				for i := lo; i < hi; i++ {
					sum[i] = x.Data[i*columns]
				}
			})
		},
	} {
		run := func() (err error) {
			defer mapped.Guard(&err)()
			pass()
			return nil
		}
		if err := run(); err == nil || !strings.Contains(err.Error(), "x.f32 has 0 bytes, and had 1048576 when it was opened") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
