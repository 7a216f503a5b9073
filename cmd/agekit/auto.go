package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/agekit/age/agekit/auto"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/paper"
)

// clusterNumber is the value of --clusters: a number, or the numbers to choose from.
// The zero value is the number of classes.
type clusterNumber struct{ least, most int }

// anyNumber is what auto means.
var anyNumber = clusterNumber{2, auto.Most}

// UnmarshalText parses "7", "4..20" or "auto".
func (c *clusterNumber) UnmarshalText(text []byte) error {
	if string(text) == "auto" {
		*c = anyNumber
		return nil
	}
	low, high, isRange := strings.Cut(string(text), "..")
	if !isRange {
		high = low
	}
	var errs [2]error
	c.least, errs[0] = strconv.Atoi(low)
	c.most, errs[1] = strconv.Atoi(high)
	if errs[0] != nil || errs[1] != nil || c.least < 2 || c.most < c.least {
		return fmt.Errorf("--clusters is %s: want a number, 2 or more, a range such as 4..20, or auto", text)
	}
	return nil
}

func (c clusterNumber) String() string {
	if c.most > c.least {
		return fmt.Sprintf("%d..%d", c.least, c.most)
	}
	return strconv.Itoa(c.least)
}

// of returns the number of clusters where it is not chosen.
func (c clusterNumber) of(g *graph.Graph) (int, error) {
	switch {
	case c.most > c.least:
		return 0, fmt.Errorf("--clusters is %s: want one number, or --auto, which chooses", c)
	case c.least > 0:
		return c.least, nil
	case g.Classes == 0:
		return 0, errors.New("--clusters is missing: without labels the number of clusters is unknown")
	}
	return g.Classes, nil
}

// setFlag returns the name of the first flag that sets what --auto chooses, "" if none
// is set.
func (c *FitCmd) setFlag() string {
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"layers", c.Layers != nil}, {"k", c.K != ""}, {"best", c.Best}, {"batch", c.Batch != defaultBatch},
		{"pos-start", c.PosStart != nil}, {"pos-end", c.PosEnd != nil}, {"neg-start", c.NegStart != nil}, {"neg-end", c.NegEnd != nil},
		{"epochs", c.Epochs != defaultEpochs}, {"update", c.Update != 10}, {"scaling", c.Scaling != "randomwalk"}, {"loss", c.Loss != "probability"},
	} {
		if f.set {
			return f.name
		}
	}
	return ""
}

// chooses says whether the settings are chosen for g.
func (c *FitCmd) chooses(g *graph.Graph) (bool, error) {
	flag := c.setFlag()
	if c.Auto == nil {
		_, known := paper.Settings(g.Catalogue)
		return flag == "" && !known, nil
	}
	if *c.Auto && flag != "" {
		return false, fmt.Errorf("--auto and --%s: want one or the other", flag)
	}
	return *c.Auto, nil
}

// fitPlan is how `agekit fit` trains: with the filter and the settings, or with settings
// that are chosen.
type fitPlan struct {
	auto    *auto.Options
	options encoder.Options
}

// plan returns how to train on g. It returns an error for flags that do not fit g.
func (c *FitCmd) plan(g *graph.Graph) (p fitPlan, err error) {
	chooses, err := c.chooses(g)
	if err != nil {
		return p, err
	}
	if !chooses {
		p.options, err = c.settings(g)
		return p, err
	}
	number := c.Clusters
	switch {
	case number != clusterNumber{}:
	case g.Classes > 1:
		number = clusterNumber{g.Classes, g.Classes}
	default:
		number = anyNumber
	}
	if number == anyNumber {
		number.most = max(2, min(number.most, g.N()/2))
	}
	// The settings that are not chosen, and their checks.
	one := *c
	one.Clusters = clusterNumber{number.most, number.most}
	if p.options, err = one.settings(g); err != nil {
		return p, err
	}
	p.auto = &auto.Options{Clusters: number.least, Most: number.most, Seed: c.Seed}
	return p, nil
}

// fitted is a result with the settings that made it.
type fitted struct {
	*encoder.Result
	config  encoder.Config
	auto    *auto.Tried // nil if the settings were given
	discard func() error
}

// fit trains.
func (p fitPlan) fit(ctx context.Context, g *graph.Graph, log func(line string)) (*fitted, error) {
	if p.auto != nil {
		settings := *p.auto
		settings.Encoder, settings.Log = p.options, log
		r, err := auto.Fit(ctx, g, settings)
		if err != nil {
			return nil, err
		}
		return &fitted{r.Result, r.Config, &r.Tried, r.Discard}, nil
	}
	r, err := encoder.Fit(ctx, g, p.options)
	if err != nil {
		return nil, err
	}
	return &fitted{r, p.options.Config, nil, r.Discard}, nil
}

// printChoice writes tables of what was tried.
func printChoice(w io.Writer, a *auto.Tried) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if a.Numbers != nil {
		fmt.Fprintln(t, "clusters\tedges' information\teigengap\tmodularity\tDavies–Bouldin")
		for i, n := range a.Numbers {
			fmt.Fprintf(t, "%d\t%.3f\t%.3f\t%.3f\t%.2f%s\n", n.Clusters, n.EdgeShare, n.Gap, n.Modularity, n.DaviesBouldin, chosen(i == a.Number()))
		}
		fmt.Fprintln(t)
	}
	fmt.Fprintln(t, "tried\tfeatures' information\tmean conductance\tmodularity\tscore\tseconds")
	for _, i := range a.Best() {
		trial := a.Trials[i]
		fmt.Fprintf(t, "%s\t%.3f\t%.3f\t%.3f\t%.2f\t%.1f%s\n", trial.Name(), trial.FeatureInformation, trial.MeanConductance, trial.Modularity, trial.Score, trial.Seconds, chosen(i == a.Chosen))
	}
	t.Flush()
	fmt.Fprintln(w)
}

func chosen(is bool) string {
	if is {
		return "\t← chosen"
	}
	return ""
}
