package bench

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"

	"github.com/agekit/age/agekit/figure"
)

// scaling are trainings on planted graphs that differ only in size, smallest first.
type scaling struct {
	name string
	rows []Row
}

var plantedJob = regexp.MustCompile(`^planted-[0-9]+(.*)$`)

// scalingSeries groups the planted graphs that were measured with the same settings on
// one machine. It returns nil if no group has two sizes, which would show growth.
func scalingSeries(rows []Row) []scaling {
	type settings struct {
		variant, backend, kind string
		epochs                 int
		machine                Machine
	}
	var order []settings
	found := map[settings][]Row{}
	for _, r := range rows {
		m := plantedJob.FindStringSubmatch(r.Job)
		if m == nil || r.Fit == nil {
			continue
		}
		s := settings{m[1], r.Backend, r.Kind, r.Fit.Epochs, r.Machine}
		if found[s] == nil {
			order = append(order, s)
		}
		found[s] = append(found[s], r)
	}
	var all []scaling
	largest := 0
	for _, s := range order {
		same := found[s]
		largest = max(largest, len(same))
		slices.SortFunc(same, func(a, b Row) int { return cmp.Compare(a.Nodes(), b.Nodes()) })
		all = append(all, scaling{fmt.Sprintf("%s, %s, %d epochs", s.backend, s.kind, s.epochs), same})
	}
	if largest < 2 {
		return nil
	}
	return all
}

// growth is the row of the growth table from size k to the next.
func (s scaling) growth(k int) []string {
	from, to := s.rows[k], s.rows[k+1]
	time, processor := to.Seconds/from.Seconds, to.ProcessorSeconds/from.ProcessorSeconds
	memory := float64(to.PeakRSSBytes) / float64(from.PeakRSSBytes)
	factor := func(f float64) string { return fmt.Sprintf("×%.2f", f) }
	return []string{
		s.name, comma(from.Nodes()), comma(to.Nodes()), factor(time), factor(processor), factor(memory),
		factor(perDoubling(from.Nodes(), to.Nodes(), time)), factor(perDoubling(from.Nodes(), to.Nodes(), memory)),
	}
}

// perDoubling converts a growth by factor between two sizes to that per doubling of the size.
func perDoubling(from, to int, factor float64) float64 {
	return math.Pow(factor, math.Ln2/math.Log(float64(to)/float64(from)))
}

// scalingFigure draws time and memory over the number of nodes.
func scalingFigure(all []scaling) *figure.Figure {
	var time, memory []figure.Series
	for _, s := range all {
		t, m := figure.Series{Name: s.name}, figure.Series{Name: s.name}
		for _, r := range s.rows {
			t.X, t.Y = append(t.X, float64(r.Nodes())), append(t.Y, r.Seconds)
			m.X, m.Y = append(m.X, float64(r.Nodes())), append(m.Y, float64(r.PeakRSSBytes)/1e9)
		}
		time, memory = append(time, t), append(memory, m)
	}
	return figure.Row(
		figure.Scaling("Time of a whole run", "nodes", "seconds", time...),
		figure.Scaling("Peak memory", "nodes", "GB", memory...))
}
