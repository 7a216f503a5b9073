// Command mistake ends like a cell with an error.
package main

import (
	"errors"

	"github.com/agekit/age/agekit"
)

func main() {
	agekit.Check(nil)
	load := func() (int, error) { return 0, errors.New("no such graph") }
	agekit.Must(load())
}
