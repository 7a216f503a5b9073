package tsne

import (
	"errors"
	"math"
	"math/rand/v2"

	"github.com/agekit/age/internal/linalg"
	"gonum.org/v1/gonum/spatial/barneshut"
	"gonum.org/v1/gonum/spatial/r2"
)

// point is a point of the map: a particle of mass 1. (barneshut divides the coordinates
// of a leaf by its mass, so equal points cannot be merged into one of a greater mass.)
type point struct{ r2.Vec }

func (p *point) Coord2() r2.Vec { return p.Vec }
func (p *point) Mass() float64  { return 1 }

// layout is the state of the map during descent.
type layout struct {
	p      affinity
	theta  float64 // cells of the tree up to this ratio of width to distance count as one point
	rnd    *rand.Rand
	points []point
	plane  barneshut.Plane
	// repulsion is Σⱼ q²(yᵢ−yⱼ) and mass Σⱼ q of each point, with
	// q = 1/(1+‖yᵢ−yⱼ‖²).
	repulsion []r2.Vec
	mass      []float64
	grad      []r2.Vec // set by gradient
}

// newLayout returns a layout whose points are all at the origin, one for each row of p. rnd draws the noise
// that separates equal points.
func newLayout(p affinity, theta float64, rnd *rand.Rand) *layout {
	n := len(p.indptr) - 1
	m := &layout{
		p: p, theta: theta, rnd: rnd,
		points:    make([]point, n),
		repulsion: make([]r2.Vec, n),
		mass:      make([]float64, n),
		grad:      make([]r2.Vec, n),
	}
	m.plane.Particles = make([]barneshut.Particle2, n)
	for i := range m.points {
		m.plane.Particles[i] = &m.points[i]
	}
	return m
}

// gradient sets m.grad[i] to ∂KL/∂yᵢ = 4 Σⱼ (exaggeration·pᵢⱼ − q/Z) q (yᵢ−yⱼ), with q and Z as in
// [layout.repel]. It returns an error if a point is not finite.
func (m *layout) gradient(exaggeration float64) error {
	z, err := m.repel()
	if err != nil {
		return err
	}
	linalg.Parallel(len(m.points), pointsPerCore, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			var attraction r2.Vec
			yi := m.points[i].Vec
			for k := m.p.indptr[i]; k < m.p.indptr[i+1]; k++ {
				d := r2.Sub(yi, m.points[m.p.indices[k]].Vec)
				attraction = r2.Add(attraction, r2.Scale(m.p.values[k]/(1+r2.Norm2(d)), d))
			}
			m.grad[i] = r2.Sub(r2.Scale(4*exaggeration, attraction), r2.Scale(4/z, m.repulsion[i]))
		}
	})
	return nil
}

// divergence returns KL(P‖Q) of the map in nats, with Z as the tree gives it.
func (m *layout) divergence() (float64, error) {
	z, err := m.repel()
	if err != nil {
		return 0, err
	}
	var kl float64
	for i := range m.points {
		yi := m.points[i].Vec
		for k := m.p.indptr[i]; k < m.p.indptr[i+1]; k++ {
			if p := m.p.values[k]; p > 0 {
				d := r2.Sub(yi, m.points[m.p.indices[k]].Vec)
				kl += p * math.Log(p*z*(1+r2.Norm2(d)))
			}
		}
	}
	return kl, nil
}

// pointsPerCore is the number of points that a core takes at a time.
const pointsPerCore = 64

// repel sets repulsion[i] to Σⱼ q²(yᵢ−yⱼ) and mass[i] to Σⱼ q with q = 1/(1+‖yᵢ−yⱼ‖²), and returns Z = Σᵢ
// Σⱼ q. All sums are over j ≠ i. They are approximate: the tree replaces the points of a distant cell
// by its center. repel moves points that are too close together for a tree.
func (m *layout) repel() (z float64, err error) {
	if err := m.buildTree(); err != nil {
		return 0, err
	}
	linalg.Parallel(len(m.points), pointsPerCore, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			var sum float64 // of q
			m.repulsion[i] = m.plane.ForceOn(&m.points[i], m.theta,
				func(p1, p2 barneshut.Particle2, _, mass float64, v r2.Vec) r2.Vec {
					if p1 == p2 {
						return r2.Vec{}
					}
					// v leads to the other point, or to the center of a cell with mass many points.
					q := 1 / (1 + v.X*v.X + v.Y*v.Y)
					mass *= q
					sum += mass
					mass *= -q // repulsion leads away from it
					return r2.Vec{X: mass * v.X, Y: mass * v.Y}
				})
			m.mass[i] = sum
		}
	})
	for _, q := range m.mass {
		z += q
	}
	return z, nil
}

// buildTree builds the quadtree of the points. If points are too close together for a tree, as those of
// equal rows can be, it moves all points by noise that is far too small to see in a figure. It returns
// an error if a coordinate is not finite.
func (m *layout) buildTree() error {
	var widest float64
	for i := range m.points {
		widest = max(widest, math.Abs(m.points[i].X), math.Abs(m.points[i].Y)) // NaN stays NaN
	}
	if math.IsNaN(widest) || math.IsInf(widest, 0) {
		return errors.New("the map diverged")
	}
	size := max(widest, initialSpread)
	const leastNoise, mostNoise = 1e-9, 1e-3 // relative to the size
	noise := leastNoise * size
	err := m.plane.Reset()
	for ; err != nil && noise < mostNoise*size; noise *= 10 {
		for i := range m.points {
			m.points[i].X += noise * m.rnd.NormFloat64()
			m.points[i].Y += noise * m.rnd.NormFloat64()
		}
		err = m.plane.Reset()
	}
	return err
}
