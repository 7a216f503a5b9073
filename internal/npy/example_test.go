package npy_test

import (
	"bytes"
	"fmt"

	"github.com/agekit/age/internal/npy"
)

// Two arrays are written to an archive, and one of them is read.
func ExampleOpenArchive() {
	var b bytes.Buffer
	if err := npy.WriteArchive(&b, npy.NamedArray{Name: "k", Value: []float64{0.5, 2}}, npy.NamedArray{Name: "seed", Value: []int64{7}}); err != nil {
		panic(err)
	}
	a, err := npy.OpenArchive(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		panic(err)
	}
	k, err := npy.ArchiveValues[float64](a, "k", 2)
	fmt.Println(a.Names(), k, err)
	// Output: [k seed] [0.5 2] <nil>
}
