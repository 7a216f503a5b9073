package npz_test

import (
	"bytes"
	"fmt"

	"github.com/agekit/age/agekit/npz"
)

// Two arrays are written to an archive, and one of them is read.
func ExampleOpen() {
	var b bytes.Buffer
	if err := npz.Write(&b, npz.Array{Name: "k", Value: []float64{0.5, 2}}, npz.Array{Name: "seed", Value: []int64{7}}); err != nil {
		panic(err)
	}
	a, err := npz.Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		panic(err)
	}
	k, err := npz.Values[float64](a, "k", 2)
	fmt.Println(a.Names(), k, err)
	// Output: [k seed] [0.5 2] <nil>
}
