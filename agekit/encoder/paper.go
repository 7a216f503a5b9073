package encoder

import (
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/pairs"
)

// table5 holds t and the thresholds of the paper's data sets.
var table5 = map[string]struct {
	layers     int
	thresholds pairs.Thresholds
}{
	"cora":     {8, pairs.Thresholds{PosStart: 0.0110, PosEnd: 0.0010, NegStart: 0.1, NegEnd: 0.5}},
	"citeseer": {3, pairs.Thresholds{PosStart: 0.0015, PosEnd: 0.0010, NegStart: 0.1, NegEnd: 0.5}},
	"wiki":     {1, pairs.Thresholds{PosStart: 0.0011, PosEnd: 0.0010, NegStart: 0.1, NegEnd: 0.5}},
	"pubmed":   {35, pairs.Thresholds{PosStart: 0.0013, PosEnd: 0.0010, NegStart: 0.7, NegEnd: 0.8}},
}

// PaperOptions returns the paper's filter and settings for one of its data sets (§4.3
// and table 5): "cora", "citeseer", "wiki" or "pubmed". For any other name it
// returns [Options.WithDefaults] of the zero value, which are Cora's, and false.
//
// Pass the name under which package dataset loaded the graph ([graph.Graph.Catalogue]).
// The name of a graph or of a file says nothing about its contents.
func PaperOptions(dataset string) (Options, bool) {
	var o Options
	r, ok := table5[dataset]
	if ok {
		o.Filter, o.Thresholds = laplacian.Filter{K: 2.0 / 3, Layers: r.layers}, r.thresholds
	}
	if dataset == "pubmed" { // the paper ranks all pairs; pairs.Auto does so on smaller graphs
		o.Ranking = pairs.Exact
	}
	return o.WithDefaults(), ok
}
