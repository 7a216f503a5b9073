package method

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// tileRows returns how many rows of n×m similarities graph code computes at a time: 2,048, or
// fewer if they would be more than 256 MiB.
func tileRows(n, m int) int { return min(n, 2048, max(1, 1<<26/m)) }

// pairSums returns, for a function f of the similarities zᵢ·cⱼ of all rows of z and c,
//
//	Σᵢⱼ f(zᵢ·cⱼ),  the rows  Σⱼ f′(zᵢ·cⱼ)cⱼ  and  Σᵢ f′(zᵢ·cⱼ)zᵢ,
//
// and no n×m matrix, in a loop over tiles of the given number of rows. The sum is in float64:
// that of float32 terms would lose digits. The last result is nil unless it is wanted.
//
// derive is graph code of f and f′. It is part of a loop's body, where a scalar must be a
// Const: others are kept for the whole graph, which cannot use those of a body. Nor can a
// program have the same kind of reduction of the same numbers in a body and elsewhere.
//
//	z: [n, d], c: [m, d] → scalar, [n, d], [m, d]
func pairSums(z, c *Node, rows int, wantsOther bool, derive func(s *Node) (value, derivative *Node)) (sum, gradient, other *Node) {
	g, n, d := z.Graph(), z.Shape().Dim(0), z.Shape().Dim(1)
	tiles := (n + rows - 1) / rows
	rows = (n + tiles - 1) / tiles // so that the last one is about as full as the others
	blocks := Reshape(Pad(z, ScalarZero(g, z.DType()), PadAxis{End: tiles*rows - n}, PadAxis{}), tiles, rows, d)
	transposed := Transpose(c, 0, 1)
	state := []*Node{Const(g, int32(0)), Const(g, float64(0)), ZerosLike(blocks)}
	if wantsOther {
		state = append(state, ZerosLike(c))
	}
	parameters := func(g *Graph) (all []*Node) {
		for k, s := range state {
			all = append(all, Parameter(g, []string{"tile", "sum", "gradient", "other"}[k], s.Shape()))
		}
		return all
	}
	more := NewClosure(g, func(g *Graph) []*Node { return []*Node{LessThan(parameters(g)[0], Const(g, int32(tiles)))} })
	body := NewClosure(g, func(g *Graph) []*Node {
		now := parameters(g)
		k := now[0]
		tile := Gather(blocks, Reshape(k, 1))
		value, derivative := derive(Dot(tile, transposed).Product())
		row := Add(Mul(k, Const(g, int32(rows))), Iota(g, shapes.Make(dtypes.Int32, rows, 1), 0))
		isRow := ConvertDType(LessThan(row, Const(g, int32(n))), value.DType()) // not padding
		isTile := BroadcastToShape(Equal(Iota(g, shapes.Make(dtypes.Int32, tiles, 1, 1), 0), k), blocks.Shape())
		tileGradient := BroadcastToShape(Reshape(Dot(derivative, c).Product(), 1, rows, d), blocks.Shape())
		next := []*Node{
			Add(k, Const(g, int32(1))),
			Add(now[1], ReduceAllSum(ConvertDType(Mul(value, isRow), dtypes.Float64))),
			Where(isTile, tileGradient, now[2]),
		}
		if wantsOther {
			next = append(next, Add(now[3], Dot(Transpose(derivative, 0, 1), tile).Product()))
		}
		return next
	})
	out := While(more, body, state...)
	gradient = Slice(Reshape(out[2], tiles*rows, d), AxisRange(0, n), AxisRange())
	if wantsOther {
		other = out[3]
	}
	return out[1], gradient, other
}
