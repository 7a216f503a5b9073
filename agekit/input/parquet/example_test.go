package parquet_test

import (
	"context"
	"fmt"

	"github.com/agekit/age/agekit/input"
	_ "github.com/agekit/age/agekit/input/parquet"
)

// After a blank import, package input reads Parquet files.
func Example() {
	t, err := input.ReadTable(context.Background(), "testdata/people.parquet", input.TableOptions{})
	if err != nil {
		panic(err)
	}
	fmt.Println(t.Rows, "rows; the first column is", t.Columns[0].Name)
	// Output: 3 rows; the first column is id
}
