package method

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// tileRows returns how many rows of n×m similarities graph code computes at a time: mostRows, or
// fewer if there are fewer or if these have more than mostNumbers similarities.
func tileRows(n, m int) int {
	const mostRows, mostNumbers = 2048, 1 << 26 // 1<<26 float32 numbers are 256 MiB
	return min(n, mostRows, max(1, mostNumbers/m))
}

// pairSums returns, for a function f of the similarities zᵢ·cⱼ of all rows of z and c,
//
//	Σᵢⱼ f(zᵢ·cⱼ),  the rows  Σⱼ f′(zᵢ·cⱼ)cⱼ  and  Σᵢ f′(zᵢ·cⱼ)zᵢ,
//
// as sum, gradient and other. It stores no n×m matrix: a loop computes tiles of about the given
// number of rows. The sum is in float64, because a sum of float32 terms would lose digits. other
// is nil unless wantsOther.
//
// derive is graph code of f and f′. It is part of the loop's body, where a scalar must be a
// Const: GoMLX keeps other scalars for the whole graph, which cannot use those of a body. Nor can
// a program have the same kind of reduction of the same numbers in a body and elsewhere.
//
//	z: [n, d], c: [m, d] → scalar, [n, d], [m, d]
func pairSums(z, c *Node, rows int, wantsOther bool, derive func(s *Node) (value, derivative *Node)) (sum, gradient, other *Node) {
	g, n, d := z.Graph(), z.Shape().Dim(0), z.Shape().Dim(1)
	tiles := (n + rows - 1) / rows
	rows = (n + tiles - 1) / tiles // so that the last tile is about as full as the others
	padded := Pad(z, ScalarZero(g, z.DType()), PadAxis{End: tiles*rows - n}, PadAxis{})
	blocks := Reshape(padded, tiles, rows, d)
	transposed := Transpose(c, 0, 1)
	// The state of the loop: the index of the next tile, and of the tiles before it the sum, their
	// blocks of the gradient, and the other gradient.
	const atTile, atSum, atGradient, atOther = 0, 1, 2, 3
	names := []string{"tile", "sum", "gradient", "other"}
	state := []*Node{Const(g, int32(0)), Const(g, float64(0)), ZerosLike(blocks)}
	if wantsOther {
		state = append(state, ZerosLike(c))
	}
	parameters := func(g *Graph) (all []*Node) {
		for k, s := range state {
			all = append(all, Parameter(g, names[k], s.Shape()))
		}
		return all
	}
	more := NewClosure(g, func(g *Graph) []*Node { return []*Node{LessThan(parameters(g)[atTile], Const(g, int32(tiles)))} })
	body := NewClosure(g, func(g *Graph) []*Node {
		now := parameters(g)
		k := now[atTile]
		tile := Gather(blocks, Reshape(k, 1))
		value, derivative := derive(Dot(tile, transposed).Product())
		// Rows of padding do not count. Their part of the gradients is 0, or cut off below.
		row := Add(Mul(k, Const(g, int32(rows))), Iota(g, shapes.Make(dtypes.Int32, rows, 1), 0))
		isRow := ConvertDType(LessThan(row, Const(g, int32(n))), value.DType())
		// The tile's block of the gradient, at the place of all blocks and then only at its own.
		isTile := BroadcastToShape(Equal(Iota(g, shapes.Make(dtypes.Int32, tiles, 1, 1), 0), k), blocks.Shape())
		tileGradient := BroadcastToShape(Reshape(Dot(derivative, c).Product(), 1, rows, d), blocks.Shape())
		next := []*Node{
			Add(k, Const(g, int32(1))),
			Add(now[atSum], ReduceAllSum(ConvertDType(Mul(value, isRow), dtypes.Float64))),
			Where(isTile, tileGradient, now[atGradient]),
		}
		if wantsOther {
			next = append(next, Add(now[atOther], Dot(Transpose(derivative, 0, 1), tile).Product()))
		}
		return next
	})
	out := While(more, body, state...)
	gradient = Slice(Reshape(out[atGradient], tiles*rows, d), AxisRange(0, n), AxisRange())
	if wantsOther {
		other = out[atOther]
	}
	return out[atSum], gradient, other
}
