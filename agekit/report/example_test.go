package report_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/report"
	"github.com/agekit/age/agekit/run"
)

// The page of a run that was just found.
func Example() {
	ctx := context.Background()
	penguins, err := input.Open(ctx, input.Source{
		Nodes: "../../assets/examples/penguins.csv", Edges: "../../assets/examples/penguins-edges.csv", Label: "species",
	})
	if err != nil {
		panic(err)
	}
	r, err := run.Fit(ctx, penguins, run.Default())
	if err != nil {
		panic(err)
	}
	page, err := report.New(ctx, r)
	if err != nil {
		panic(err)
	}
	var html bytes.Buffer
	if err := page.Write(&html); err != nil {
		panic(err)
	}
	fmt.Println(len(page.Spectrum), "bars of eigenvalues,", bytes.Count(html.Bytes(), []byte("</html>")), "page")
	// Output: 40 bars of eigenvalues, 1 page
}
