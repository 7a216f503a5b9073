package testutil

import (
	"runtime"
	"testing"
)

// TestCounts checks the counts, because a rate is only as accurate as the
// count behind it.
func TestCounts(t *testing.T) {
	if got, want := product(3), float64(3*runtime.GOMAXPROCS(0)*512*128*64); got != want {
		t.Errorf("%v multiply-adds, want %v", got, want)
	}
	dst := make([]float32, 1001)
	if got := copyAll(dst, ones(1001)); got != 8008 {
		t.Errorf("%v bytes, want 8008", got)
	}
	for i, v := range dst {
		if v != 1 {
			t.Fatalf("number %d was not copied", i)
		}
	}
}

func BenchmarkProduct(b *testing.B) {
	b.ReportAllocs()
	total := 0.0
	for b.Loop() {
		total += product(200)
	}
	b.ReportMetric(total/b.Elapsed().Seconds()/1e9, "Gmadd/s")
}

func BenchmarkCopy(b *testing.B) {
	dst, from := ones(tooLarge), ones(tooLarge)
	b.ReportAllocs()
	b.SetBytes(int64(copyAll(dst, from)))
	for b.Loop() {
		copyAll(dst, from)
	}
}
