package backend

import (
	"fmt"
	"time"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// ProductTime returns the time that a GoMLX backend takes for one dense
// float32 matrix product of Cora's size, 2708×1433 by 1433×500, as the fastest
// of ten runs. It serves to compare machines. The backend must not be Native.
func ProductTime(c Choice) (fastest time.Duration, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("backend %s: product: %v", c.Name, r)
		}
	}()
	b, err := Open(c)
	if err != nil {
		return 0, err
	}
	defer b.Finalize()
	// Taking the maximum makes the result small, but still requires the whole
	// product.
	product, err := graph.NewExec(b, func(x, w *graph.Node) *graph.Node {
		return graph.ReduceAllMax(graph.Dot(x, w).Product())
	})
	if err != nil {
		return 0, fmt.Errorf("backend %s: %w", c.Name, err)
	}
	defer product.Finalize()
	const n, f, d = 2708, 1433, 500
	x, w := tensors.FromFlatDataAndDimensions(ramp(n*f), n, f), tensors.FromFlatDataAndDimensions(ramp(f*d), f, d)
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
