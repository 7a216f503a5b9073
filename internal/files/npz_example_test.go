package files_test

import (
	"bytes"
	"fmt"

	"github.com/agekit/age/internal/files"
)

// Two arrays are written to an archive, and one of them is read.
func ExampleOpenArchive() {
	var b bytes.Buffer
	if err := files.WriteArchive(&b, files.NamedArray{Name: "k", Value: []float64{0.5, 2}}, files.NamedArray{Name: "seed", Value: []int64{7}}); err != nil {
		panic(err)
	}
	a, err := files.OpenArchive(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		panic(err)
	}
	k, err := files.ArchiveValues[float64](a, "k", 2)
	fmt.Println(a.Names(), k, err)
	// Output: [k seed] [0.5 2] <nil>
}
