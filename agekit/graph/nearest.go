package graph

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/rng"
	"gonum.org/v1/gonum/blas/blas32"
)

// Nearest are edges from rows to the nearest rows.
type Nearest struct {
	// U and V are the ends of the edges: k from each row U, row after row, nearest first.
	U, V []int32
	// Tied counts the rows with more than k nearest ones, because several have the same distance. First is
	// the first of them; −1 if there is none.
	Tied, First int
}

// NearestEdges returns the k edges (u, v) from each row u of queries to the nearest rows v of x in
// Euclidean distance. If the queries are x itself, no row is its own neighbor.
//
// Where more rows tie with the k-th nearest than are wanted, a hash of the rows' numbers chooses, so that the
// graph is the same, but for the names of its nodes, whatever the order of rows and columns is. Rows that
// are equal share their edges evenly: those from each of them, and those to each of them. More than k+1 equal
// rows make a graph in which each is joined to 2k others, or all.
func NearestEdges(ctx context.Context, queries, x blas32.General, k int) (Nearest, error) {
	s := nearestSearch{k: k, same: queries.Rows == x.Rows && &queries.Data[0] == &x.Data[0], among: newEqualRows(x)}
	if s.from = s.among; !s.same {
		s.from = newEqualRows(queries)
		s.among.setKeys(s.from)
	} else {
		s.among.setKeys()
	}
	s.norms = [2][]float64{squares(s.from.rows), squares(s.among.rows)}
	found := Nearest{U: make([]int32, queries.Rows*k), V: make([]int32, queries.Rows*k), First: -1}
	for e := range found.U {
		found.U[e] = int32(e / k)
	}
	tied := make([]bool, len(s.from.members))
	err := linalg.EachDistances(ctx, s.from.rows, s.among.rows, func(g int, distances []float32) {
		tied[g] = s.join(g, distances, found.V)
	})
	for g, members := range s.from.members {
		if !tied[g] {
			continue
		}
		if first := int(members[0]); found.First < 0 || first < found.First {
			found.First = first
		}
		found.Tied += len(members)
	}
	return found, err
}

// JoinNearest returns the adjacency matrix of the graph in which each row of x is joined to the k
// nearest others ([NearestEdges]).
func JoinNearest(ctx context.Context, x blas32.General, k int) (*CSR, error) {
	found, err := NearestEdges(ctx, x, x, k)
	if err != nil {
		return nil, err
	}
	return Adjacency(x.Rows, found.U, found.V, nil)
}

// squares returns the squared lengths of the rows of x.
func squares(x blas32.General) []float64 {
	all := make([]float64, x.Rows)
	for i := range all {
		all[i] = linalg.SumOfSquares(x.Data[i*x.Stride:][:x.Cols])
	}
	return all
}

// nearestSearch finds the k nearest rows among groups of equal rows.
type nearestSearch struct {
	k           int
	same        bool // the rows that are joined are those among which the nearest are
	from, among *equalRows
	norms       [2][]float64 // the squared lengths of the rows of from, and of among
}

// group is a group of equal rows of nearestSearch.among, with its squared distance from a query.
type group struct {
	number   int32
	distance float64
	// Groups at the same distance are ordered by a hash of their key and the query's. Where keys are equal, as
	// of rows with one word each, they are ordered by a hash of the steps between their ranks, so that not all
	// queries come to the same groups.
	hash, steps uint64
}

// join writes the neighbors of all rows of group g to v, k for each row at its place, and reports whether more
// rows were as near as these. distances are those of [linalg.EachDistances].
func (s *nearestSearch) join(g int, distances []float32, v []int32) (tied bool) {
	members := s.from.members[g]
	mates := 0 // other rows that equal each of these
	if s.same {
		mates = len(members) - 1
	}
	if mates > s.k {
		s.joinMates(members, v)
		return true
	}
	var nearer []int32 // rows that are all joined
	var level []group  // the groups at the distance of the k-th nearest
	missing := s.k - mates
	if missing > 0 {
		groups := s.nearestGroups(g, distances, missing)
		nearer, level, missing = s.split(groups, missing)
	}
	size := 0 // of the level
	for _, group := range level {
		size += len(s.among.members[group.number])
	}
	for t, i := range members {
		row := v[int(i)*s.k:][:0:s.k]
		if s.same {
			row = append(append(row, members[:t]...), members[t+1:]...)
		}
		row = append(row, nearer...)
		for p := range missing {
			row = append(row, s.member(level, (t*missing+p)%size))
		}
	}
	return size > missing
}

// joinMates joins each of more than k+1 equal rows to k others of them: those at the same k steps along their
// list, which goes round. The steps are as if at random, because next ones would make long chains.
func (s *nearestSearch) joinMates(members []int32, v []int32) {
	m := len(members)
	steps := make([]int, 0, s.k)
	for draw := uint64(0); len(steps) < s.k; draw++ {
		if step := 1 + int(rng.Mix(draw)%uint64(m-1)); !slices.Contains(steps, step) {
			steps = append(steps, step)
		}
	}
	for t, i := range members {
		for p, step := range steps {
			v[int(i)*s.k+p] = members[(t+step)%m]
		}
	}
}

// nearestGroups returns the groups nearest to group g, ordered by distance, with that many rows or more, and
// those that tie with the last of them. If very many do, they are some of these, as a hash chooses.
func (s *nearestSearch) nearestGroups(g int, distances []float32, rows int) []group {
	heap := make([]linalg.Neighbor, 0, min(rows, len(distances)))
	for j, d := range distances {
		if j != g || !s.same {
			heap = linalg.KeepSmallest(heap, linalg.Neighbor{Index: int32(j), Value: float64(d)})
		}
	}
	var groups, edge []group
	for _, n := range heap {
		groups = append(groups, s.withDistance(g, s.group(g, n.Index)))
	}
	slices.SortFunc(groups, byDistance)
	// Products of float32 don't tell all groups that are as near as the last of these from those that are
	// farther: the exact distances of groups at the edge decide.
	square := s.norms[0][g]
	last := s.reach(groups, rows) - square
	rounding := 0x1p-22 * math.Sqrt(float64(s.among.rows.Cols))
	groups = groups[:0]
	for j, d := range distances {
		beyond, width := float64(d)-last, rounding*(square+s.norms[1][j])
		if j == g && s.same || beyond > width {
			continue
		}
		if beyond < -width {
			groups = append(groups, s.withDistance(g, s.group(g, int32(j))))
		} else {
			edge = append(edge, s.group(g, int32(j)))
		}
	}
	if most := 64 + 4*rows; len(edge) > most {
		slices.SortFunc(edge, byHash)
		edge = edge[:most]
	}
	for _, near := range edge {
		groups = append(groups, s.withDistance(g, near))
	}
	slices.SortFunc(groups, byDistance)
	return groups
}

// withDistance returns the group with its distance from group g of the queries.
func (s *nearestSearch) withDistance(g int, near group) group {
	near.distance = linalg.SquaredDistance(s.from.rows, g, s.among.rows, int(near.number))
	return near
}

// group returns group j as one near group g of the queries. Its distance is not set.
func (s *nearestSearch) group(g int, j int32) group {
	n := len(s.among.ranks)
	steps := ((s.among.ranks[j]-s.from.ranks[g])%n + n) % n
	return group{number: j, hash: rng.Mix(s.from.keys[g] + rng.Mix(s.among.keys[j])), steps: rng.Mix(uint64(steps))}
}

// byDistance compares groups by distance, and then as chance would.
func byDistance(a, b group) int { return cmp.Or(cmp.Compare(a.distance, b.distance), byHash(a, b)) }

// byHash compares groups as chance would.
func byHash(a, b group) int {
	return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.steps, b.steps), cmp.Compare(a.number, b.number))
}

// reach returns the distance of the first group with which the groups have that many rows.
func (s *nearestSearch) reach(groups []group, rows int) float64 {
	for _, group := range groups {
		if rows -= len(s.among.members[group.number]); rows <= 0 {
			return group.distance
		}
	}
	return groups[len(groups)-1].distance
}

// split returns the rows of the groups that are nearer than the one that completes the wanted number of rows,
// the groups at its distance, in their order, and how many rows of these are missing then.
func (s *nearestSearch) split(groups []group, rows int) (nearer []int32, level []group, missing int) {
	const rounding = 1e-9 // of sums in another order, relative
	last := s.reach(groups, rows)
	for _, group := range groups {
		switch {
		case group.distance < last*(1-rounding):
			nearer = append(nearer, s.among.members[group.number]...)
		case group.distance <= last*(1+rounding):
			level = append(level, group)
		}
	}
	slices.SortFunc(level, byHash)
	return nearer, level, rows - len(nearer)
}

// member returns row p of the rows of the groups, one group's after the other's. Each group's begin at a place
// that depends on the query, so that not all queries join the same ones.
func (s *nearestSearch) member(groups []group, p int) int32 {
	for _, group := range groups {
		members := s.among.members[group.number]
		if p < len(members) {
			return members[(p+int(group.hash>>1%uint64(len(members))))%len(members)]
		}
		p -= len(members)
	}
	panic("graph: member beyond the groups")
}
