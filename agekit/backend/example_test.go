package backend_test

import (
	"errors"
	"fmt"

	"github.com/agekit/age/agekit/backend"
)

// A program that prefers XLA and falls back if its plugin is not installed or
// XLA is not linked.
func ExampleResolve() {
	choice, err := backend.Resolve(backend.XLACPU)
	if errors.Is(err, backend.ErrUnavailable) {
		choice, err = backend.Resolve(backend.Go)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(choice.Name == backend.XLACPU || choice.Name == backend.Go)

	_, err = backend.Resolve("tpu")
	fmt.Println(errors.Is(err, backend.ErrUnknown))
	// Output:
	// true
	// true
}

func ExampleOpen() {
	choice, err := backend.Resolve(backend.Go)
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := backend.Open(choice)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer b.Finalize()
	fmt.Println(choice.Name, "with", b.NumDevices(), "device:", choice.Reason)
	// Output: go with 1 device: asked for
}
