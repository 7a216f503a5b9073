package reproduce

import "slices"

// Printed returns the number that the paper prints for a method on a data set, or
// false if it prints none. table is the paper's number of the table:
//
//   - 1, the data sets, without a method: "nodes", "listed edges", "features" and
//     "classes". Its edges are the entries that the sources list, with duplicates and
//     self loops.
//   - 2, node clustering: "ACC", "NMI" and "ARI".
//   - 3, link prediction: "AUC" and "AP".
//   - 4, the ablation on Cora: "ACC", "NMI" and "ARI" of each step, which has the name
//     of the method that computes it.
func Printed(table int, method, dataset, score string) (float64, bool) {
	t := printedTables[table]
	row, d, k := t.rows[method], slices.Index(t.datasets, dataset), slices.Index(t.scores, score)
	if row == nil || d < 0 || k < 0 {
		return 0, false
	}
	return row[d*len(t.scores)+k], true
}

// paperSteps are the paper's names for the steps of the ablation (table 4), by the method that
// computes each.
var paperSteps = map[string]string{
	"Spectral-F": "Raw features",
	"LS":         "+Filter",
	"+Encoder":   "+Encoder",
	"+Adaptive":  "+Adaptive",
	"AGE":        "+Thresholds Update",
}

// printedTable holds what one of the paper's tables prints.
type printedTable struct {
	datasets, scores []string
	rows             map[string][]float64 // by method: for each data set, each score
}

// printedTables holds the tables by their numbers.
var printedTables = map[int]printedTable{
	1: {paperDatasets, []string{"nodes", "listed edges", "features", "classes"}, map[string][]float64{
		"": {2708, 5429, 1433, 7, 3327, 4732, 3703, 6, 2405, 17981, 4973, 17, 19717, 44338, 500, 3},
	}},
	2: {paperDatasets, clusteringScores, map[string][]float64{
		"K-means":    {0.503, 0.317, 0.244, 0.544, 0.312, 0.285, 0.417, 0.440, 0.151, 0.580, 0.278, 0.246},
		"Spectral-F": {0.347, 0.147, 0.071, 0.441, 0.203, 0.183, 0.491, 0.464, 0.254, 0.602, 0.309, 0.277},
		"Spectral-G": {0.342, 0.195, 0.045, 0.259, 0.118, 0.013, 0.236, 0.193, 0.017, 0.528, 0.097, 0.062},
		"DeepWalk":   {0.484, 0.327, 0.243, 0.337, 0.089, 0.092, 0.385, 0.324, 0.173, 0.543, 0.102, 0.088},
		"TADW":       {0.560, 0.441, 0.332, 0.455, 0.291, 0.228, 0.310, 0.271, 0.045, 0.511, 0.244, 0.217},
		"GAE":        {0.611, 0.482, 0.302, 0.456, 0.221, 0.191, 0.379, 0.345, 0.189, 0.632, 0.249, 0.246},
		"VGAE":       {0.592, 0.408, 0.347, 0.467, 0.261, 0.206, 0.451, 0.468, 0.263, 0.619, 0.216, 0.201},
		"MGAE":       {0.681, 0.489, 0.436, 0.669, 0.416, 0.425, 0.529, 0.510, 0.379, 0.593, 0.282, 0.248},
		"ARGA":       {0.640, 0.449, 0.352, 0.573, 0.350, 0.341, 0.381, 0.345, 0.112, 0.681, 0.276, 0.291},
		"ARVGA":      {0.638, 0.450, 0.374, 0.544, 0.261, 0.245, 0.387, 0.339, 0.107, 0.513, 0.117, 0.078},
		"AGC":        {0.689, 0.537, 0.486, 0.670, 0.411, 0.419, 0.477, 0.453, 0.343, 0.698, 0.316, 0.319},
		"DAEGC":      {0.704, 0.528, 0.496, 0.672, 0.397, 0.410, 0.482, 0.448, 0.331, 0.671, 0.266, 0.278},
		"GALA":       {0.746, 0.577, 0.532, 0.693, 0.441, 0.446, 0.545, 0.504, 0.389, 0.694, 0.327, 0.321},
		"LS":         {0.638, 0.493, 0.373, 0.677, 0.419, 0.433, 0.515, 0.534, 0.317, 0.656, 0.300, 0.315},
		"LS+RA":      {0.742, 0.580, 0.545, 0.658, 0.410, 0.403, 0.552, 0.566, 0.382, 0.652, 0.291, 0.301},
		"LS+RX":      {0.647, 0.479, 0.423, 0.674, 0.416, 0.424, 0.553, 0.543, 0.365, 0.645, 0.285, 0.251},
		"AGE":        {0.768, 0.607, 0.565, 0.702, 0.448, 0.457, 0.612, 0.597, 0.440, 0.711, 0.316, 0.334},
	}},
	3: {[]string{"cora", "citeseer"}, []string{"AUC", "AP"}, map[string][]float64{
		"GAE":   {0.910, 0.920, 0.895, 0.899},
		"VGAE":  {0.914, 0.926, 0.908, 0.920},
		"ARGA":  {0.924, 0.932, 0.919, 0.930},
		"ARVGA": {0.924, 0.926, 0.924, 0.930},
		"GALA":  {0.921, 0.922, 0.944, 0.948},
		"AGE":   {0.957, 0.952, 0.964, 0.968},
	}},
	// Raw features, filter and full model are the rows Spectral-F, LS and AGE of table 2.
	4: {[]string{"cora"}, clusteringScores, map[string][]float64{
		"Spectral-F": {0.347, 0.147, 0.071},
		"LS":         {0.638, 0.493, 0.373},
		"+Encoder":   {0.728, 0.558, 0.521},
		"+Adaptive":  {0.739, 0.585, 0.544},
		"AGE":        {0.768, 0.607, 0.565},
	}},
}
