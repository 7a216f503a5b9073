package run

import (
	"runtime"

	"github.com/agekit/age/agekit/method"
	"github.com/agekit/age/agekit/views"
	"github.com/agekit/age/internal/cost"
)

// View returns the view that is the result, or "" for a method other than AGE.
func (p *Planned) View() views.Name { return p.plan.view }

// Otherwise returns the view that is the result in place of View, if the run finds that the edges are like random
// ones; "" if View is the result in any case.
func (p *Planned) Otherwise() views.Name {
	if p.options.mayTurn(p.plan.view) {
		return views.Features
	}
	return ""
}

// mayTurn reports whether the features may be the view of the result in place of the one that is planned.
func (o *Options) mayTurn(planned views.Name) bool {
	return planned == views.Edges && o.View == "" && o.From == nil
}

// Clusters returns the numbers of clusters to choose from; the zero value for a method that finds the number.
func (p *Planned) Clusters() views.Range { return p.plan.clusters }

// TrainingSeconds estimates the seconds of the training on all cores of this machine. known is false for a view
// that needs no training, and for other methods and backends.
func (p *Planned) TrainingSeconds() (seconds float64, known bool) {
	g := p.data.Graph
	const native = "native"
	if p.plan.view != views.AGE || p.options.Backend.Name != native && p.options.Backend.Name != "" {
		return 0, false
	}
	t := p.plan.training.ForGraph(g)
	var work cost.Estimate
	if n, f := g.Features.Dims(); t.Sample < n {
		work = t.Training(t.Sample, f)
	} else {
		m, err := method.New(method.AGE, method.Settings{Filter: t.Filter, Config: t.Config})
		if err != nil {
			return 0, false
		}
		if work, known = method.Cost(m, g); !known {
			return 0, false
		}
	}
	return work.Seconds(cost.Rate(), runtime.GOMAXPROCS(0)), true
}
