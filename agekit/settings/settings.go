// Package settings has the settings of a run in one struct. The flags of the program, files with
// settings, records, checks, docs/cli.md, docs/run.schema.json and the arguments in Python follow
// from its tags, which package setting reads: a new setting is a new field.
package settings

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/method"
	"github.com/agekit/age/agekit/views"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/setting"
)

// Settings decide, with the data, what a run finds. A zero field is not given, so that its default
// counts: for the paper's data sets the paper's, and for other graphs what follows from the graph.
type Settings struct {
	// Clusters is the number of clusters, or the range in which a useful number is found
	// ([views.Finder.Number]). Default: the number of classes; without classes, any, unless AGE's
	// settings are given.
	Clusters views.Range `json:"clusters" group:"clusters" placeholder:"K|A..B|auto" help:"Number of clusters, or a range in which a useful number is found (default: the number of classes; without labels auto)."`
	// View is the way to see the graph that is the result. Default: [views.Default], or [views.AGE]
	// if its settings are given.
	View views.Name `json:"view" values:"features,edges,both,unlike,age" group:"method" placeholder:"NAME" help:"The way to see the graph that is the result: features, edges, both, unlike (edges that join unlike nodes) or age (default: age for edges beside 100 or more features; features if the edges are made from them; else edges)."`
	// Method is AGE, or the name of another method. Default AGE.
	Method string `json:"method" zero:"AGE" group:"method" help:"The method: ${fit_methods}."`
	// Published runs another method by the protocol of its own public code. Default false.
	Published bool `json:"published" more:"" group:"method" help:"Run another method by the protocol of its own public code, if that differs from the one that all methods share."`
	// Auto takes the view and its settings from the graph ([views.Settings]). Default: for graphs
	// that are not the paper's, unless one of the settings that it chooses is given.
	Auto *bool `json:"auto" of:"AGE" more:"" group:"method" negatable:"" help:"Take the view and its settings from the graph, without labels (default: for graphs that are not the paper's, unless a flag sets one of them)."`
	// Best is best mode ([encoder.Options.Best]). Default false.
	Best bool `json:"best" chosen:"" of:"AGE" group:"method" help:"Best mode: three trainings with one step per epoch and half of up to eight layers, their embeddings concatenated, and the consensus of many clusterings of the similarities."`
	laplacian.Filter
	// Config has the settings of AGE's training. Its FixedPairs, Clusters and Members are not used.
	encoder.Config
}

// Others reports whether Method names another method than AGE.
func (s *Settings) Others() bool { return !strings.EqualFold(cmp.Or(s.Method, method.AGE), method.AGE) }

// Check returns an error that names the first setting without a valid value, or two settings that do
// not suit each other; nil if there are none.
func (s *Settings) Check() error {
	if err := setting.Check(s); err != nil {
		return err
	}
	switch {
	case s.Others():
		return s.checkOthers()
	case s.Published:
		return message.Errorf("%s is for %s %s", message.Option("published"), message.Option("method"), strings.Join(published(), ", "))
	}
	if s.Best && s.BatchSize != 0 {
		return message.Errorf("%s and %s: best mode takes one step per epoch", message.Option("best"), message.Option("batch_size"))
	}
	if s.Auto != nil && *s.Auto {
		// epochs may be given: it is the most that auto takes.
		given := slices.DeleteFunc(s.Chosen(), func(s setting.Setting) bool { return s.Name == "epochs" })
		if len(given) > 0 {
			return message.Errorf("%s and %s: want one or the other", message.Option("auto"), given[0].Name)
		}
	}
	return nil
}

// checkOthers returns an error if Method is unknown, or if a setting is given that Method, which is not
// AGE, does not have.
func (s *Settings) checkOthers() error {
	m, known := method.Find(s.Method)
	switch {
	case !known:
		return message.Errorf("%s: unknown method %q: want %s", message.Option("method"), s.Method, strings.Join(method.Names(), ", "))
	case s.Published && !m.Published:
		return message.Errorf("%s: %s has one protocol only: want %s %s", message.Option("published"), s.Method, message.Option("method"), strings.Join(published(), ", "))
	}
	if s.Layers == laplacian.NoLayers {
		return message.Errorf("%s is 0: want 1 or more", message.Option("layers"))
	}
	for _, given := range setting.Given(s) {
		if given.Of != "" { // the setting belongs to AGE alone
			return message.Errorf("%s is %s's: %s has settings of its own", given.Name, given.Of, s.Method)
		}
	}
	return nil
}

// published returns the names of the methods that have a published mode.
func published() []string {
	return slices.DeleteFunc(method.Names(), func(name string) bool {
		m, _ := method.Find(name)
		return !m.Published
	})
}

// Chosen returns the settings that are given although they would be chosen from the graph.
func (s *Settings) Chosen() []setting.Setting {
	return slices.DeleteFunc(setting.Given(s), func(s setting.Setting) bool { return !s.Chosen })
}

// Given reports whether AGE runs with the settings that are given, and with the paper's in place of
// the others, on the data set of that name ("" for the user's own graph). If not, the settings are
// chosen from the graph, or another method runs. Given is false for another method and if Auto is true.
// Else it is true
//   - if a setting is given that would be chosen from the graph,
//   - if Auto is false or, where Auto is not given, for the paper's data sets: but only if View is AGE's
//     or not given, because the paper has no settings for other views.
func (s *Settings) Given(dataset string) bool {
	_, isPaper := encoder.PaperOptions(dataset)
	isAuto, isAutoGiven := s.Auto != nil && *s.Auto, s.Auto != nil
	switch {
	case s.Others(), isAuto:
		return false
	case len(s.Chosen()) > 0:
		return true
	case !isAutoGiven && !isPaper:
		return false
	}
	return s.View == "" || s.View == views.AGE
}

// AGE returns AGE's options with the settings that are given. In place of the others it has the
// paper's for the data set of that name, or their defaults ([encoder.PaperOptions]).
func (s *Settings) AGE(dataset string) encoder.Options {
	o, isPaper := encoder.PaperOptions(dataset)
	setting.Overlay(&o.Filter, &s.Filter)
	setting.Overlay(&o.Config, &s.Config)
	if isPaper { // all its pairs are ranked, whatever the thresholds
		o.Ranking = o.Ranks(encoder.ByPaper, 0, 0)
	}
	o = o.WithDefaults() // it also turns laplacian.NoLayers into 0 layers
	if s.Best {
		o = o.Best()
	}
	return o
}

const optionClusters message.Option = "clusters"

// Numbers returns the numbers of clusters to choose from on a graph: Clusters or, if that is not given,
// the number of classes or, for a graph without classes, any number. other is the method that runs,
// nil for AGE. given says that AGE's settings are given ([Settings.Given]). Another method, and AGE with
// given settings, cannot choose, so they need exactly one number. A method that finds the number itself
// gets the zero value. Numbers returns an error if Clusters does not suit the method, or if it is
// missing.
func (s *Settings) Numbers(g *graph.Graph, other method.Method, given bool) (views.Range, error) {
	numbers := s.Clusters
	missing := numbers == views.Range{}
	canChoose := other == nil && !given // a useful number is found among several
	switch {
	case other != nil && other.Info().Number:
		if !missing {
			return numbers, message.Errorf("%s is %s: %s finds the number of clusters itself", optionClusters, numbers, other.Name())
		}
		return numbers, nil
	case numbers.Most > numbers.Least && !canChoose:
		return numbers, message.Errorf("%s is %s: want one number where the settings are given", optionClusters, numbers)
	// A single class says nothing about the number, if there is a choice.
	case missing && (g.Classes > 1 || (g.Classes == 1 && !canChoose)):
		numbers = views.Exactly(g.Classes)
	case missing && !canChoose:
		return numbers, message.Errorf("%s is missing: without labels the number of clusters is unknown", optionClusters)
	case missing:
		numbers = views.Any()
	}
	if numbers == views.Any() { // at most as many as the graph's nodes allow
		numbers.Most = max(numbers.Least, min(numbers.Most, encoder.MostClusters(g.N())))
	}
	return numbers, nil
}
