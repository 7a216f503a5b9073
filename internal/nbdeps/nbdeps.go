// Package nbdeps imports what notebook cells import, and does nothing else. A
// cell is compiled as a program of its own that may use only this module's direct
// requirements, and kernels run with GOPROXY=off so that nothing is fetched. The
// imports here make `go mod tidy` keep the packages that no other package uses.
package nbdeps

import (
	_ "github.com/gomlx/compute"
	_ "github.com/gomlx/gomlx/core/graph"
	_ "github.com/gomlx/gomlx/core/tensors"
	_ "github.com/janpfeifer/gonb/gonbui"
	_ "gonum.org/v1/gonum/mat"
	_ "gonum.org/v1/gonum/stat"
	_ "gonum.org/v1/plot"
	_ "gonum.org/v1/plot/plotter"
	_ "gonum.org/v1/plot/vg"
	_ "gonum.org/v1/plot/vg/draw"
)
