package device

import (
	"fmt"
	"time"

	"github.com/agekit/age/agekit/backend"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// ProductTime returns the time of one dense float32 matrix product of Cora's size,
// 2708×1433 by 1433×500, on a GoMLX backend, as the fastest of ten runs. It serves to
// compare machines. The backend must not be Native. Call it in a process of its own: XLA
// takes much memory, which would be part of other measurements.
func ProductTime(c backend.Choice) (fastest time.Duration, err error) {
	defer func() {
		if r := Recovered(recover()); r != nil {
			err = fmt.Errorf("backend %s: product: %w", c.Name, r)
		}
	}()
	d, err := Open(c, Need{What: "the product"})
	if err != nil {
		return 0, err
	}
	defer d.Close()
	// The maximum is small, but still requires the whole product.
	product := d.Program(func(in []*graph.Node) []*graph.Node {
		return []*graph.Node{graph.ReduceAllMax(graph.Dot(in[0], in[1]).Product())}
	})
	const n, f, width = 2708, 1433, 500
	x, w := tensors.FromFlatDataAndDimensions(ramp(n*f), n, f), tensors.FromFlatDataAndDimensions(ramp(f*width), f, width)
	for try := range 11 {
		start := time.Now()
		out, err := product.Call(x, w)
		if err != nil {
			return 0, fmt.Errorf("backend %s: product: %w", c.Name, err)
		}
		tensors.ToScalar[float32](out[0]) // waits for the result
		if took := time.Since(start); try == 1 || try > 1 && took < fastest {
			fastest = took // the first run compiles
		}
	}
	return fastest, nil
}

func ramp(count int) []float32 {
	values := make([]float32, count)
	for i := range values {
		values[i] = float32(i%97)/97 - 0.5
	}
	return values
}
