package parquet_test

import (
	"context"
	"fmt"

	"github.com/agekit/age/agekit/table"
	_ "github.com/agekit/age/agekit/table/parquet"
)

// After a blank import, package table reads Parquet files.
func Example() {
	t, err := table.Read(context.Background(), "testdata/people.parquet", table.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(t.Rows, "rows; the first column is", t.Columns[0].Name)
	// Output: 3 rows; the first column is id
}
