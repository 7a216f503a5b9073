package paper

import "slices"

// Printed returns the number that the paper prints for a method on a data set, or
// false if it prints none. table is the paper's number of the table:
//
//   - 1, the data sets, without a method: "nodes", "listed edges", "features" and
//     "classes". Its edges are the entries that the sources list, with duplicates and
//     self loops.
//   - 3, node clustering: "ACC", "NMI" and "ARI".
//   - 4, link prediction: "AUC" and "AP".
//   - 5, the ablation on Cora: "ACC", "NMI" and "ARI" of each step, which has the name
//     of the method that computes it ([Step]).
func Printed(table int, method, dataset, score string) (float64, bool) {
	value, ok := tables[table][method][dataset][score]
	return value, ok
}

// Datasets returns the names of the paper's data sets, in its order.
func Datasets() []string { return slices.Clone(datasets) }

// Step returns the paper's name for the step of the ablation (table 5) that a method
// computes, and "" for a method that is none.
func Step(method string) string { return steps[method] }

var steps = map[string]string{
	"Spectral-F": "Raw features",
	"LS":         "+Filter",
	"+Encoder":   "+Encoder",
	"+Adaptive":  "+Adaptive",
	"AGE":        "+Thresholds Update",
}

var (
	datasets = []string{"cora", "citeseer", "wiki", "pubmed"}
	scores   = []string{"ACC", "NMI", "ARI"}

	// tables holds the values by table, method, data set and score.
	tables = map[int]map[string]printed{1: {"": statistics}, 3: clustering, 4: links, 5: ablation}
)

// printed holds a row's printed scores, by data set and score.
type printed map[string]map[string]float64

// scoresOf is a table row with two or three scores per data set.
func scoresOf(datasets, scores []string, values ...float64) printed {
	if len(values) != len(datasets)*len(scores) {
		panic("paper: a row has a different number of values than its table has columns")
	}
	p := printed{}
	for i, d := range datasets {
		p[d] = map[string]float64{}
		for j, s := range scores {
			p[d][s] = values[i*len(scores)+j]
		}
	}
	return p
}

// statistics is table 1.
var statistics = printed{
	"cora":     {"nodes": 2708, "listed edges": 5429, "features": 1433, "classes": 7},
	"citeseer": {"nodes": 3327, "listed edges": 4732, "features": 3703, "classes": 6},
	"wiki":     {"nodes": 2405, "listed edges": 17981, "features": 4973, "classes": 17},
	"pubmed":   {"nodes": 19717, "listed edges": 44338, "features": 500, "classes": 3},
}

// clustering is table 3.
var clustering = func() map[string]printed {
	row := func(values ...float64) printed { return scoresOf(datasets, scores, values...) }
	return map[string]printed{
		"K-means":    row(0.503, 0.317, 0.244, 0.544, 0.312, 0.285, 0.417, 0.440, 0.151, 0.580, 0.278, 0.246),
		"Spectral-F": row(0.347, 0.147, 0.071, 0.441, 0.203, 0.183, 0.491, 0.464, 0.254, 0.602, 0.309, 0.277),
		"Spectral-G": row(0.342, 0.195, 0.045, 0.259, 0.118, 0.013, 0.236, 0.193, 0.017, 0.528, 0.097, 0.062),
		"DeepWalk":   row(0.484, 0.327, 0.243, 0.337, 0.089, 0.092, 0.385, 0.324, 0.173, 0.543, 0.102, 0.088),
		"TADW":       row(0.560, 0.441, 0.332, 0.455, 0.291, 0.228, 0.310, 0.271, 0.045, 0.511, 0.244, 0.217),
		"GAE":        row(0.611, 0.482, 0.302, 0.456, 0.221, 0.191, 0.379, 0.345, 0.189, 0.632, 0.249, 0.246),
		"VGAE":       row(0.592, 0.408, 0.347, 0.467, 0.261, 0.206, 0.451, 0.468, 0.263, 0.619, 0.216, 0.201),
		"MGAE":       row(0.681, 0.489, 0.436, 0.669, 0.416, 0.425, 0.529, 0.510, 0.379, 0.593, 0.282, 0.248),
		"ARGA":       row(0.640, 0.449, 0.352, 0.573, 0.350, 0.341, 0.381, 0.345, 0.112, 0.681, 0.276, 0.291),
		"ARVGA":      row(0.638, 0.450, 0.374, 0.544, 0.261, 0.245, 0.387, 0.339, 0.107, 0.513, 0.117, 0.078),
		"AGC":        row(0.689, 0.537, 0.486, 0.670, 0.411, 0.419, 0.477, 0.453, 0.343, 0.698, 0.316, 0.319),
		"DAEGC":      row(0.704, 0.528, 0.496, 0.672, 0.397, 0.410, 0.482, 0.448, 0.331, 0.671, 0.266, 0.278),
		"GALA":       row(0.746, 0.577, 0.532, 0.693, 0.441, 0.446, 0.545, 0.504, 0.389, 0.694, 0.327, 0.321),
		"LS":         row(0.638, 0.493, 0.373, 0.677, 0.419, 0.433, 0.515, 0.534, 0.317, 0.656, 0.300, 0.315),
		"LS+RA":      row(0.742, 0.580, 0.545, 0.658, 0.410, 0.403, 0.552, 0.566, 0.382, 0.652, 0.291, 0.301),
		"LS+RX":      row(0.647, 0.479, 0.423, 0.674, 0.416, 0.424, 0.553, 0.543, 0.365, 0.645, 0.285, 0.251),
		"AGE":        row(0.768, 0.607, 0.565, 0.702, 0.448, 0.457, 0.612, 0.597, 0.440, 0.711, 0.316, 0.334),
	}
}()

// links is table 4.
var links = func() map[string]printed {
	row := func(values ...float64) printed {
		return scoresOf([]string{"cora", "citeseer"}, []string{"AUC", "AP"}, values...)
	}
	return map[string]printed{
		"GAE":   row(0.910, 0.920, 0.895, 0.899),
		"VGAE":  row(0.914, 0.926, 0.908, 0.920),
		"ARGA":  row(0.924, 0.932, 0.919, 0.930),
		"ARVGA": row(0.924, 0.926, 0.924, 0.930),
		"GALA":  row(0.921, 0.922, 0.944, 0.948),
		"AGE":   row(0.957, 0.952, 0.964, 0.968),
	}
}()

// ablation is table 5. Raw features, filter and full model are the rows
// Spectral-F, LS and AGE of table 3.
var ablation = func() map[string]printed {
	row := func(values ...float64) printed { return scoresOf([]string{"cora"}, scores, values...) }
	return map[string]printed{
		"Spectral-F": row(0.347, 0.147, 0.071),
		"LS":         row(0.638, 0.493, 0.373),
		"+Encoder":   row(0.728, 0.558, 0.521),
		"+Adaptive":  row(0.739, 0.585, 0.544),
		"AGE":        row(0.768, 0.607, 0.565),
	}
}()
