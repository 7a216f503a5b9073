package testutil

import (
	"runtime"
	"testing"
)

// TestCounts: product and copyAll return the multiply-adds and bytes that follow from the sizes, and
// copyAll copies all numbers. A rate is only as accurate as the count behind it.
func TestCounts(t *testing.T) {
	const times, tileColumns = 3, 64
	if got, want := product(times), float64(times*runtime.GOMAXPROCS(0)*productRows*productColumns*tileColumns); got != want {
		t.Errorf("%v multiply-adds, want %v", got, want)
	}
	const numbers = 1001 // not the same for each core
	dst := make([]float32, numbers)
	if got, want := copyAll(dst, ones(numbers)), float64(numbers*(4+4)); got != want { // 4 bytes each, read and written
		t.Errorf("%v bytes, want %v", got, want)
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
