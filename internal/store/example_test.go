package store_test

import (
	"fmt"
	"os"

	"github.com/agekit/age/internal/store"
)

func ExampleCached() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	s, err := store.Open(dir)
	if err != nil {
		panic(err)
	}
	type options struct{ Layers int }
	for range 2 {
		key := store.NewKey("powers", 1, "fingerprint of the data", options{Layers: 3})
		powers, hit, err := store.Cached(s, key, func() ([]float64, error) {
			return []float64{1, 0.5, 0.25}, nil
		})
		fmt.Println(powers, hit, err)
	}
	// Output:
	// [1 0.5 0.25] false <nil>
	// [1 0.5 0.25] true <nil>
}
